/// A named composition.
public struct Preset: Sendable {
  public let name: String
  public let summary: String
  /// The composition at a common capacity, so that all of a comparison are held to one limit.
  public let composition: @Sendable (Allowance) -> PolicyComposition

  /// What every preset of one comparison is given.
  public struct Allowance: Hashable, Sendable {
    public var capacity: Capacity
    public var maximumQueries: Int?
    /// Times to live, used by the presets that expire.
    public var freshness: Freshness
    public var reorderWindow: Duration

    public init(
      capacity: Capacity, maximumQueries: Int?, freshness: Freshness,
      reorderWindow: Duration = .milliseconds(200)
    ) {
      self.capacity = capacity
      self.maximumQueries = maximumQueries
      self.freshness = freshness
      self.reorderWindow = reorderWindow
    }
  }

  /// All presets, in the order in which reports list them: pure ideas and the design's own, shipped
  /// clients, bounds.
  public static let all: [Preset] = ideas + shippedClients + bounds

  private static let ideas: [Preset] = [
    Preset(
      name: "lru",
      summary: "Least recently used order, no retention, nothing expires."
    ) {
      PolicyComposition(
        evictionOrder: "lru", capacity: $0.capacity, retention: .none, freshness: .neverExpires,
        reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
    },
    Preset(
      name: "refcount",
      summary: "Kept while a query lists it; unobserved queries are dropped at once."
    ) {
      PolicyComposition(
        evictionOrder: "lru", capacity: $0.capacity, retention: .referenceCount,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow,
        maximumQueries: $0.maximumQueries)
    },
    Preset(
      name: "ttl",
      summary: "First in first out, no retention, time to live per method, expired queries dropped."
    ) {
      var freshness = $0.freshness
      freshness.dropsExpired = true
      return PolicyComposition(
        evictionOrder: "fifo", capacity: $0.capacity, retention: .none, freshness: freshness,
        reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
    },
    Preset(
      name: "spacedrive",
      summary:
        "Least recently used order sparing what cached queries list, time to live per method."
    ) {
      PolicyComposition(
        evictionOrder: "lru", capacity: $0.capacity, retention: .cached, freshness: $0.freshness,
        reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
    },
  ]

  private static let bounds: [Preset] = [
    Preset(name: "no-cache", summary: "Bound: keeps nothing, fetches everything.") {
      PolicyComposition(
        evictionOrder: "lru", capacity: Capacity(entities: 0), retention: .none,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow, maximumQueries: 0)
    },
    Preset(
      name: "clairvoyant",
      summary: "Bound, an estimate: holds what is on screen, evicts what a rehearsal reads last."
    ) {
      PolicyComposition(
        evictionOrder: "clairvoyant", capacity: $0.capacity, retention: .observed,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow,
        maximumQueries: $0.maximumQueries)
    },
    Preset(name: "unbounded", summary: "Bound: keeps everything, nothing expires.") {
      PolicyComposition(
        evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
        reorderWindow: $0.reorderWindow, maximumQueries: nil)
    },
  ]

  public static func named(_ name: String) -> Preset? {
    all.first { $0.name == name }
  }
}
