/// A form in which traces of keys are recorded.
package struct TraceFormat: Sendable {
  package let name: String
  package let summary: String
  /// File name endings, without the dot, that suggest it; a hint, never a decision.
  package let extensions: [String]
  let makeDecoder: @Sendable (TraceLimits) -> any TraceDecoder
}

/// Every trace format.
///
/// Help, `list formats` and the tests read this array.
package enum TraceFormats {
  package static let all: [TraceFormat] = [
    TraceFormat(
      name: "text", summary: "One key per line, any bytes; blank lines are skipped.",
      extensions: ["txt", "trace", "lis"],
      makeDecoder: { TextDecoder(limits: $0) }),
    TraceFormat(
      name: "be32", summary: "One big-endian 32-bit integer per request.",
      extensions: ["trc", "be32"],
      makeDecoder: { _ in BinaryDecoder(layout: .be32) }),
    TraceFormat(
      name: "be64", summary: "One big-endian 64-bit integer per request.",
      extensions: ["be64"],
      makeDecoder: { _ in BinaryDecoder(layout: .be64) }),
    TraceFormat(
      name: "oracle-general",
      summary: "libCacheSim's 24-byte records: time, object, size, next access; the object counts.",
      extensions: ["oracleGeneral", "bin"],
      makeDecoder: { _ in BinaryDecoder(layout: .oracleGeneral) }),
    TraceFormat(
      name: "csv",
      summary:
        "RFC 4180 with a header; the column named key, id or object counts, every row a read.",
      extensions: ["csv"],
      makeDecoder: { CSVDecoder(limits: $0) }),
  ]

  package static func named(_ name: String) -> TraceFormat? {
    all.first { $0.name == name }
  }
}

/// Turns the bytes of one format into keys, in chunks of any size.
protocol TraceDecoder: Sendable {
  mutating func consume(_ bytes: Span<UInt8>, into keys: inout KeyInterner) throws(TraceError)
  /// The input has ended: what is pending is a whole last record, or an error.
  mutating func finish(into keys: inout KeyInterner) throws(TraceError)
}

/// What a reader accepts before it gives up.
package struct TraceLimits: Hashable, Sendable {
  /// The longest key, in bytes.
  package var keyBytes: Int
  /// The longest CSV record, in bytes, quotes included.
  package var recordBytes: Int
  /// The most requests; each takes four bytes of memory.
  package var requests: Int

  package init(
    keyBytes: Int = 4096, recordBytes: Int = 65_536, requests: Int = 2_000_000_000
  ) {
    self.keyBytes = keyBytes
    self.recordBytes = recordBytes
    self.requests = requests
  }

  package static let standard = TraceLimits()
}
