import CacheModel
import Text

/// What each client did, was told and was answered.
extension SessionRecording {
  static func writeClient(
    _ client: ClientScript, _ index: Int, _ workload: Workload, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "client")
      json.member("name", client.name)
      writeWindows("partitions", client.partitions, &json)
      if !client.errors.isEmpty { writeWindows("errors", client.errors, &json) }
      if client.reaction != .none { json.member("reaction", client.reaction.rawValue) }
      if client.writing.through != WriteHandling().through {
        json.member("writesThrough", client.writing.through.rawValue)
      }
      if client.writing.shown != WriteHandling().shown {
        json.member("writesShown", client.writing.shown.rawValue)
      }
      if !client.silences.isEmpty { writeWindows("silences", client.silences, &json) }
      if !client.relaunches.isEmpty {
        json.array("relaunches") { for at in client.relaunches { $0.element(at.nanoseconds) } }
      }
      if !client.storageFaults.isEmpty {
        json.array("storageFaults") { json in
          for refusal in client.storageFaults {
            json.array {
              $0.element(refusal.during.lowerBound.nanoseconds)
              $0.element(refusal.during.upperBound.nanoseconds)
              $0.element(refusal.fault.rawValue)
            }
          }
        }
      }
    }
    for answer in client.answers { writeAnswer(answer, ofClient: index, &json) }
    for (number, action) in client.actions.enumerated() {
      json.line { json in
        json.member("line", "action")
        json.member("client", index)
        json.member("at", action.at.nanoseconds)
        switch action.kind {
        case .read(let query): writeAction("read", query: query, &json)
        case .redraw(let query): writeAction("redraw", query: query, &json)
        case .observe(let query): writeAction("observe", query: query, &json)
        case .unobserve(let query): writeAction("unobserve", query: query, &json)
        case .tag(let query): writeAction("tag", query: query, &json)
        case .open(let object, let view):
          json.member("do", "open")
          json.member("object", object)
          if let view { json.member("query", view) }
        case .write(let write):
          json.member("do", "write")
          json.member("write", write)
        case .upkeep(.untag(let query)): writeAction("untag", query: query, &json)
        case .upkeep(.invalidate(let query)): writeAction("invalidate", query: query, &json)
        case .upkeep(.take(let query, let longer)):
          writeAction("take", query: query, &json)
          json.member("from", longer)
        case .upkeep(.clear): json.member("do", "clear")
        case .upkeep(.release(let billionths)):
          json.member("do", "release")
          json.member("billionths", billionths)
        }
        let read = ObservedRead(client: index, action: number)
        if let outcome = workload.recordedOutcomes[read] {
          json.member("outcome", outcome.rawValue)
        }
        if let result = workload.observedResults[read] { writeResult(result, &json) }
      }
    }
    for delivery in client.deliveries {
      json.line { json in
        json.member("line", "delivery")
        json.member("client", index)
        json.member("at", delivery.at.nanoseconds)
        if let sent = delivery.sentAt { json.member("sent", sent.nanoseconds) }
        if delivery.isOvertaken { json.flag("overtaken") }
        switch delivery.content {
        case .event(let mutation): json.member("mutation", mutation)
        case .heartbeat(let position):
          json.member("epoch", position.epoch)
          json.member("sequence", position.sequence)
        }
      }
    }
  }

  private static func writeAction(
    _ verb: String, query: UInt32, _ json: inout JSONWriter
  ) {
    json.member("do", verb)
    json.member("query", query)
  }

  private static func writeAnswer(
    _ answer: RecordedAnswer, ofClient client: Int, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "answer")
      json.member("client", client)
      json.member("asked", answer.asked.nanoseconds)
      json.member("at", answer.at.nanoseconds)
      switch answer.target {
      case .query(let query): json.member("query", query)
      case .object(let object): json.member("object", object)
      }
      if let failure = answer.failure {
        json.member("failure", failure.rawValue)
      } else {
        json.member("bytes", answer.bytes)
      }
      if let result = answer.result { writeResult(result, &json) }
      if answer.hasMore { json.flag("more") }
      if answer.isUnchanged { json.flag("unchanged") }
      if let place = answer.place {
        json.member("epoch", place.epoch)
        json.member("sequence", place.sequence)
      }
    }
  }

  private static func writeWindows(
    _ name: String, _ windows: [Range<Instant>], _ json: inout JSONWriter
  ) {
    json.array(name) { json in
      for window in windows {
        json.array {
          $0.element(window.lowerBound.nanoseconds)
          $0.element(window.upperBound.nanoseconds)
        }
      }
    }
  }

  private static func writeResult(_ result: ObservedResult, _ json: inout JSONWriter) {
    json.array("result") { json in
      for row in result.rows {
        json.array {
          $0.element(row.object)
          $0.element(row.version.clock)
          $0.element(row.version.device)
          $0.element(row.bytes)
        }
      }
    }
  }
}
