import CacheModel
import CacheSimulation

/// Collects the cache's replies, and checks rules that are independent of the case.
extension ConformanceRun {
  mutating func collect() {
    cache.dropActions()
    while seen < recorder.answers.count {
      // Within a turn, answers to reads are shown ahead of notifications.
      let replies = recorder.answers[seen]
      for reply in replies where cache.fault == nil { collect(reply, in: recorder.turns[seen]) }
      for case .notify(let query, let rows) in replies where cache.fault == nil {
        tellViews(of: query, rows.map(\.version))
      }
      seen += 1
    }
  }

  private mutating func collect(_ reply: CacheReply, in turn: CacheTurn) {
    switch reply {
    case .serve(let number, let rows):
      guard let index = reads.lastIndex(where: { $0.turn == number }) else { return }
      let versions = rows.map(\.version)
      reads[index].came = number == turn.number ? .kept(versions) : .asked(versions)
      reads[index].answeredAt = turn.at
      checkOrder(of: rows, reads[index].target)
      if reads[index].isOfView, case .query(let query) = reads[index].target {
        (shown[query], told[query]) = (versions, nil)
      }
    case .fail(let number):
      guard let index = reads.lastIndex(where: { $0.turn == number }) else { return }
      reads[index].came = .failed
    case .fetch(let id, let target, let place):
      if case .query(let query) = target { asked.insert(query) }
      wait(for: .response(id, server.answer(to: target, unless: place)), since: turn.at)
    case .reconcile(let id, let place):
      wait(for: .response(id, asTold(server.answer(after: place))), since: turn.at)
    case .notify, .store: break
    case .send(let token):
      let token = UInt32(token)
      wait(for: .answer(token, answer(toWrite: token)), since: turn.at)
    }
  }

  /// A notification without a change is useless but not an error, as the cases about views define.
  private mutating func tellViews(of query: Int, _ rows: [Int]) {
    guard cache.observers[query] > 0 else { return }
    guard rows == shown[query] else {
      (shown[query], told[query]) = (rows, rows)
      return
    }
    guard test.asksWhatViewsAreTold, repeated.insert(query).inserted else { return }
    let habit = ConformanceStep.Habit.repeatsItself
    find(
      .nonStrict, "a `notify` of \(words(ofList: query))",
      right: ["none, since its views show these rows"], came: words(rows), habit.rawValue,
      habit.rule)
  }

  /// Removes list membership that the cache is not given: of lists that it has not requested, or of all.
  func asTold(_ event: CacheOperation.Event) -> CacheOperation.Event {
    var event = event
    if launch.membership == .own { event.lists = [] }
    event.lists.removeAll { !asked.contains($0.query) }
    return event
  }

  private func asTold(_ response: CacheOperation.Response) -> CacheOperation.Response {
    guard case .events(let events, let place) = response else { return response }
    return .events(events.map { asTold($0) }, through: place)
  }

  private mutating func wait(for answer: CacheOperation, since instant: Instant) {
    pending.append(Pending(answer: answer, due: instant.advanced(by: Self.roundTrip)))
  }

  /// Returns the server's answer to a write that it reads now.
  private mutating func answer(toWrite token: UInt32) -> CacheOperation.Answer {
    guard isUp, let commit = written[token] else { return .unreachable }
    return isRefusing
      ? .refused : server.take(token, commit, clientNumber: clientNumbers[token])
  }

  /// Checks that no row is shown twice, or in an older version after a newer one.
  private mutating func checkOrder(of rows: [ServedRow], _ target: CacheReply.Target) {
    var objects: Set<Int> = []
    for row in rows {
      if replacedNumbers.contains(row.object) {
        find(
          .fail, words(of: target), right: ["the number that the server has given"],
          came: "object \(row.object)", "it keeps a number of its own that `keys` has replaced",
          .sendsWrites)
        return
      }
      if !objects.insert(row.object).inserted {
        find(
          .fail, words(of: target), right: ["each row once"], came: words(rows.map(\.version)),
          "a list shows a row twice", .servesRows)
        return
      }
      let before = latest[target, default: [:]][row.object] ?? row.version
      // Later states of an object have greater numbers.
      if ConformanceWorld.state(ofVersion: row.version) < ConformanceWorld.state(ofVersion: before)
      {
        find(
          .fail, words(of: target), right: ["nothing older than \(word(before))"],
          came: words(rows.map(\.version)), "it goes back to an older version", .nothingOlder)
        return
      }
      latest[target, default: [:]][row.object] = row.version
    }
  }
}
