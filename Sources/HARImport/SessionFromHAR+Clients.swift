import RecordingCodec

/// The actions, events and answers of each client.
extension SessionFromHAR {
  mutating func writeClients<E: Error>(
    _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    for client in timeline.clientFiles.indices {
      var line = ClientLine()
      line.name = "client \(client + 1)"
      line.appRestarts = timeline.restarts[client].map { at($0) }
      try body(.client(line))
    }
    for client in timeline.clientFiles.indices { try writeActions(of: client, body) }
    for delivery in deliveries.sorted(by: {
      ($0.client, $0.at, $0.mutation) < ($1.client, $1.at, $1.mutation)
    }) {
      var line = DeliveryLine()
      (line.client, line.at, line.mutation) = (delivery.client, delivery.at, delivery.mutation)
      try body(.delivery(line))
    }
  }

  private func writeActions<E: Error>(
    of client: Int, _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    /// The open views, with the time at which each is left.
    var views: [(query: Int, end: Int64)] = []
    func close(until now: Int64, _ views: inout [(query: Int, end: Int64)]) -> [ActionLine] {
      let over = views.enumerated().filter { $0.element.end <= now }
        .sorted { ($0.element.end, $0.offset) < ($1.element.end, $1.offset) }.map(\.element)
      views.removeAll { $0.end <= now }
      return over.map { view in
        var line = action(client, view.end, .unobserve)
        line.query = UInt32(view.query)
        return line
      }
    }
    var wasKnown: Set<Int> = []
    for index in timeline.requests.indices
    where timeline.clients[index] == client && timeline.queries[index] >= 0 {
      let request = timeline.requests[index]
      let query = timeline.queries[index]
      for line in close(until: request.start, &views) { try body(.action(line)) }
      let navigation = timeline.restarts[client].first { $0 > request.start }
      // A navigation ends the views just before it, so that the new process has none.
      let end = min(navigation.map { $0 - 1 } ?? .max, request.start + options.viewDuration)
      let open = views.firstIndex { $0.query == query }
      let isView = open == nil && !request.isHead && end > request.start
      var line = action(client, request.start, isView ? .observe : .read)
      line.query = UInt32(query)
      line.isForced = timeline.isForced[index]
      if evidenceOfRequest[index] >= 0 {
        line.result = result(of: Int(evidenceOfRequest[index]))
        wasKnown.insert(query)
      } else if request.outcome != .failed, !wasKnown.contains(query) {
        // Its rows are unknown rather than empty: the row that represents the whole answer is included.
        line.result = stateNumbers[log.entities.count + query][0].map { [$0] }
      }
      if isView {
        views.append((query, end))
      } else if let open {
        views[open].end = max(views[open].end, end)
      }
      try body(.action(line))
      if let answer = answer(to: request, query, client, line.result) {
        try body(.answer(answer))
      }
    }
    for line in close(until: .max, &views) { try body(.action(line)) }
  }

  private func action(_ client: Int, _ wallTime: Int64, _ verb: ActionLine.Verb) -> ActionLine {
    var line = ActionLine()
    (line.client, line.at, line.verb) = (UInt32(client), at(wallTime), verb)
    return line
  }

  private func result(of number: Int) -> [UInt32] {
    var result: [UInt32] = []
    shown.forEachSight(of: evidence[number]) { row, entity, _ in
      let state = inference.state(shownBy: number, row)
      if let written = stateNumbers[Int(entity)][Int(state)] { result.append(written) }
    }
    return result
  }

  /// Returns how the request ended, if the server answered it.
  private func answer(
    to request: LoggedRequest, _ query: Int, _ client: Int, _ result: [UInt32]?
  ) -> AnswerLine? {
    guard request.outcome != .served else { return nil }
    var answer = RecordedAnswer(
      asked: at(request.start), at: at(max(request.start, request.end)),
      target: .query(UInt32(query)), bytes: request.bytes)
    switch request.outcome {
    case .failed: answer.failure = .refused
    case .unchanged: answer.isUnchanged = true
    case .answered: answer.result = result
    case .unknown, .served, .askedForText, .redirected: break
    }
    return AnswerLine(client: UInt32(client), answer)
  }
}
