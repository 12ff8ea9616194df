extension SyncMessage: Codable {
  /// The value of `kind`; an event has the kinds of ``WireMessage`` instead.
  private enum Kind: String {
    case hello, welcome, query, rows, mutation, accepted, heartbeat, failure, bye
  }

  private enum Key: CodingKey { case kind }

  /// - Throws: ``SyncProtocolError/unknownKind(_:)``, or `DecodingError`.
  package init(from decoder: any Decoder) throws {
    let kind = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .kind)
    // Nearly all lines are events.
    if WireMessage.Kind(rawValue: kind) != nil {
      self = .event(try WireMessage(from: decoder))
      return
    }
    switch Kind(rawValue: kind) {
    case .hello: self = .hello(try Hello(from: decoder))
    case .welcome: self = .welcome(try Welcome(from: decoder))
    case .query: self = .query(try Query(from: decoder))
    case .rows: self = .rows(try Rows(from: decoder))
    case .mutation: self = .mutation(try Mutation(from: decoder))
    case .accepted: self = .accepted(try Accepted(from: decoder))
    case .heartbeat: self = .heartbeat(try Heartbeat(from: decoder))
    case .failure: self = .failure(try Failure(from: decoder))
    case .bye: self = .bye
    case nil: throw SyncProtocolError.unknownKind(String(kind.prefix(64)))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .kind)
    try content?.encode(to: encoder)
  }

  private var content: (any Encodable)? {
    switch self {
    case .hello(let content): content
    case .welcome(let content): content
    case .query(let content): content
    case .rows(let content): content
    case .mutation(let content): content
    case .accepted(let content): content
    case .event(let content): content
    case .heartbeat(let content): content
    case .failure(let content): content
    case .bye: nil
    }
  }
}
