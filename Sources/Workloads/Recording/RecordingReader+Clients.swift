import CacheModel
import RecordingCodec

/// Reads the writes of users, and the actions, deliveries and answers of each client.
extension RecordingReader {
  mutating func read(_ line: ClientLine) throws(RecordingError) {
    var client = ClientScript(
      name: line.name, actions: [], deliveries: [], partitions: line.partitions,
      errors: line.errors,
      reaction: try word(line.reaction, "reaction", or: ClientScript.Reaction.none))
    client.relaunches = line.appRestarts
    client.storageFaults = line.storageFaults
    client.silences = line.silences
    client.writing.through = try word(
      line.writesThrough, "writesThrough", or: client.writing.through)
    client.writing.shown = try word(line.writesShown, "writesShown", or: client.writing.shown)
    let ends =
      [line.partitions, line.errors, line.silences].compactMap { $0.last?.upperBound }
      + [line.appRestarts.last].compactMap(\.self) + line.storageFaults.map(\.during.upperBound)
    for at in ends { try check(at) }
    workload.clients.append(client)
  }

  mutating func read(_ line: ActionLine) throws(RecordingError) {
    let client = try checkClient(line.client)
    try check(line.at, after: workload.clients[client].actions.last?.at)
    let kind = try kind(of: line, client)
    if line.isForced {
      // Whatever a cache has of the query, it fetches it again.
      guard let query = line.query, line.verb != .open else {
        throw failure(
          "an entity is opened and `forced`, which cannot be simulated", "remove `forced`")
      }
      workload.clients[client].actions.append(
        SessionAction(at: line.at, kind: .maintenance(.invalidate(query: query))))
    }
    try check(line.shows, line.verb == .open ? nil : line.query)
    let name = ObservedRead(client: client, action: workload.clients[client].actions.count)
    if let result = line.result {
      // A cache accepts no more rows than this; further rows of the server are ignored.
      if let query = line.query, result.count > Int(workload.queries[Int(query)].limit) {
        throw failure(
          "`result` has \(result.count) rows, more than the `limit` of its query",
          "raise the limit")
      }
      for state in result { try checkState(state, "result") }
      workload.observedResults[name] = result
    }
    if let outcome = line.outcome { workload.recordedOutcomes[name] = outcome }
    workload.clients[client].actions.append(SessionAction(at: line.at, kind: kind))
  }

  private func kind(
    of line: ActionLine, _ client: Int
  ) throws(RecordingError) -> SessionAction.Kind {
    switch line.verb {
    case .read: return .read(query: try checkQuery(line.query))
    case .redraw: return .redraw(query: try checkQuery(line.query))
    case .observe: return .observe(query: try checkQuery(line.query))
    case .unobserve: return .unobserve(query: try checkQuery(line.query))
    case .pin: return .tag(query: try checkQuery(line.query))
    case .unpin: return .maintenance(.untag(query: try checkQuery(line.query)))
    case .invalidate: return .maintenance(.invalidate(query: try checkQuery(line.query)))
    case .take:
      return .maintenance(
        .take(query: try checkQuery(line.query), from: try checkQuery(line.from, "from")))
    case .clear: return .maintenance(.clear)
    case .release:
      guard let billionths = line.billionths else {
        throw failure("`billionths` is missing", "add it")
      }
      return .maintenance(.release(billionths: billionths))
    case .open:
      let object = UInt32(truncatingIfNeeded: try checkObject(line.object))
      return .open(object: object, view: line.query == nil ? nil : try checkQuery(line.query))
    case .write: return .write(try writeNumber(line.write, ofClient: client))
    }
  }

  /// Checks that the view of a result is the one of its query, as far as it can be simulated.
  private func check(_ view: String?, _ query: UInt32?) throws(RecordingError) {
    guard let view else { return }
    let shows = query.map { workload.model.showsSummaries(workload.queries[Int($0)].kind) } ?? false
    guard shows, view == "summary" else {
      throw failure(
        "`shows` is another view than that of the query, which cannot be simulated yet",
        "declare a query of the model for each view")
    }
  }

  mutating func read(_ line: DeliveryLine) throws(RecordingError) {
    let client = try checkClient(line.client)
    try check(line.at, after: workload.clients[client].deliveries.last?.at)
    guard workload.pushesEvents else {
      throw failure(
        "something is delivered in a session without events",
        "remove the line, or `withoutEvents` from the header")
    }
    let content: Delivery.Content
    if let mutation = line.mutation {
      let number = try check(mutation, "mutation", "mutation", of: workload.mutations.count)
      guard workload.mutations[number].at <= line.at else {
        throw failure("the event arrives before its commit", "check `at`")
      }
      content = .event(mutation: mutation)
    } else {
      content = .heartbeat(line.position ?? StreamPosition(epoch: 0, sequence: 0))
    }
    workload.clients[client].deliveries.append(
      Delivery(
        at: line.at, sentAt: line.sent, isOvertaken: line.isOvertaken, content: content))
  }

  mutating func read(_ line: AnswerLine) throws(RecordingError) {
    guard workload.answeredPolicy != nil else {
      throw failure(
        "an `answer` line needs `policy` in the header",
        "add the name of your policy there: \"policy\":\"my-app\"")
    }
    let client = try checkClient(line.client)
    try check(line.answer.asked)
    var query: UInt32?
    switch line.answer.target {
    case .query(let number): query = try checkQuery(number)
    case .object(let object): try checkObject(object)
    }
    try check(line.shows, query)
    for state in line.answer.result ?? [] { try checkState(state, "result") }
    // An app learns of an answer on arrival, and may have made other requests since.
    let others = workload.clients[client].answers
    let place = others.lastIndex { $0.asked <= line.answer.asked }.map { $0 + 1 } ?? 0
    workload.clients[client].answers.insert(line.answer, at: place)
  }

  mutating func read(_ place: ListedPlace) throws(RecordingError) {
    guard let places = workload.places else {
      throw failure(
        "a `place` line needs `places` in the header", "add \"places\":true there")
    }
    try check(place.at, after: places.last?.at)
    _ = try checkQuery(place.query)
    try checkState(place.state, "state")
    if let after = place.after { try checkObject(after, "after") }
    if let before = place.before { try checkObject(before, "before") }
    workload.places?.append(place)
  }

  // MARK: Users' changes

  mutating func read(_ line: WriteLine) throws(RecordingError) {
    guard workload.truth == .known else {
      throw failure(
        "an app's log cannot have `write` lines",
        "leave them out: their effects are in its mutations")
    }
    guard line.client >= workload.writes.last?.client ?? 0 else {
      throw failure("writes are not in the order of their clients", "sort them by `client`")
    }
    let first = workload.items.count
    for item in line.items { try readWritten(item) }
    guard workload.items.count > first else {
      throw failure("a write has no items", "write what the user changed")
    }
    if workload.items[first].revision == MutationItem.deleted {
      guard !line.isCreation else { throw failure("a creation deletes", "remove `creation`") }
      guard workload.items.count == first + 1 else {
        throw failure(
          "a write deletes one entity, and has several items", "leave the others out")
      }
    }
    workload.writes.append(
      UserWrite(
        client: line.client, items: first..<workload.items.count, isCreation: line.isCreation,
        isRefused: line.isRefused))
  }

  /// Returns the number of a write by a client's user: each once, in order.
  private func writeNumber(
    _ number: UInt32?, ofClient client: Int
  ) throws(RecordingError) -> UInt32 {
    let place = try check(number, "write", "write", of: workload.writes.count)
    let write = UInt32(truncatingIfNeeded: place)
    guard workload.writes[place].client == UInt32(client) else {
      throw failure("the write is of another client", "check `client`")
    }
    let last = workload.clients[client].actions.last(where: \.kind.isWrite)
    if case .write(let before)? = last?.kind, before >= write {
      throw failure("the write was made before", "make each write once, in their order")
    }
    return write
  }

  /// Assigns the items of writes to mutations, and checks references to later lines.
  mutating func finishWrites() throws(RecordingError) {
    var isHeard = [Bool](repeating: false, count: workload.writes.count)
    for heard in heardWrites {
      line = heard.line
      let write = Int(heard.write)
      guard write < workload.writes.count else {
        throw failure(
          "`write` names no write of the \(workload.writes.count) in the recording",
          "write its line below the mutation")
      }
      let items = workload.writes[write].items
      let isDeletion = workload.items[items.lowerBound].revision == MutationItem.deleted
      let kind = workload.mutations[heard.mutation].kind
      let isFit =
        isDeletion ? kind == .deleted : kind == (items.count == 1 ? .changed : .batchChanged)
      guard isFit, !workload.writes[write].isRefused else {
        throw failure(
          "the mutation is not what write \(write) does", "check its `kind`, and `refused`")
      }
      guard !isHeard[write] else {
        throw failure("write \(write) has two mutations", "remove one of them")
      }
      isHeard[write] = true
      workload.mutations[heard.mutation].items = items
    }
    guard let last = workload.writes.last, Int(last.client) >= workload.clients.count else {
      return
    }
    line = 1
    throw failure(
      "a write is of client \(last.client), and there are \(workload.clients.count)",
      "check `client` of the lines of type write")
  }
}
