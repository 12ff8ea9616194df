import CacheModel
import Text

extension CacheSection: ScenarioSection {
  static let fields: [Field<CacheSection>] = fields(ofMethodsIn: .fileLibrary)

  static func fields(of model: DataModel?) -> [Field<CacheSection>] {
    model.map(fields(ofMethodsIn:)) ?? fields
  }

  private static func fields(ofMethodsIn model: DataModel) -> [Field<CacheSection>] {
    limits + axes + EventOrigin.allCases.flatMap { BatchChoices.fields(of: $0, model) } + disk
      + ofDesigns + timesToLive(of: model)
  }

  /// The keys that replace a choice of every preset but the bounds.
  static let choiceNames =
    (axes + EventOrigin.allCases.flatMap { BatchChoices.fields(of: $0, .fileLibrary) } + disk)
    .map(\.name)

  private static let limits: [Field<CacheSection>] = [
    unlimited(
      .count(
        "capacity-entities", of: "entities", \.capacityEntities, 0...100_000_000,
        "most entities held, or `unlimited`")
    ) { $0.capacityEntities = nil },
    unlimited(
      .size("capacity-bytes", \.capacityBytes, 0...(1 << 40), "most bytes held, or `unlimited`")
    ) { $0.capacityBytes = nil },
    unlimited(
      .size(
        "capacity-memory", \.capacityMemory, 0...(1 << 40),
        "most bytes of memory that values and tables are predicted to take, or `unlimited`")
    ) { $0.capacityMemory = nil },
    .share(
      "high-watermark", \.highWatermark, "eviction begins above this share of a limit"),
    .share("low-watermark", \.lowWatermark, "eviction ends at this share of a limit"),
    unlimited(
      .count(
        "maximum-queries", of: "queries", \.maximumQueries, 0...10_000_000,
        "most queries held, or `unlimited`")
    ) { $0.maximumQueries = nil },
    unlimited(
      .duration(
        "time-to-live", \.timeToLive, .zero ... .days(365),
        "how long a result is fresh, or `unlimited`")
    ) { $0.timeToLive = nil },
    unlimited(
      .duration(
        "stale-while-revalidate", \.staleWhileRevalidate, .zero ... .days(365),
        "how long an expired result is served while it is fetched again, or `unlimited`")
    ) { $0.staleWhileRevalidate = .unending },
    unlimited(
      .duration(
        "stale-if-error", \.staleIfError, .zero ... .days(365),
        "how long an expired result is served when the fetch fails, or `unlimited`")
    ) { $0.staleIfError = .unending },
    .duration(
      "reorder-window", \.reorderWindow, .zero ... .minutes(10),
      "how long a gap may stay open before it is reconciled"),
  ]

  private static let axes: [Field<CacheSection>] = [
    registered(
      "eviction-order", \.evictionOrder, among: .evictionOrders, "the order in which entities go"),
    registered(
      "admission", \.admission, among: .admissions,
      "what a full cache takes in, at the cost of what would go"),
    axis("limit", \.limit, "whether what is held back gives way where a limit is exceeded"),
    axis("retention", \.retention, "what is held back from eviction"),
    unlimited(
      .whole(
        "release-buffer-queries", .count("queries"), 0...10_000_000,
        "most queries held after their last observer left, or `unlimited`"
      ) { $0.releaseBufferQueries = Limit(Int($1)) }
    ) { $0.releaseBufferQueries = Limit(nil) },
    unlimited(
      .whole(
        "release-buffer-age", .duration, 0...Duration.days(365).wholeNanoseconds,
        "how long a query is held after its last observer left, or `unlimited`"
      ) { $0.releaseBufferAge = Limit(.nanoseconds($1)) }
    ) { $0.releaseBufferAge = Limit(nil) },
    axis(
      "release-buffer-reads", \.releaseBufferReads,
      "what a read without an observer does to the release buffer"),
    axis("time-to-live-from", \.timeToLiveFrom, "from when the age of a result counts"),
    .flag(
      "drops-expired", \.dropsExpired, "whether an expired query without observers is dropped"),
    axis(
      "event-admission", \.eventAdmission, "what becomes of pushed entities that are not cached"),
    axis("membership", \.membership, "what happens to lists when entities change"),
    axis("events", \.events, "whether the server's events reach the cache"),
    axis("gap-response", \.gapResponse, "what happens when events were missed"),
    .duration(
      "coalescing-window", \.coalescingWindow, .zero ... .minutes(10),
      "the shortest time between two notifications of one query"),
    unlimited(
      .whole(
        "poll-interval", .duration,
        Duration.milliseconds(100).wholeNanoseconds...Duration.days(365).wholeNanoseconds,
        "how long after its last answer an observed query is fetched again, or `unlimited`"
      ) { $0.pollInterval = Limit(.nanoseconds($1)) }
    ) { $0.pollInterval = Limit(nil) },
  ]

  private static let disk: [Field<CacheSection>] = [
    .flag("storage", \.storage, "whether what is held outlives the process"),
    unlimited(
      .whole("disk-bytes", .size, 0...(1 << 40), "most bytes in the storage, or `unlimited`") {
        $0.diskBytes = Limit(Int($1))
      }
    ) { $0.diskBytes = Limit(nil) },
    .duration(
      "flush-window", \.flushWindow, .zero ... .minutes(10),
      "how long the first change of a batch waits to be stored"),
  ]

  private static func timesToLive(of model: DataModel) -> [Field<CacheSection>] {
    model.shapes.enumerated().map { place, shape in
      .whole(
        "time-to-live.\(shape.name)", .duration, 0...Duration.days(365).wholeNanoseconds,
        "how long a result of this method is fresh"
      ) { $0.timeToLivePerMethod[DataModel.kind(ofShape: place)] = .nanoseconds($1) }
    }
  }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if storage == false, diskBytes != nil || flushWindow != nil {
      reader.report(
        place, "there is no storage to limit", "remove `disk-bytes` and `flush-window`")
    }
    if lowWatermark > highWatermark {
      reader.report(
        place, "the low watermark is above the high one",
        "lower `low-watermark` or raise `high-watermark`")
    }
  }

  /// The word for no limit.
  static let unlimitedWord = "unlimited"

  /// The field, which also takes the word `unlimited`.
  static func unlimited(
    _ field: Field<CacheSection>, _ clear: @escaping @Sendable (inout CacheSection) -> Void
  ) -> Field<CacheSection> {
    Field(name: field.name, form: field.form, summary: field.summary) {
      if case .scalar(unlimitedWord) = $1.content {
        clear(&$0)
      } else {
        field.assign(&$0, $1, &$2)
      }
    }
  }

  /// A choice among names that another room registers.
  private static func registered(
    _ name: String, _ path: FieldPath<CacheSection, String?>,
    among names: Vocabulary.Names, _ summary: String
  ) -> Field<CacheSection> {
    Field(name: name, form: .registered(names), summary: summary) {
      let what = name.split(separator: "-").joined(separator: " ")
      if names == .evictionOrders, case .scalar(let order) = $1.content,
        $2.vocabulary.clairvoyantOrders.contains(order)
      {
        $2.report(
          $1.place, "the \(what) `\(order)` looks ahead, which no cache can",
          "run the preset `clairvoyant` beside the others")
        return
      }
      if let known = $2.vocabulary[names] {
        $0[keyPath: path] = $2.name($1, what: what, among: known) ?? $0[keyPath: path]
      } else {
        $0[keyPath: path] = $2.scalar($1) ?? $0[keyPath: path]
      }
    }
  }

  private static func axis<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: FieldPath<CacheSection, Value?>, _ summary: String
  ) -> Field<CacheSection> {
    let names = Value.allCases.map(\.rawValue)
    return Field(name: name, form: .choice(names), summary: summary) {
      if let chosen = $2.name($1, what: name, among: names) {
        $0[keyPath: path] = Value(rawValue: chosen)
      }
    }
  }
}
