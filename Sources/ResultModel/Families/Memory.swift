/// The cache's heap memory, counted by the allocator in a process that is not timed.
extension Metric {
  package static let bytesPerEntity = allocation(
    "bytes_per_entity", .bytesPerEntity,
    "Slope of allocated bytes between N and 2N resident entities.",
    not: "cache_total_bytes / N, which also divides what does not grow with N.")
  package static let payloadBytesPerEntity = allocation(
    "payload_bytes_per_entity", .bytesPerEntity,
    "Slope of the bytes of the typed values alone, between N and 2N entities.")
  package static let overheadBytesPerEntity = allocation(
    "overhead_bytes_per_entity", .bytesPerEntity,
    "Slope of everything but the typed values: bytes_per_entity less payload_bytes_per_entity.")
  package static let cacheTotalBytes = allocation(
    "cache_total_bytes", .bytes,
    "Bytes allocated by a filled cache, less the bytes allocated before it was made.",
    not: "resident_weight, which knows nothing of overhead and size classes.")
  package static let activeBytes = allocation(
    "active_bytes", .bytes, "Bytes of the pages in which the allocator has live objects.")
  package static let weightErrorShare = allocation(
    "weight_error_share", .ratio,
    "How far resident_weight is from cache_total_bytes, as a share of it.")
  package static let bytesAfterClose = allocation(
    "bytes_after_close", .bytes,
    "Bytes still allocated once a filled cache was let go, less those before it was made.")
  package static let orderBytesPerEntity = allocation(
    "order_bytes_per_entity", .bytesPerEntity,
    "Slope of allocated bytes between N and 2N entities, of an eviction order without a cache.",
    not: "overhead_bytes_per_entity, which has all tables of a cache.")
  package static let storeBytes = allocation(
    "store_bytes", .bytes,
    "Bytes of the entities of a cache at its peak: values, tables, and what its policy keeps of each.",
    not: "query_index_bytes, which together with these are cache_total_bytes.")
  package static let queryIndexBytes = allocation(
    "query_index_bytes", .bytes,
    "Bytes of the queries of a cache at its peak, counted by its tables: lists, keys, reverse index."
  )
  package static let storeBytesPerEntity = allocation(
    "store_bytes_per_entity", .bytesPerEntity,
    "Bytes of store_bytes for each entity that was resident at the peak.",
    not: "bytes_per_entity, a slope, in which what does not grow with the population cancels out."
  )
  package static let countErrorShare = allocation(
    "count_error_share", .ratio,
    "How far store_bytes and query_index_bytes together are from cache_total_bytes, as a share of it."
  )
  package static let bytesPerObserver = allocation(
    "bytes_per_observer", .bytes,
    "Slope of allocated bytes between as many observers and twice as many, callbacks included.")
  package static let predictionErrorShare = allocation(
    "prediction_error_share", .ratio,
    "How far predicted_bytes is from what the allocator counts at the peak, as a share of it.")

  private static func allocation(
    _ name: String, _ unit: MetricUnit, _ definition: String, not: String? = nil
  ) -> Metric {
    Metric(
      name: name, unit: unit, polarity: .lowerIsBetter, noiseClass: .counted,
      definition: definition, notComparableWith: not)
  }
}

extension MetricRegistry {
  static let memory: [Metric] = [
    .bytesPerEntity, .payloadBytesPerEntity, .overheadBytesPerEntity, .cacheTotalBytes,
    .activeBytes, .weightErrorShare, .bytesAfterClose, .orderBytesPerEntity, .storeBytes,
    .queryIndexBytes, .storeBytesPerEntity, .countErrorShare, .bytesPerObserver,
    .predictionErrorShare,
  ]
}

/// The use of limits, and evictions for space.
extension Metric {
  public static let residentEntities = Metric(
    name: "resident_entities", unit: .count, polarity: .neutral, noiseClass: .exact,
    statistics: [.peak, .mean],
    definition: "Entities held by the cache, over virtual time.")
  public static let residentWeight = Metric(
    name: "resident_weight", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.peak, .mean],
    definition: "Weight of the entities held by the cache, over virtual time.",
    notComparableWith:
      "cache_total_bytes: weight is the payload's captured size, without the cache's overhead.")
  public static let predictedBytes = Metric(
    name: "predicted_bytes", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.peak],
    definition:
      "Memory of the whole cache, tables and values, as its layout and peak content give it.",
    notComparableWith:
      "cache_total_bytes, which is counted by the allocator and of typed values.")
  public static let cachedQueries = Metric(
    name: "cached_queries", unit: .count, polarity: .neutral, noiseClass: .exact,
    statistics: [.peak], definition: "Queries held by the query index, over virtual time.")
  public static let overLimit = Metric(
    name: "over_limit", unit: .ratio, polarity: .neutral, noiseClass: .exact,
    statistics: [.peak],
    definition:
      "Use of a limit divided by that limit, the highest after any commit; above 1 it was exceeded.",
    notComparableWith:
      "The watermarks, which are shares of a limit. Without a limit of its own: of the scenario's."
  )
  public static let evictions = Metric(
    name: "evictions", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Entities removed to make space, and for no other cause.",
    notComparableWith: "Removals by expiry, invalidation, release or deletion.")
  public static let admissionRejections = Metric(
    name: "admission_rejections", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition:
      "Arrivals that a full cache turned away; absent under an admission that cannot reject.",
    notComparableWith: "Misses, since what is turned away was fetched or pushed all the same.")
  public static let retainedOverflow = Metric(
    name: "retained_overflow", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition: "Insertions that went over capacity because all else was retained.")
}

extension MetricRegistry {
  static let residency: [Metric] = [
    .residentEntities, .residentWeight, .predictedBytes, .cachedQueries, .overLimit, .evictions,
    .admissionRejections, .retainedOverflow,
  ]
}

/// The content of a cache after a relaunch of the app, or without a link.
extension Metric {
  public static let relaunches = Metric(
    name: "relaunches", unit: .count, polarity: .neutral, noiseClass: .exact,
    definition: "Ends of a client's process after each of which another began, warm-up included.")
  public static let coldStartHitRatio = Metric(
    name: "cold_start_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    definition:
      "Share served without waiting of a process's first reads of what a former one had read.",
    notComparableWith:
      "hit_ratio: of all reads of the user's, while views shown again count here too.")
  public static let diskBytes = Metric(
    name: "disk_bytes", unit: .bytes, polarity: .lowerIsBetter, noiseClass: .exact,
    statistics: [.peak, .mean],
    definition:
      "Bytes of the rows in a client's storage, as a table would hold them, or of a design's files."
  )
  public static let diskWrites = Metric(
    name: "disk_writes", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact,
    definition:
      "Rows of entities and queries written to the clients' storages, or files of a design.")
  public static let files = Metric(
    name: "files", unit: .count, polarity: .lowerIsBetter, noiseClass: .exact, statistics: [.peak],
    definition: "Files of a client's cache.")
  public static let memoryHits = Metric(
    name: "memory_hits", unit: .count, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition: "Hits of a design with two tiers that its memory answered.")
  public static let diskHits = Metric(
    name: "disk_hits", unit: .count, polarity: .neutral, noiseClass: .exact, isOfReads: true,
    definition:
      "Hits of a design with two tiers that its disk answered, after the time of a read there.",
    notComparableWith: "memory_hits: these reads waited, for the disk and not for the server.")
  public static let offlineHitRatio = Metric(
    name: "offline_hit_ratio", unit: .ratio, polarity: .higherIsBetter, noiseClass: .exact,
    isOfReads: true,
    definition:
      "Share served, fresh or stale, of reads while the link is down; class `tagged`: of what users marked to be kept.",
    notComparableWith: "hit_ratio, which is of all reads, most of them with a link.")
}

extension MetricRegistry {
  static let relaunching: [Metric] = [
    .relaunches, .coldStartHitRatio, .diskBytes, .diskWrites, .files, .memoryHits, .diskHits,
    .offlineHitRatio,
  ]
}
