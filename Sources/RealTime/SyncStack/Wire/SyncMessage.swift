package import FoundationEssentials

/// One line between the sync server and those who speak to it: a JSON object that names its kind.
///
/// Files travel as ``WireMessage/Resource``; `intended`, `sent` and `published` are nanoseconds of
/// ``MonotonicClock``, so they mean the same in every process of one machine.
package enum SyncMessage: Sendable {
  /// The first line of a client or device.
  case hello(Hello)
  /// The server's answer to a hello.
  case welcome(Welcome)
  /// A client asks for a directory's files.
  case query(Query)
  /// The answer to a query.
  case rows(Rows)
  /// A device changes files.
  case mutation(Mutation)
  /// The server has given a mutation its place.
  case accepted(Accepted)
  /// What a mutation changed, as subscribers are told.
  case event(WireMessage)
  /// How far the stream has come; subscribers are told regularly.
  case heartbeat(Heartbeat)
  /// Something cannot be done. With an `id` it answers that request; without, the connection ends.
  case failure(Failure)
  /// The last line of a connection that ends in order.
  case bye

  /// The version of the protocol that this build speaks.
  package static let version = 1

  package enum Role: String, Codable, Sendable {
    /// Is told every event and heartbeat, asks queries.
    case subscriber
    /// Sends mutations; is told only what became of them.
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
    /// Names the mutation, and the event that it becomes.
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
