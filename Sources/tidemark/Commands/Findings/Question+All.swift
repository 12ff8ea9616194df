import Analysis
import CommandLineInterface
import ResultModel

/// The questions, in the order of the page.
extension Question {
  static let all: [Question] = [
    releaseBufferSize, releaseBufferAge, lossAndExpiry, indexStorm, gapResponse, coalescing,
    ideasAtEqualMemory, enoughCapacity, clientDefaults, usualLimits, waitAndMemory, otherApps,
    winnersExplained,
  ]

  private static let releaseBufferSize = Question(
    name: "release-buffer-size",
    text: "How large should a release buffer be?",
    axis: "queries held after their last observer",
    rows: rows(
      "back-and-forth", "cache.release-buffer-queries", ["0", "1", "2", "5", "10", "20", "40"],
      unit: " queries")
      + rows("back-and-forth", "cache.release-buffer-queries", ["unlimited"]),
    columns: [Column(of: "refcount-observed")],
    figures: [Figure(.freshHitRatio), Figure(.bytesFetched), Figure(.predictedBytes, .peak)],
    form: .enough,
    uncovered:
      "an app whose views come back in another rhythm; back-and-forth leaves and returns often.")

  private static let releaseBufferAge = Question(
    name: "release-buffer-age",
    text: "How old may what a release buffer holds become?",
    axis: "age at which it is let go",
    rows: rows(
      "back-and-forth", "cache.release-buffer-age",
      ["1 s", "10 s", "30 s", "60 s", "5 min", "30 min", "unlimited"]),
    columns: [
      Column(
        of: "refcount-observed", settings: [("cache.release-buffer-queries", "unlimited")])
    ],
    figures: [Figure(.freshHitRatio), Figure(.bytesFetched), Figure(.predictedBytes, .peak)],
    form: .enough,
    uncovered: "a buffer with a limit of queries too; there are as many as come within the age.")

  private static let lossAndExpiry = Question(
    name: "loss-and-expiry",
    text: "From which loss of events on does a time to live help?",
    axis: "events lost",
    rows: rows(
      "flaky-network", "network.loss", ["0 %", "2 %", "5 %", "10 %", "20 %", "40 %", "60 %"]),
    columns: ["lru", "ttl", "spacedrive", "no-cache", "unbounded"].map { Column(of: $0) },
    figures: [Figure(.freshHitRatio)],
    form: .flip(scenario: "flaky-network", range: "network.loss=0%..60%"),
    uncovered:
      "events that are lost without any later one or heartbeat to show the gap; this server numbers "
      + "its events and announces the last number.")

  private static let indexStorm = Question(
    name: "index-storm",
    text: "What does an index storm do to what people work with, under each admission?",
    axis: "what becomes of pushed entities",
    rows: rows(
      "index-storm", "cache.event-admission", ["write-allocate", "probation", "update-only"]),
    columns: [Column(of: "lru"), Column(of: "spacedrive")],
    figures: [Figure(.freshHitRatio)], form: .best,
    uncovered: "an app that reads what the storm brings; new-arrivals is that case.")

  private static let gapResponse = Question(
    name: "gap-response",
    text: "Replay what was missed, or invalidate, by the length of the gap?",
    axis: "without network for",
    rows: [
      Row(name: "1 min", scenario: "offline-reconnect-1-minute"),
      Row(name: "1 h", scenario: "offline-reconnect-1-hour"),
      Row(name: "8 days", scenario: "offline-reconnect-8-days"),
    ],
    columns: ["replay", "selective-invalidation", "full-invalidation"].map {
      Column($0, policy: "lru", settings: [("cache.gap-response", $0)])
    },
    figures: [Figure.bytesReceived], form: .ranking,
    uncovered:
      "servers that keep no log of changes: there is nothing to replay then. Eight days are longer than "
      + "this server remembers.")

  private static let coalescing = Question(
    name: "coalescing",
    text: "Which coalescing window is invisible?",
    axis: "shortest time between two notifications",
    rows: rows(
      "tagging-from-many-devices", "cache.coalescing-window",
      ["0 s", "16 ms", "50 ms", "100 ms", "500 ms", "2 s"]),
    columns: [Column(of: "lru")],
    figures: [Figure(.notifications), Figure(.freshHitRatio), Figure(.staleReadShare)],
    form: .change,
    uncovered:
      "what a person sees of a delay: a window delays a second change by up to itself, and 100 ms is the "
      + "usual limit of what is felt as at once.")

  private static let ideasAtEqualMemory = Question(
    name: "ideas-at-equal-memory",
    text: "Reference counting, LRU, TTL and a cost-aware order at equal memory?",
    axis: "memory for the cache",
    rows: ["1 MB", "2 MB", "4 MB", "8 MB", "16 MB"].map { memory in
      Row(
        name: memory, scenario: "file-browser",
        settings: [
          ("cache.capacity-entities", "unlimited"), ("cache.maximum-queries", "unlimited"),
          ("cache.capacity-memory", memory),
        ])
    },
    columns: [
      Column(of: "lru"), Column(of: "refcount"), Column(of: "ttl"),
      Column(of: "spacedrive", settings: [("policy.limit", "hard")]),
      Column("gdsf", policy: "lru", settings: [("cache.eviction-order", "gdsf")]),
      Column(of: "no-cache"), Column(of: "unbounded"),
    ],
    figures: [Figure(.freshHitRatio)], form: .ranking,
    uncovered: "each idea at its best setting; here each has its usual one, and the memory.")

  private static let enoughCapacity = Question(
    name: "enough-capacity",
    text: "How much capacity is enough?",
    axis: "entities",
    rows: [
      "250", "500", "1000", "2000", "5000", "10000", "15000", "20000",
    ].map { entities in
      Row(
        name: entities, scenario: "file-browser",
        settings: [
          ("cache.maximum-queries", "unlimited"),
          ("cache.capacity-entities", "\(entities) entities"),
        ])
    },
    columns: [Column(of: "lru"), Column(of: "no-cache"), Column(of: "unbounded")],
    figures: [Figure(.freshHitRatio), Figure(.readWait), Figure(.bytesFetched)],
    form: .enough,
    uncovered:
      "libraries of another size: what is enough follows what people visit, not what there is.")

  private static let clientDefaults = Question(
    name: "client-defaults",
    text: "Which client's defaults cost most, and what would one changed line give it?",
    axis: "client",
    rows: [
      "relay", "tanstack", "graphcache", "apollo-client", "apollo-kotlin", "rtk-query", "swr",
    ].map { Row(name: $0, scenario: "file-browser", policy: $0) },
    columns: [
      Column("as it ships", policy: nil),
      Column(
        "serves what expired for 10 min more", policy: nil,
        settings: [("policy.stale-while-revalidate", "10 min")]),
      Column("lives 1 h", policy: nil, settings: [("policy.time-to-live", "1 h")]),
      Column(
        "holds 100 queries for 5 min", policy: nil,
        settings: [
          ("policy.release-buffer-queries", "100 queries"), ("policy.release-buffer-age", "5 min"),
        ]),
    ],
    figures: [Figure(.freshHitRatio)], form: .ranking, heedsLimits: false,
    uncovered: "options that a client has and the composition of a cache has not.")

  private static let usualLimits = Question(
    name: "usual-limits",
    text: "Do 10,000 entities or 5 minutes ever matter?",
    axis: "scenario",
    rows: [
      "file-browser", "photo-albums", "notes-week", "phone-week", "media-scroll",
      "search-as-you-type", "tagging-from-many-devices", "new-arrivals", "offline-folder",
      "index-storm",
    ].map { Row(name: $0, scenario: $0) },
    columns: [
      Column("as it is", policy: "spacedrive"),
      Column(
        "5,000", policy: "spacedrive", settings: [("cache.capacity-entities", "5000 entities")]),
      Column(
        "20,000", policy: "spacedrive", settings: [("cache.capacity-entities", "20000 entities")]),
      Column("1 min", policy: "spacedrive", settings: [("cache.time-to-live", "1 min")]),
      Column("1 h", policy: "spacedrive", settings: [("cache.time-to-live", "1 h")]),
    ],
    figures: [Figure(.freshHitRatio)], form: .effects,
    uncovered: "limits and times to live that depend on each other; one is changed at a time.")

  private static let waitAndMemory = Question(
    name: "wait-and-memory",
    text: "How long does a user wait for what a megabyte saves?",
    axis: "memory for the cache",
    rows: ["1 MB", "2 MB", "4 MB", "8 MB", "16 MB", "32 MB"].map { memory in
      Row(
        name: memory, scenario: "slow-link",
        settings: [
          ("cache.capacity-entities", "unlimited"), ("cache.maximum-queries", "unlimited"),
          ("cache.capacity-memory", memory),
        ])
    },
    columns: [Column(of: "lru"), Column(of: "unbounded")],
    figures: [Figure(.readWait), Figure(.bytesFetched)], form: .enough,
    uncovered: "links of another speed; the wait is that of slow-link's.")
}
