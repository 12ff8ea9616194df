/// Where a sync server listens.
package enum SyncEndpoint: Hashable, Sendable, LosslessStringConvertible {
  case unix(path: String)
  /// Port 0 lets the system choose.
  case tcp(host: String, port: Int)

  /// The longest path that the address of a Unix socket holds on every system, in bytes.
  package static let longestPath = 103

  /// Reads `unix:PATH` or `tcp:HOST:PORT`.
  package init?(_ description: String) {
    let parts = description.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "unix":
      guard parts[1].utf8.count <= Self.longestPath else { return nil }
      self = .unix(path: String(parts[1]))
    case "tcp":
      guard let colon = parts[1].lastIndex(of: ":"),
        let port = Int(parts[1][parts[1].index(after: colon)...]), (0...65_535).contains(port)
      else { return nil }
      self = .tcp(host: String(parts[1][..<colon]), port: port)
    default:
      return nil
    }
  }

  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): "tcp:\(host):\(port)"
    }
  }
}
