/// Where a trace that a table of expected misses names is found.
package struct TraceSource: Hashable, Sendable {
  package enum Compression: String, Hashable, Sendable {
    case gzip, xz
  }

  /// What the table calls it.
  package var name: String
  /// The file, within the folder of traces.
  package var fileName: String
  package var compression: Compression
  /// A name in ``TraceFormats``.
  package var format: String

  /// Maps the name in the table to a file: `lirs_X` to `X.trace.gz`, `cache2k_X` to `X.trace.xz`.
  ///
  /// `nil` for any other name, and for one that would leave the folder.
  package init?(tableName: String) {
    func stem(after prefix: String) -> String? {
      guard tableName.hasPrefix(prefix) else { return nil }
      let stem = tableName.dropFirst(prefix.count)
      let isPlain = stem.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
      return isPlain && !stem.isEmpty ? String(stem) : nil
    }
    name = tableName
    if let stem = stem(after: "lirs_") {
      fileName = "\(stem).trace.gz"
      compression = .gzip
      format = "lirs"
    } else if let stem = stem(after: "cache2k_") {
      fileName = "\(stem).trace.xz"
      compression = .xz
      format = "be32"
    } else {
      return nil
    }
  }
}
