import Text

/// A message of a WebSocket, or of a stream of server-sent events.
struct SocketMessage {
  /// The time in nanoseconds since 1970; `nil` if it is unknown.
  var at: Int64?
  var isSent: Bool
  var text: String

  /// Returns the text messages of an entry, in the order of the file, without control frames.
  static func all(in entry: JSONValue) -> [SocketMessage] {
    let sockets = entry["_webSocketMessages"]?.elements ?? []
    let events = entry["_eventSourceMessages"]?.elements ?? []
    return sockets.compactMap { message in
      guard message["opcode"]?.lenientInteger ?? 1 == 1, let text = message["data"]?.text else {
        return nil
      }
      return SocketMessage(
        at: instant(message["time"]), isSent: message["type"]?.text == "send", text: text)
    }
      + events.compactMap { event in
        event["data"]?.text.map {
          SocketMessage(at: instant(event["time"]), isSent: false, text: $0)
        }
      }
  }

  /// Converts seconds since 1970 as in Chrome, or milliseconds as in Playwright.
  private static func instant(_ value: JSONValue?) -> Int64? {
    guard let number = value?.lenientNumber, number > 0 else { return nil }
    if number < 7e9 { return Int64(number * 1e9) }
    return number > 1e11 && number < 7e12 ? Int64(number * 1e6) : nil
  }

  /// Returns the messages in the body of a stream of server-sent events (HTML Living Standard, section 9.2).
  ///
  /// A body does not include their times.
  static func events(inBody body: [UInt8]) -> [SocketMessage] {
    var (messages, data) = ([SocketMessage](), [String]())
    let lines = String(decoding: body, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines + [""] {
      let line = line.hasSuffix("\r") ? line.dropLast() : line
      if line.isEmpty {
        if !data.isEmpty {
          messages.append(
            SocketMessage(at: nil, isSent: false, text: data.joined(separator: "\n")))
        }
        data.removeAll()
      } else if line.hasPrefix("data:") {
        let value = line.dropFirst(5)
        data.append(String(value.hasPrefix(" ") ? value.dropFirst() : value))
      }
    }
    return messages
  }
}

/// The protocols for GraphQL over WebSockets: `graphql-transport-ws`, and its predecessor `graphql-ws`.
///
/// Source: `enisdenjo/graphql-ws`, PROTOCOL.md; `apollographql/subscriptions-transport-ws`, PROTOCOL.md.
struct GraphQLSocket {
  enum Meaning {
    case begun(id: String, JSONValue)
    /// A result of an operation.
    case result(id: String, JSONValue)
    case failed(id: String)
    /// A message without data, such as an acknowledgement or a ping.
    case nothing
    /// A message of no such protocol.
    case other(JSONValue)
  }

  private static let silent: Set = [
    "connection_init", "connection_ack", "connection_error", "connection_terminate", "ka", "ping",
    "pong", "complete", "stop",
  ]

  static func meaning(of json: JSONValue) -> Meaning {
    guard let type = json["type"]?.text else { return .other(json) }
    let id = json["id"]?.text ?? json["id"]?.lenientInteger.map(String.init)
    let payload = json["payload"]
    switch (type, id, payload) {
    case ("subscribe", let id?, let payload?), ("start", let id?, let payload?):
      return payload["query"] != nil || payload["extensions"] != nil
        ? .begun(id: id, payload) : .other(json)
    case ("next", let id?, let payload?), ("data", let id?, let payload?):
      return payload["data"] != nil || payload["errors"] != nil
        ? .result(id: id, payload) : .other(json)
    case ("error", let id?, _): return .failed(id: id)
    default:
      // An app's own event may have such a name, and then has more members than in the protocol.
      return silent.contains(type) && (json.members?.count ?? 0) <= 3 ? .nothing : .other(json)
    }
  }
}
