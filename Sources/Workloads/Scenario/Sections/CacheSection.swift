package import CacheModel

/// The cache under test: what all policies of a comparison share.
///
/// Limits, times to live and the windows after them are handed to every preset. A choice on any other
/// axis that is given here replaces that of every preset but the bounds.
package struct CacheSection: Hashable, Sendable {
  package var capacityEntities: Int? = 10_000
  package var capacityBytes: Int?
  package var capacityMemory: Int?
  /// What becomes of what is retained where a limit is exceeded; `nil`: what each preset does.
  package var limit: LimitKind?
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
  /// For how long after its expiry a result is served while it is fetched again.
  package var staleWhileRevalidate = Duration.zero
  /// For how long after its expiry a result is served when the fetch fails.
  package var staleIfError = Duration.zero
  package var evictionOrder: String?
  package var admission: String?
  package var retention: Retention?
  package var releaseBufferQueries: Limit<Int>?
  package var releaseBufferAge: Limit<Duration>?
  package var releaseBufferReads: ReleaseBuffer.Reads?
  package var timeToLiveFrom: Freshness.Start?
  package var dropsExpired: Bool?
  package var eventAdmission: EventAdmission?
  package var membership: Membership?
  package var batches: [EventOrigin: BatchChoices] = [:]
  package var gapResponse: GapResponse?
  package var coalescingWindow: Duration?
  package var pollInterval: Limit<Duration>?
  /// Whether what is held outlives the process; `nil`: what each preset does.
  package var storage: Bool?
  package var diskBytes: Limit<Int>?
  package var flushWindow: Duration?
  /// Whether the server's events reach the cache, where it pushes any.
  package var events: NetworkSection.Events?
  /// Fields of other designs that were given, by name.
  package var design: [String: DesignValue] = [:]

  package init() {}

  /// A limit that was given: a value, or that there is none.
  package struct Limit<Value: Hashable & Sendable>: Hashable, Sendable {
    /// `nil`: unlimited.
    package var value: Value?

    package init(_ value: Value?) {
      self.value = value
    }
  }

  package var capacity: Capacity {
    Capacity(
      entities: capacityEntities, bytes: capacityBytes, memory: capacityMemory,
      highWatermark: highWatermark, lowWatermark: lowWatermark)
  }

  package var freshness: Freshness {
    var perMethod: [QueryMethod: Duration] = [:]
    for kind in timeToLivePerMethod.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      perMethod[kind.method] = timeToLivePerMethod[kind]
    }
    return Freshness(
      timeToLive: timeToLive, perMethod: perMethod, staleWhileRevalidate: staleWhileRevalidate,
      staleIfError: staleIfError)
  }

  /// What a preset is given for an app with some data.
  package func allowance(for model: DataModel) -> Preset.Allowance {
    let directories = model.shapes.indices.filter { model.shapes[$0].isNested }
    return Preset.Allowance(
      capacity: capacity, maximumQueries: maximumQueries, freshness: freshness,
      reorderWindow: reorderWindow,
      directoryMethods: directories.map { DataModel.kind(ofShape: $0).method })
  }
}
