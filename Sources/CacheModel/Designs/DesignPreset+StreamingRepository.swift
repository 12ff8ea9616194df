extension DesignPreset {
  private static let second: Int64 = 1_000_000_000
  private static let day: Int64 = 86_400 * second

  /// Whole collections written through to a database that views read, as the library `StreamingRepository` ships it.
  ///
  /// The triggers are those of its design's document, which writes every row of an answer and knows no time to live.
  /// The time of the disk is an assumption: a transaction, as long as one of the normalized cache's storage takes here.
  package static let streamingRepository = DesignPreset(
    name: "streaming-repository",
    summary:
      "Whole answers written through to a database that views read, fetched for reasons and never for "
      + "age; takes no events.",
    fields: [
      DesignField(
        "first-view", .flag, standard: .number(1),
        "whether a process fetches what it shows for the first time since its start or the foreground"
      ),
      DesignField(
        "foreground", .flag, standard: .number(1),
        "whether what is on screen is fetched when the link comes back, as it does when the user does"
      ),
      DesignField(
        "after-change", .flag, standard: .number(1),
        "whether what the user has changed is fetched"),
      DesignField(
        "foreground-interval", .duration(0...day), standard: .number(0),
        "for how long the foreground fetches nothing after it last did"),
      DesignField(
        "refresh-interval", .duration(second...day), standard: .unlimited, mayBeUnlimited: true,
        "after how long what is on screen is fetched again"),
      DesignField(
        "write", .choice(["replace", "upsert"]), standard: .word("replace"),
        "whether rows that an answer lacks are deleted"),
      DesignField(
        "rewrite-unchanged", .flag, standard: .number(1),
        "whether rows that are stored as they are in the answer are written again"),
      DesignField(
        "disk-write-time", .duration(0...(10 * second)), standard: .number(10_000_000),
        "how long a transaction takes"),
    ])
}
