import CacheModel
package import FoundationEssentials
import Processes

/// One line between the sync server and its clients: a JSON object that names its kind.
///
/// Files are encoded as ``WireMessage/Resource``; `intended`, `sent` and `published` are nanoseconds of
/// ``MonotonicClock``, which is the same for all processes of one machine.
package enum SyncMessage: Sendable {
  /// The first line of a client or device.
  case hello(Hello)
  /// The server's answer to a hello.
  case welcome(Welcome)
  /// A client's request for a directory's files.
  case query(Query)
  /// The answer to a query.
  case rows(Rows)
  /// A device's change of files.
  case mutation(Mutation)
  /// The confirmation of a mutation with its position.
  case accepted(Accepted)
  /// The changes of a mutation, for subscribers.
  case event(WireMessage)
  /// The position of the stream, sent to subscribers regularly.
  case heartbeat(Heartbeat)
  /// An error. With an `id` it answers that request; without, the connection ends.
  case failure(Failure)
  /// The last line of a connection that ends in order.
  case bye

  /// The protocol version of this build.
  package static let version = 1

  package enum Role: String, Codable, Sendable {
    /// Receives every event and heartbeat, and sends queries.
    case subscriber
    /// Sends mutations; receives only their results.
    case device
  }

  package struct Hello: Codable, Hashable, Sendable {
    package var version: Int
    package var role: Role
    package var name: String
  }

  package struct Welcome: Codable, Hashable, Sendable {
    package var version: Int
    package var library: UUID
    package var epoch: UInt32
    package var sequence: UInt64
  }

  package struct Query: Codable, Hashable, Sendable {
    package var id: UInt64
    package var directory: UUID
  }

  package struct Rows: Codable, Hashable, Sendable {
    package var id: UInt64
    package var epoch: UInt32
    package var sequence: UInt64
    package var resources: [WireMessage.Resource]
  }

  package struct Mutation: Codable, Hashable, Sendable {
    /// The identifier of the mutation, and of its event.
    package var token: UUID
    package var intended: Int64
    package var sent: Int64
    package var device: UInt64
    package var files: [FilePayload]
  }

  package struct Accepted: Codable, Hashable, Sendable {
    package var token: UUID
    package var sequence: UInt64
  }

  package struct Heartbeat: Codable, Hashable, Sendable {
    package var library: UUID
    package var epoch: UInt32
    package var sequence: UInt64
  }

  package struct Failure: Codable, Hashable, Sendable {
    package var id: UInt64?
    package var reason: String
  }
}

extension SyncMessage: Codable {
  private enum Key: CodingKey { case kind }

  /// - Throws: ``SyncProtocolError/unknownKind(_:)``, or `DecodingError`.
  package init(from decoder: any Decoder) throws {
    let kind = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .kind)
    // Nearly all lines are events.
    if WireMessage.Kind(rawValue: kind) != nil {
      self = .event(try WireMessage(from: decoder))
      return
    }
    switch kind {
    case "hello": self = .hello(try Hello(from: decoder))
    case "welcome": self = .welcome(try Welcome(from: decoder))
    case "query": self = .query(try Query(from: decoder))
    case "rows": self = .rows(try Rows(from: decoder))
    case "mutation": self = .mutation(try Mutation(from: decoder))
    case "accepted": self = .accepted(try Accepted(from: decoder))
    case "heartbeat": self = .heartbeat(try Heartbeat(from: decoder))
    case "failure": self = .failure(try Failure(from: decoder))
    case "bye": self = .bye
    default: throw SyncProtocolError.unknownKind(String(kind.prefix(64)))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .kind)
    try parts.content?.encode(to: encoder)
  }

  /// Its name in errors, and the value of `kind`.
  var name: String { parts.name }

  private var parts: (name: String, content: (any Encodable)?) {
    switch self {
    case .hello(let content): ("hello", content)
    case .welcome(let content): ("welcome", content)
    case .query(let content): ("query", content)
    case .rows(let content): ("rows", content)
    case .mutation(let content): ("mutation", content)
    case .accepted(let content): ("accepted", content)
    case .event(let content): (content.kind.rawValue, content)
    case .heartbeat(let content): ("heartbeat", content)
    case .failure(let content): ("failure", content)
    case .bye: ("bye", nil)
    }
  }
}

/// Decodes messages from lines.
///
/// It has a JSON decoder, so each task needs its own.
package struct SyncDecoder {
  private let decoder = JSONDecoder()

  package init() {
    decoder.dateDecodingStrategy = .iso8601
  }

  /// Decodes one line.
  ///
  /// - Parameter line: the line without its terminator.
  /// - Returns: the message.
  /// - Throws: ``SyncProtocolError``.
  package func message(from line: Data) throws(SyncProtocolError) -> SyncMessage {
    do {
      return try decoder.decode(SyncMessage.self, from: line)
    } catch let error as SyncProtocolError {
      throw error
    } catch let error as DecodingError {
      throw .malformed(Self.explanation(of: error))
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// Returns the error and its location in one short line: a hostile line must not fill a log.
  private static func explanation(of error: DecodingError) -> String {
    let (what, context): (String, DecodingError.Context) =
      switch error {
      case .typeMismatch(let type, let context): ("a value is no \(type)", context)
      case .valueNotFound(let type, let context): ("a \(type) is null", context)
      case .keyNotFound(let key, let context): ("\"\(key.stringValue)\" is missing", context)
      case .dataCorrupted(let context): ("it is not JSON that this version can read", context)
      @unknown default: ("it cannot be decoded", .init(codingPath: [], debugDescription: ""))
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return String((path.isEmpty ? what : "\(what), at \(path)").prefix(200))
  }
}

/// Encodes messages as lines.
///
/// It has a JSON encoder, so each task needs its own.
package struct SyncEncoder {
  private let encoder = JSONEncoder()

  package init() {
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.withoutEscapingSlashes]
  }

  /// Returns the message with a line terminator.
  ///
  /// - Throws: the JSON encoder's error, such as for a number that JSON cannot represent.
  package func line(of message: SyncMessage) throws -> Data {
    var line = try encoder.encode(message)
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

/// An error of the peer.
package enum SyncProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownKind(String)
  case malformed(String)
  case lineTooLong(limit: Int)
  case silent(seconds: Double)
  case version(theirs: Int, ours: Int)
  /// A message that this end does not accept, at least in its present state.
  case unexpected(String)
  /// The peer ended the connection with a reason.
  case refused(String)
  case closed
  case unreachable(String)

  package var description: String {
    switch self {
    case .unknownKind(let kind):
      "no message is of kind \"\(kind)\"; protocol version \(SyncMessage.version) does not know it"
    case .malformed(let detail): "the line is not a message: \(detail)"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes"
    case .silent(let seconds): "nothing came for \(seconds) s, not even a heartbeat"
    case .version(let theirs, let ours):
      "the hello speaks version \(theirs), this end speaks \(ours); run both from one build"
    case .unexpected(let message): "\(message) was not expected here"
    case .refused(let reason): "the other end refused: \(reason)"
    case .closed: "the connection was closed"
    case .unreachable(let endpoint): "no answer from \(endpoint); the sync server is gone"
    }
  }
}

extension FileLibrary {
  /// Returns an event that changes files, as a server sends it.
  ///
  /// - Parameters:
  ///   - index: the number of events before it; the files have the next revision.
  ///   - files: at least one.
  /// - Returns: the event, without stamps.
  package func message(index: Int, files: [Int]) -> WireMessage {
    let revision = index + 1
    let version = Self.version(ofRevision: revision)
    return WireMessage(
      id: payload(ofFile: files[0], revision: 0).id,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(index)),
      libraryID: libraryUUID, epoch: 1, sequence: UInt64(revision),
      kind: files.count == 1 ? .resourceChanged : .resourceBatchChanged,
      resources: files.map {
        .init(
          clock: version.clock, device: version.device,
          value: payload(ofFile: $0, revision: revision))
      })
  }
}
