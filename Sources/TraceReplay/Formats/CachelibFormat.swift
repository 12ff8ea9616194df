import EvictionPolicies

extension TraceFormat {
  static let cachelib = TraceFormat(
    name: "cachelib",
    summary: "CacheLib's CSV: key, op, size, op_count, key_size, op_time, ttl, found by name.",
    columns: .all, namesColumns: true, decoder: { CSVDecoder(.cachelib, $0) },
    encoder: { CachelibEncoder(columns: $0) })
}

extension ColumnProfile {
  /// The key-value traces of CacheLib: a row represents `op_count` equal operations, and an entity's weight
  /// is that of its value and its key.
  ///
  /// GET_LEASE is a get, SET_LEASE a set. A size of 0, as in a get that missed, is unknown.
  ///
  /// Source: CacheLib's user guide, "Cachebench: FB hardware and workloads" (kvcache traces).
  static let cachelib = ColumnProfile(
    format: "cachelib",
    names: [
      .key: ["key"], .operation: ["op"], .size: ["size"], .count: ["op_count"],
      .keySize: ["key_size"], .time: ["op_time"], .ttl: ["ttl"],
    ])
}

/// Encodes a row per line, with the key's length subtracted from the size.
struct CachelibEncoder: TraceEncoder {
  var columns: TraceColumns

  var header: [UInt8] {
    Array(
      ("key,op,size,op_count,key_size" + (columns.contains(.times) ? ",op_time" : "")
        + (columns.contains(.lifetimes) ? ",ttl" : "") + "\n").utf8)
  }

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    let name: String
    switch record.operation {
    case .get: name = "GET"
    case .set: name = "SET"
    case .delete: name = "DELETE"
    case .update: throw .value("it is an update, which CacheLib has no word for")
    }
    let field = try key.plainField()
    bytes.append(contentsOf: field)
    // A key longer than the total was renamed during conversion: the size includes all of it.
    let keySize = Int(record.weight) > field.count ? field.count : 0
    bytes.append(contentsOf: ",\(name),\(Int(record.weight) - keySize),1,\(keySize)".utf8)
    if columns.contains(.times) {
      bytes.append(UInt8(ascii: ","))
      CSVEncoder.append(seconds: record.time, to: &bytes)
    }
    if columns.contains(.lifetimes) {
      bytes.append(UInt8(ascii: ","))
      CSVEncoder.append(seconds: record.lifetime, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
