/// What one end of a connection holds against the other.
package enum SyncProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownKind(String)
  case malformed(String)
  case lineTooLong(limit: Int)
  case lineTooSlow(seconds: Double)
  case noHello(seconds: Double)
  case silent(seconds: Double)
  case version(theirs: Int, ours: Int)
  /// A message that this end does not take, at least not now.
  case unexpected(String)
  case notReading(limit: Int)
  case tooManyConnections(limit: Int)
  /// The other end ended the connection and said why.
  case refused(String)
  case closed
  case unreachable(String)

  package var description: String {
    switch self {
    case .unknownKind(let kind):
      "no message is of kind \"\(kind)\"; protocol version \(SyncMessage.version) does not know it"
    case .malformed(let detail): "the line is no message: \(detail)"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes"
    case .lineTooSlow(let seconds):
      "the line did not end within \(seconds) s of its first byte"
    case .noHello(let seconds): "no hello came within \(seconds) s"
    case .silent(let seconds): "nothing came for \(seconds) s, not even a heartbeat"
    case .version(let theirs, let ours):
      "the hello speaks version \(theirs), this end speaks \(ours); run both from one build"
    case .unexpected(let message): "\(message) was not expected here"
    case .notReading(let limit): "more than \(limit) bytes wait to be read"
    case .tooManyConnections(let limit): "the server holds \(limit) connections already"
    case .refused(let reason): "the other end refused: \(reason)"
    case .closed: "the connection was closed"
    case .unreachable(let endpoint): "no answer from \(endpoint); the sync server is gone"
    }
  }
}
