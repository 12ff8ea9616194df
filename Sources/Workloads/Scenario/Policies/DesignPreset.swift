package import CacheModel

/// A cache of another design than the normalized one, by its name in scenarios, with its own fields.
///
/// The library that ships it defines its behaviour; `DesignSimulation` adapts it to the simulation.
package struct DesignPreset: Sendable {
  package let name: String
  package let summary: String
  package let fields: [PolicyField]

  package static let all: [DesignPreset] = [twoTier, response, streamingRepository]

  package static let names = all.map(\.name)

  package static func named(_ name: String) -> DesignPreset? { all.first { $0.name == name } }
}

package struct DesignSettings: Hashable, Sendable {
  package let design: String
  private var values: [String: PolicyValue]
  package var capacity: Capacity
  /// The maximum bytes of its files; `nil`: the design's default.
  package var diskBytes: Int?
  /// The eviction order; `nil`: the design's default.
  package var evictionOrder: String?

  /// Creates a design's default settings, within a capacity.
  package init(_ preset: DesignPreset, capacity: Capacity = .unlimited) {
    design = preset.name
    values = Dictionary(
      preset.fields.compactMap { field in field.standard.map { (field.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    self.capacity = capacity
  }

  /// Sets a field.
  ///
  /// - Precondition: the design has the field.
  package mutating func set(_ field: String, to value: PolicyValue) {
    precondition(values[field] != nil, "\(design) has no field \(field)")
    values[field] = value
  }

  package subscript(field: String) -> PolicyValue {
    guard let value = values[field] else {
      preconditionFailure("\(design) has no field \(field)")
    }
    return value
  }

  /// Returns a duration; `nil`: unlimited.
  package func duration(_ field: String) -> Duration? {
    switch self[field] {
    case .duration(let duration): duration
    case .unlimited: nil
    default: preconditionFailure("\(field) of \(design) is no duration")
    }
  }

  /// Returns a count, or bytes; `nil`: unlimited.
  package func count(_ field: String) -> Int? {
    switch self[field] {
    case .number(let number): Int(number)
    case .unlimited: nil
    default: preconditionFailure("\(field) of \(design) is no number")
    }
  }

  package func isSet(_ field: String) -> Bool { word(field) == "yes" }

  package func word(_ field: String) -> String {
    guard let word = self[field].word else {
      preconditionFailure("\(field) of \(design) is no choice")
    }
    return word
  }
}

extension DesignPreset {
  /// A memory tier over files, as in the library `TwoTierCache`.
  ///
  /// The age and the number of writes are those of its design's document. The two disk times are assumptions:
  /// a read of some hundred kilobytes from flash memory; and a draft that is written and renamed, with the
  /// time of a transaction of the normalized cache's storage here.
  package static let twoTier = DesignPreset(
    name: "two-tier",
    summary: "Memory over files: whole answers by request, an age of 1 h; takes no events.",
    fields: [
      PolicyField(
        name: "maximum-age", form: .duration(.zero ... .days(365)),
        standard: .duration(.seconds(3_600)),
        mayBeUnlimited: true, summary: "how long a value is served, from when it was set"),
      PolicyField(
        name: "clean-up-writes", form: .count("writes", 1...1_000_000), standard: .number(100),
        mayBeUnlimited: true, summary: "after how many writes files past their age are removed"),
      PolicyField(
        name: "clean-up-interval", form: .duration(.zero ... .days(365)), standard: .unlimited,
        mayBeUnlimited: true,
        summary: "after how much time they are, at the next call"),
      PolicyField(
        name: "disk-read-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(2)),
        summary: "how long a value takes from its file to memory"),
      PolicyField(
        name: "disk-write-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        summary: "how long a file takes to be written or removed"),
    ])

  /// HTTP responses with tags, as in the library `ResponseCache`.
  ///
  /// The numbers are those of its design's document: 200 entries, 20 bodies in memory, a flush every 10 s,
  /// and the `max-age` of its example. The two disk times are the assumptions of ``twoTier``.
  package static let response = DesignPreset(
    name: "response-cache",
    summary: "HTTP responses with tags: max-age, ETag and 304, all valid offline; takes no events.",
    fields: [
      PolicyField(
        name: "maximum-age", form: .duration(.zero ... .days(365)),
        standard: .duration(.seconds(297)),
        mayBeUnlimited: true,
        summary: "the max-age that the server sends"),
      PolicyField(
        name: "maximum-entries", form: .count("entries", 0...1_000_000), standard: .number(200),
        summary: "how many entries without a tag a sweep leaves"),
      PolicyField(
        name: "memory-entries", form: .count("entries", 0...1_000_000), standard: .number(20),
        summary: "how many bodies are in memory"),
      PolicyField(
        name: "metadata", form: .choice(["manifest", "sidecars"]), standard: .word("manifest"),
        summary: "where what is known of entries is written: one file, or one for each"),
      PolicyField(
        name: "flush-interval", form: .duration(.milliseconds(1) ... .days(365)),
        standard: .duration(.seconds(10)),
        summary: "after how long a change of that is written; tags are written immediately"),
      PolicyField(
        name: "sweep-interval", form: .duration(.milliseconds(1) ... .days(365)),
        standard: .duration(.seconds(60)),
        mayBeUnlimited: true, summary: "after how long entries are swept again"),
      PolicyField(
        name: "stale-after", form: .choice(["server-error", "any-error"]),
        standard: .word("server-error"),
        summary: "after which errors an expired body is served"),
      PolicyField(
        name: "disk-read-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(2)),
        summary: "how long a body takes from its file to memory"),
      PolicyField(
        name: "disk-write-time", form: .duration(.zero ... .seconds(10)),
        standard: .duration(.milliseconds(10)),
        summary: "how long a file takes to be written or removed"),
    ])

  /// Complete collections stored in a database that views read, as in the library `StreamingRepository`.
  ///
  /// The triggers are those of its design's document, which writes every row of an answer and has no time to
  /// live. The disk time is an assumption: the time of a transaction of the normalized cache's storage here.
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
