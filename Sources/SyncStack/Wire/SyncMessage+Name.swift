extension SyncMessage {
  /// What errors call it.
  var name: String {
    switch self {
    case .hello: "hello"
    case .welcome: "welcome"
    case .query: "query"
    case .rows: "rows"
    case .mutation: "mutation"
    case .accepted: "accepted"
    case .event(let event): event.kind.rawValue
    case .heartbeat: "heartbeat"
    case .failure: "failure"
    case .bye: "bye"
    }
  }
}
