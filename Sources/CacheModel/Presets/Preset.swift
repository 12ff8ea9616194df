/// A named policy.
public struct Preset: Sendable {
  public let name: String
  public let summary: String
  /// Returns the policy for an allowance, as far as the preset uses it.
  public let composition: @Sendable (Allowance) -> CachePolicy
  /// Whether the modelled client receives a server's events only if the app subscribes to them.
  ///
  /// The preset assumes that it does; ``withoutPush`` assumes that it does not.
  public internal(set) var needsSubscription = false

  /// The limits and times to live given to every preset of a comparison.
  public struct Allowance: Hashable, Sendable {
    public var capacity: Capacity
    public var maximumQueries: Int?
    /// Times to live, used by the presets that expire.
    public var freshness: Freshness
    public var reorderWindow: Duration
    /// The methods that list directories, for the preset whose lists an index job makes stale.
    public var directoryMethods: [QueryMethod]

    public init(
      capacity: Capacity, maximumQueries: Int?, freshness: Freshness,
      reorderWindow: Duration = .milliseconds(200), directoryMethods: [QueryMethod] = []
    ) {
      self.capacity = capacity
      self.maximumQueries = maximumQueries
      self.freshness = freshness
      self.reorderWindow = reorderWindow
      self.directoryMethods = directoryMethods
    }
  }

  /// All presets in the order of reports: pure ideas and the design's own, shipped clients, bounds.
  public static let all: [Preset] = ideas + shippedClients + bounds

  private static let ideas: [Preset] = [
    Preset(
      name: "lru",
      summary: "Least recently used order, no retention, nothing expires."
    ) {
      CachePolicy(
        evictionOrder: "lru", capacity: $0.capacity, limit: .hard, retention: .none,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow,
        maximumQueries: $0.maximumQueries)
    },
    // The design document counts the cached queries that list an entity.
    Preset(
      name: "refcount",
      summary: "Keeps rows while a cached query lists them; drops queries beyond the limit."
    ) {
      CachePolicy(
        evictionOrder: "lru", capacity: $0.capacity, limit: .hard, retention: .referenceCount,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow,
        maximumQueries: $0.maximumQueries)
    },
    Preset(
      name: "refcount-observed",
      summary:
        "Keeps rows while an observed query lists them; drops unobserved queries immediately."
    ) {
      CachePolicy(
        evictionOrder: "lru", capacity: $0.capacity, limit: .hard,
        retention: .referenceCountObserved, freshness: .neverExpires,
        reorderWindow: $0.reorderWindow,
        maximumQueries: $0.maximumQueries)
    },
    Preset(
      name: "ttl",
      summary: "First in first out, no retention, time to live per query, expired queries dropped."
    ) {
      var freshness = $0.freshness
      freshness.dropsExpired = true
      return CachePolicy(
        evictionOrder: "fifo", capacity: $0.capacity, limit: .hard, retention: .none,
        freshness: freshness, reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
    },
    Preset(
      name: "spacedrive",
      summary:
        "Least recently used order that spares rows of cached queries, time to live per query."
    ) {
      CachePolicy(
        evictionOrder: "lru", capacity: $0.capacity, retention: .cached, freshness: $0.freshness,
        batchRules: $0.directoryMethods.isEmpty
          ? [:] : [.index: BatchRule(staleMethods: $0.directoryMethods)],
        reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries,
        storage: DiskStorage())
    },
  ]

  /// The names of bounds, which are never shipped; including those under the limits of a comparison.
  package static let namesOfBounds = bounds.flatMap { [$0.name, $0.name + limitSuffix] }

  private static let bounds: [Preset] = [
    Preset(name: "no-cache", summary: "Bound: keeps nothing, fetches everything.") {
      CachePolicy(
        evictionOrder: "lru", capacity: Capacity(entities: 0), retention: .none,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow, maximumQueries: 0)
    },
    Preset(
      name: "clairvoyant",
      summary: "Bound, an estimate: holds what is on screen, evicts what a dry run reads last."
    ) {
      CachePolicy(
        evictionOrder: "clairvoyant", capacity: $0.capacity, retention: .observed,
        freshness: .neverExpires, reorderWindow: $0.reorderWindow,
        maximumQueries: $0.maximumQueries, storage: DiskStorage(maximumBytes: nil))
    },
    Preset(name: "unbounded", summary: "Bound: keeps everything, nothing expires.") {
      CachePolicy(
        evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
        reorderWindow: $0.reorderWindow, maximumQueries: nil,
        storage: DiskStorage(maximumBytes: nil))
    },
  ]

  /// Returns the preset with a name, also at the common limits, `relay@limit`, or of a client without push,
  /// `relay@no-push`.
  public static func named(_ name: String) -> Preset? {
    if let preset = all.first(where: { $0.name == name }) { return preset }
    for suffix in [limitSuffix, noPushSuffix] where name.hasSuffix(suffix) {
      let own = name.dropLast(suffix.count)
      let preset = all.first { $0.name == own }
      return suffix == limitSuffix ? preset?.atCommonLimits : preset?.withoutPush
    }
    return nil
  }

  /// Every name that ``named(_:)`` accepts.
  public static var names: [String] {
    all.map(\.name) + all.map { $0.name + limitSuffix }
      + all.filter(\.needsSubscription).map { $0.name + noPushSuffix }
  }

  // MARK: Push

  /// The suffix of a client's preset without push.
  public static let noPushSuffix = "@no-push"

  /// The client without subscriptions: no events and no heartbeats; `nil` for a preset that needs no
  /// subscription.
  public var withoutPush: Preset? {
    guard needsSubscription else { return nil }
    return Preset(
      name: name + Self.noPushSuffix, summary: "The preset \(name) in an app without subscriptions."
    ) { allowance in
      var composition = composition(allowance)
      composition.takesEvents = false
      return composition
    }
  }

  // MARK: Limits

  /// The suffix of a preset at the common limits.
  public static let limitSuffix = "@limit"

  /// The preset with the limits of the comparison, whatever its own.
  ///
  /// The preset itself, with its own limits (usually none), describes what a client does by default; this one
  /// compares ideas under one limit. If both have a limit, the lower one applies.
  public var atCommonLimits: Preset {
    Preset(
      name: name + Self.limitSuffix, summary: "The preset \(name) under the scenario's limits."
    ) { allowance in
      var composition = composition(allowance)
      composition.capacity = composition.capacity.narrowed(to: allowance.capacity)
      composition.maximumQueries = lower(composition.maximumQueries, allowance.maximumQueries)
      composition.limit = .hard
      return composition
    }
  }
}

extension Capacity {
  /// Returns the lower of each limit; the watermarks are the other's.
  fileprivate func narrowed(to other: Capacity) -> Capacity {
    var both = other
    both.entities = lower(entities, other.entities)
    both.bytes = lower(bytes, other.bytes)
    both.memory = lower(memory, other.memory)
    return both
  }
}

/// Returns the lower of two limits; `nil` is none.
private func lower(_ one: Int?, _ other: Int?) -> Int? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}
