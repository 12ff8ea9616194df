package import CacheModel
package import CacheSimulation

package struct ConformanceResult: Sendable {
  package enum Verdict: String, Sendable, CaseIterable {
    case pass
    /// Allowed, but poorer than possible.
    case nonStrict = "non-strict"
    case fail
    /// A measured figure, not judged.
    case info
  }

  package struct Finding: Sendable {
    package var verdict: Verdict
    /// The number and instant of the judged turn; `nil` before the first.
    package var turn: Int?
    package var at: Instant?
    package var asked: String
    /// The right answers; empty if the finding is not about an answer.
    package var right: [String] = []
    package var came: String
    /// The consequence, or what to check.
    package var meaning = ""
    /// The word of the rule or error in the document; `nil` for a figure.
    package var word: String?
  }

  package var test: ConformanceCase
  package var findings: [Finding]
  /// The start parameters of the case's last process.
  package var launch: CacheLaunch
  package var turns: [CacheTurn]
  package var fault: CacheFault?
  /// The missing feature that the case requires.
  package var lacks: CacheFeature?

  package var verdict: Verdict {
    let verdicts = findings.map(\.verdict)
    for verdict in [Verdict.fail, .nonStrict, .info] where verdicts.contains(verdict) {
      return verdict
    }
    return .pass
  }
}

extension CacheFault.Kind {
  /// The first question to check.
  package var question: String? {
    switch self {
    case .silentAtStart: "Is standard output flushed after hello?"
    case .silent: "Is standard output flushed after `done`?"
    case .notJSON: "Was that line meant for standard error?"
    case .forgedVersion: "Is the version of a row its third member, and not its order?"
    case .partAsWhole:
      "Is a row with a name behind its fields kept apart from the whole of its entity?"
    case .noSuchRead: "Is `for` the `n` of the read, and not the `id` of the request?"
    case .usedID: "Is `id` counted up with each request?"
    default: nil
    }
  }
}

extension ConformanceResult.Finding {
  /// A readable report: place, question, right answer, actual answer, and consequence.
  ///
  /// The actual answer may contain text of a process.
  package var lines: [String] {
    var place = turn.map { "turn \($0)" } ?? "before the first turn"
    if let at { place += " at \(at.inWords)" }
    var lines = ["\(place): \(asked)"]
    if !right.isEmpty { lines.append("expected: \(right.joined(separator: " or "))") }
    lines.append("received: \(came)")
    if !meaning.isEmpty { lines.append("why: \(meaning)" + (word.map { " [\($0)]" } ?? "")) }
    return lines
  }
}

extension ConformanceResult {
  /// The turns of the case in words, at most the first few.
  package var told: String {
    var named: Set<Int> = []
    let shown = turns.prefix(Self.toldTurns).map {
      "\($0.number) \(Self.words(of: $0.operation, &named))"
    }
    let more = turns.count > shown.count ? "; and \(turns.count - shown.count) more" : ""
    return shown.joined(separator: "; ") + more
  }

  private static let toldTurns = 16

  /// A list is described in full at its first mention.
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
    let names = rows.prefix(6).map { ConformanceWorld.name(of: $0.served.version) }
    guard !rows.isEmpty else { return "no rows" }
    return names.joined(separator: " ") + (rows.count > 6 ? " … (\(rows.count) rows)" : "")
  }
}
