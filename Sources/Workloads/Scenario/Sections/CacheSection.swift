package import CacheModel

/// The cache under test: what all policies of a comparison share.
///
/// Limits and times to live are handed to every preset. An eviction order, retention, membership or
/// gap response given here replaces that of every preset but the bounds.
package struct CacheSection: Hashable, Sendable {
  package var capacityEntities: Int? = 10_000
  package var capacityBytes: Int?
  /// Eviction begins when more than this share of a limit is in use.
  package var highWatermark = 0.9
  /// Eviction ends when at most this share of a limit is in use.
  package var lowWatermark = 0.9
  package var maximumQueries: Int? = 100
  package var timeToLive: Duration? = .seconds(300)
  /// Times to live of single methods; a method that is absent has the common one.
  package var timeToLivePerMethod: [QueryKind: Duration] = [
    .search: .seconds(60), .albumList: .seconds(300),
  ]
  package var reorderWindow = Duration.milliseconds(200)
  package var evictionOrder: String?
  package var retention: Retention?
  package var membership: Membership?
  package var gapResponse: GapResponse?

  package init() {}

  package var capacity: Capacity {
    Capacity(
      entities: capacityEntities, bytes: capacityBytes, highWatermark: highWatermark,
      lowWatermark: lowWatermark)
  }

  package var freshness: Freshness {
    var perMethod: [QueryMethod: Duration] = [:]
    for kind in QueryKind.allCases {
      if let duration = timeToLivePerMethod[kind] { perMethod[kind.method] = duration }
    }
    return Freshness(timeToLive: timeToLive, perMethod: perMethod)
  }

  package var allowance: Preset.Allowance {
    Preset.Allowance(
      capacity: capacity, maximumQueries: maximumQueries, freshness: freshness,
      reorderWindow: reorderWindow)
  }
}

extension CacheSection: ScenarioSection {
  static let fields: [Field<CacheSection>] =
    [
      unlimited(
        .count(
          "capacity-entities", of: "entities", \.capacityEntities, 0...100_000_000,
          "most entities held, or `unlimited`")
      ) { $0.capacityEntities = nil },
      unlimited(
        .size("capacity-bytes", \.capacityBytes, 0...(1 << 40), "most bytes held, or `unlimited`")
      ) { $0.capacityBytes = nil },
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
      ) {
        $0.timeToLive = nil
      },
      .duration(
        "reorder-window", \.reorderWindow, .zero ... .minutes(10),
        "how long a gap may stay open before it is reconciled"),
      Field(name: "eviction-order", form: .choice([]), summary: "the order in which entities go") {
        if let known = $2.vocabulary.evictionOrders {
          $0.evictionOrder = $2.name($1, what: "eviction order", among: known) ?? $0.evictionOrder
        } else {
          $0.evictionOrder = $2.scalar($1) ?? $0.evictionOrder
        }
      },
      axis("retention", \.retention, "what is held back from eviction"),
      axis("membership", \.membership, "what happens to lists when entities change"),
      axis("gap-response", \.gapResponse, "what happens when events were missed"),
    ]
    + QueryKind.allCases.map { kind in
      .whole(
        "time-to-live.\(kind.methodName)", .duration, 0...Duration.days(365).wholeNanoseconds,
        "how long a result of this method is fresh"
      ) { $0.timeToLivePerMethod[kind] = .nanoseconds($1) }
    }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if lowWatermark > highWatermark {
      reader.report(
        place, "the low watermark is above the high one",
        "lower `low-watermark` or raise `high-watermark`")
    }
  }

  /// The word for no limit.
  private static let unlimitedWord = "unlimited"

  /// The field, which also takes the word `unlimited`.
  private static func unlimited(
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
