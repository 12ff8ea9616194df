extension DesignPreset {
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
      PolicyField(
        name: "first-view", form: .flag, standard: .word("yes"),
        summary:
          "whether a process fetches what it shows for the first time since its start or the foreground"
      ),
      PolicyField(
        name: "foreground", form: .flag, standard: .word("yes"),
        summary:
          "whether what is on screen is fetched when the link comes back, as it does when the user does"
      ),
      PolicyField(
        name: "after-change", form: .flag, standard: .word("yes"),
        summary: "whether what the user has changed is fetched"),
      PolicyField(
        name: "foreground-interval", form: .duration(.zero ... .days(1)),
        standard: .duration(.zero),
        summary: "for how long the foreground fetches nothing after it last did"),
      PolicyField(
        name: "refresh-interval", form: .duration(.seconds(1) ... .days(1)), standard: .unlimited,
        mayBeUnlimited: true,
        summary: "after how long what is on screen is fetched again"),
      PolicyField(
        name: "write", form: .choice(["replace", "upsert"]), standard: .word("replace"),
        summary: "whether rows that an answer lacks are deleted"),
      PolicyField(
        name: "rewrite-unchanged", form: .flag, standard: .word("yes"),
        summary: "whether rows that are stored as they are in the answer are written again"),
      PolicyField(
        name: "disk-write-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        summary: "how long a transaction takes"),
    ])
}
