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

  /// What errors call it, and the value of `kind`.
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
