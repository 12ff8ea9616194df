import CacheModel
import CacheSimulation

extension ConformanceResult {
  /// The turns of the case in words, the first few of many.
  package var told: String {
    var named: Set<Int> = []
    let shown = turns.prefix(Self.toldTurns).map {
      "\($0.number) \(Self.words(of: $0.operation, &named))"
    }
    let more = turns.count > shown.count ? "; and \(turns.count - shown.count) more" : ""
    return shown.joined(separator: "; ") + more
  }

  private static let toldTurns = 16

  /// A list is named in full where it comes first.
  private static func words(of operation: CacheOperation, _ named: inout Set<Int>) -> String {
    switch operation {
    case .read(let query): "read \(list(query, &named))"
    case .observe(let query): "observe \(list(query, &named))"
    case .unobserve(let query): "unobserve \(list(query, &named))"
    case .tag(let query): "tag \(list(query, &named))"
    case .open(let object): "open \(ConformanceWorld.words(ofObject: object))"
    case .event(let event): "event \(words(of: event))"
    case .heartbeat(let position): "heartbeat \(words(of: position))"
    case .response(let id, let response): "response to \(id): \(words(of: response))"
    case .link(let isUp): isUp ? "link up" : "link down"
    case .write(let write):
      "write \(write.token)\(write.isSentOnce ? " once" : ""): \(words(of: write.edits))"
    case .answer(let token, let answer): "answer to write \(token): \(words(of: answer))"
    case .wake: "wake"
    }
  }

  private static func list(_ query: Int, _ named: inout Set<Int>) -> String {
    named.insert(query).inserted ? ConformanceWorld.words(ofList: query) : "q \(query)"
  }

  private static func words(of position: StreamPosition) -> String {
    "[\(position.epoch),\(position.sequence)]"
  }

  private static func words(of event: CacheOperation.Event) -> String {
    let place = event.position.map { words(of: $0) + " " } ?? ""
    switch event.content {
    case .changed(let states): return place + words(of: states)
    case .deleted(let objects, _):
      return place + "deleted \(objects.map { "\($0)" }.joined(separator: " "))"
    case .mayHaveChanged: return place + "stale"
    case .nothing: return place + "of nothing"
    }
  }

  private static func words(of response: CacheOperation.Response) -> String {
    switch response {
    case .rows(let states, _, _): words(of: states)
    case .notModified: "not modified"
    case .events(let events, _): "\(events.count) events"
    case .tooOld: "too old"
    case .unreachable: "unreachable"
    case .refused: "refused"
    }
  }

  private static func words(of edits: [CacheOperation.Edit]) -> String {
    guard !edits.isEmpty else { return "shown when confirmed" }
    return edits.map { edit in
      switch edit {
      case .change(_, let state): ConformanceWorld.name(of: Int(state))
      case .create(let object, let state):
        "\(ConformanceWorld.name(of: Int(state))) as object \(object)"
      case .delete(let object): "deleted \(object)"
      }
    }.joined(separator: " ")
  }

  private static func words(of answer: CacheOperation.Answer) -> String {
    switch answer {
    case .confirmed(let confirmation):
      confirmation.deleted.isEmpty ? words(of: confirmation.rows) : "deleted"
    case .refused: "refused"
    case .unreachable: "unreachable"
    }
  }

  private static func words(of rows: [SentRow]) -> String {
    let names = rows.prefix(6).map { ConformanceWorld.name(of: Int($0.state)) }
    guard !rows.isEmpty else { return "no rows" }
    return names.joined(separator: " ") + (rows.count > 6 ? " … (\(rows.count) rows)" : "")
  }
}
