/// What the cache costs in memory, counted by the allocator in a process that is not timed.
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
    "How far resident_weight is from cache_total_bytes, as a share of the latter.")
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
