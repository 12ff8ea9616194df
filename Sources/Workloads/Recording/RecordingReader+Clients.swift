import CacheModel
import Text

extension RecordingReader {
  mutating func readClient(_ line: inout RecordedLine) throws(RecordingError) {
    let name = try line.text("name")
    let partitions = try readWindows(&line, "partitions")
    let errors = line.optional("errors") == nil ? [] : try readWindows(&line, "errors")
    var reaction = ClientScript.Reaction.none
    if line.optional("reaction") != nil {
      let word = try line.text("reaction")
      guard let known = ClientScript.Reaction(rawValue: word) else {
        throw line.failure(
          "unknown reaction `\(ScenarioReader.shortened(word))`", "valid here: none, waits")
      }
      reaction = known
    }
    var client = ClientScript(
      name: name, actions: [], deliveries: [], partitions: partitions, errors: errors,
      reaction: reaction)
    if version > 1 {
      client.relaunches = try readRelaunches(&line)
      client.storageFaults = try readStorageFaults(&line)
      client.writing = try readWriting(&line)
      if line.optional("silences") != nil { client.silences = try readWindows(&line, "silences") }
    }
    workload.clients.append(client)
    lines.actions.append([])
  }

  private func readWindows(
    _ line: inout RecordedLine, _ member: String
  ) throws(RecordingError) -> [Range<Instant>] {
    var windows: [Range<Instant>] = []
    for value in try line.array(member) {
      guard case .array(let bounds) = value, bounds.count == 2 else {
        throw line.failure("a part of `\(member)` is not a list of two times", "write [from, to]")
      }
      let lower = try line.integer(bounds[0], member, in: 0...end.nanoseconds)
      let upper = try line.integer(bounds[1], member, in: 0...end.nanoseconds)
      guard lower < upper, lower >= (windows.last?.upperBound.nanoseconds ?? 0) else {
        throw line.failure("\(member) overlap or are out of order", "sort them")
      }
      windows.append(Instant(nanoseconds: lower)..<Instant(nanoseconds: upper))
    }
    return windows
  }

  mutating func readAction(_ line: inout RecordedLine) throws(RecordingError) {
    let client = Int(try line.index("client", of: workload.clients.count, "client"))
    let at = try readTime(&line, after: workload.clients[client].actions.last?.at)
    let verb = try line.text("do")
    let kind: SessionAction.Kind
    if verb == "open" {
      let view =
        line.optional("query") == nil
        ? nil : try line.index("query", of: workload.queries.count, "query")
      kind = .open(
        object: try line.index("object", of: workload.catalog.objects.count, "object"), view: view)
    } else if verb == "write", version > 1 {
      kind = .write(try readWriteNumber(&line, ofClient: client))
    } else if version > 1, let upkeep = try readUpkeep(&line, verb) {
      kind = .upkeep(upkeep)
    } else {
      let query = try line.index("query", of: workload.queries.count, "query")
      switch verb {
      case "read": kind = .read(query: query)
      case "redraw": kind = .redraw(query: query)
      case "observe": kind = .observe(query: query)
      case "unobserve": kind = .unobserve(query: query)
      case "tag": kind = .tag(query: query)
      default:
        throw line.failure(
          "unknown action `\(ScenarioReader.shortened(verb))`",
          "valid here: read, redraw, observe, unobserve, tag, open"
            + (version > 1 ? ", write, untag, take, invalidate, clear, release" : ""))
      }
    }
    let read = ObservedRead(client: client, action: workload.clients[client].actions.count)
    if line.optional("result") != nil {
      workload.observedResults[read] = try readResult(&line)
    }
    if line.optional("outcome") != nil {
      workload.recordedOutcomes[read] = try readOutcome(&line, of: kind, verb)
    }
    workload.clients[client].actions.append(SessionAction(at: at, kind: kind))
    lines.actions[client].append(line.number)
  }

  private func readOutcome(
    _ line: inout RecordedLine, of kind: SessionAction.Kind, _ verb: String
  ) throws(RecordingError) -> RecordedOutcome {
    switch kind {
    case .read, .redraw, .observe, .open: break
    case .unobserve, .tag, .write, .upkeep:
      throw line.failure("`\(verb)` reads nothing, and has an `outcome`", "remove it")
    }
    let word = try line.text("outcome")
    guard let outcome = RecordedOutcome(rawValue: word) else {
      throw line.unknown("outcome", word, among: RecordedOutcome.allCases.map(\.rawValue))
    }
    return outcome
  }

  mutating func readResult(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> ObservedResult {
    var result = ObservedResult(rows: [])
    for value in try line.array("result") {
      guard case .array(let parts) = value, parts.count == 4 else {
        throw line.failure(
          "a row of `result` is not a list of four", "write [object, clock, device, bytes]")
      }
      result.rows.append(
        .init(
          object: try line.index(
            parts[0], "result", of: workload.catalog.objects.count, "object"),
          version: Version(
            clock: try line.integer(parts[1], "result", in: 0...UInt64.max),
            device: try line.integer(parts[2], "result", in: 0...UInt64.max)),
          bytes: try line.integer(parts[3], "result", in: 0...Int32.max)))
    }
    return result
  }

  mutating func readDelivery(_ line: inout RecordedLine) throws(RecordingError) {
    let client = Int(try line.index("client", of: workload.clients.count, "client"))
    let at = try readTime(&line, after: workload.clients[client].deliveries.last?.at)
    var sentAt: Instant?
    if line.optional("sent") != nil {
      sentAt = Instant(nanoseconds: try line.integer("sent", in: 0...at.nanoseconds))
    }
    let isOvertaken = try line.flag("overtaken")
    guard workload.pushesEvents else {
      throw line.failure(
        "something is delivered in a session without events",
        "remove the line, or `withoutEvents` from the header")
    }
    let content: Delivery.Content
    if line.optional("mutation") != nil {
      let mutation = try line.index("mutation", of: workload.mutations.count, "mutation")
      guard workload.mutations[Int(mutation)].at <= at else {
        throw line.failure("the event arrives before its commit", "check `at`")
      }
      content = .event(mutation: mutation)
    } else {
      content = .heartbeat(
        StreamPosition(
          epoch: try line.integer("epoch", in: 0...UInt32.max),
          sequence: try line.integer("sequence", in: 0...UInt64.max / 2)))
    }
    workload.clients[client].deliveries.append(
      Delivery(at: at, sentAt: sentAt, isOvertaken: isOvertaken, content: content))
  }
}
