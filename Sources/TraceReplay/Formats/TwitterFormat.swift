import EvictionPolicies

extension TraceFormat {
  static let twitter = TraceFormat(
    name: "twitter",
    summary:
      "Twitter's cache traces: time, key, key size, value size, client, operation, TTL in s.",
    columns: .all, decoder: { CSVDecoder(.twitter, $0) },
    encoder: { _ in TwitterEncoder() })
}

extension ColumnProfile {
  /// The cache traces of Twitter: seven columns, no header, times in seconds.
  ///
  /// `get` and `gets` are gets, `delete` is a delete; the other commands of memcached write.
  ///
  /// Source: Yang et al., "A large scale analysis of hundreds of in-memory cache clusters at Twitter", OSDI
  /// 2020, and the description of github.com/twitter/cache-trace.
  static let twitter = ColumnProfile(
    format: "twitter", names: [:],
    fixed: [.time, .key, .keySize, .size, nil, .operation, .ttl])
}

/// Encodes one row per line; the client is 0.
struct TwitterEncoder: TraceEncoder {
  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    guard record.time % 1_000_000_000 == 0, record.lifetime % 1_000_000_000 == 0 else {
      throw .value("its time or lifetime is not a whole number of seconds")
    }
    guard record.operation != .update else {
      throw .value("it is an update, which memcached has no word for")
    }
    let field = try key.plainField()
    let keySize = Int(record.weight) > field.count ? field.count : 0
    bytes.append(contentsOf: "\(record.time / 1_000_000_000),".utf8)
    bytes.append(contentsOf: field)
    bytes.append(
      contentsOf: """
        ,\(keySize),\(Int(record.weight) - keySize),0,\(record.operation),\
        \(record.lifetime / 1_000_000_000)

        """.utf8)
  }
}
