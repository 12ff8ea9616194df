import CacheModel
import NormalizedCache
import RecordingCodec

/// Reads, views and answers, as they happen.
extension SessionLines {
  /// Writes a line that says how many lines are missing.
  mutating func gap(_ lines: Int, _ cause: RecordingGap.Cause, at now: Instant) {
    write(.gap(RecordingGap(at: Instant(nanoseconds: time(now)), lines: lines, cause: cause)))
  }

  mutating func time(_ now: Instant) -> Int64 {
    last = max(last + 1, origin.duration(to: now).wholeNanoseconds)
    return last
  }

  private mutating func noPlace(at now: Instant) {
    withoutPlace += 1
    gap(1, .format, at: now)
  }

  mutating func write(_ operation: RecordedOperation, at now: Instant) {
    switch operation {
    case .read(let target, let outcome, let isView, let rows):
      read(target, outcome, isView ? .observe : .read, rows, at: now)
    case .askedAgain(let key): act(.redraw, on: key, at: now)
    case .viewEnded(let key, let rows): act(.unobserve, on: key, showing: rows, at: now)
    case .tagged(let key, let isTagged): act(isTagged ? .pin : .unpin, on: key, at: now)
    case .invalidatedQuery(let key): act(.invalidate, on: key, at: now)
    case .cleared(let cleared):
      guard cleared == library ?? cleared else { return noPlace(at: now) }
      library = cleared
      act(.clear, at: now)
    case .taken(let key, let longer, let rows):
      guard query(key) != nil, let longer = query(longer) else { return noPlace(at: now) }
      act(.take, on: key, showing: rows, at: now) { $0.from = longer }
    case .released(let share):
      // Rounded up, so that a whole number of rows stays whole.
      act(.release, at: now) { $0.billionths = UInt32((share * 1e9).rounded(.up)) }
    case .placed(let places): for place in places { write(place, at: now) }
    case .fetchBegan(let fetch, let target):
      // A fetch begins in the commit of the operation that requests it, but no two operations have the same time.
      let began = origin.duration(to: now).wholeNanoseconds
      fetches[fetch] = (target, began - last < 1_000 ? last : began)
    case .fetchEnded(let fetch, let target, let response):
      answer(fetch, target, response, at: now)
    case .event(let event): write(event, at: now)
    case .heartbeat(let place):
      var line = DeliveryLine()
      line.at = Instant(nanoseconds: time(now))
      line.position = place.position
      write(.delivery(line))
    case .invalidated(let tag): write(notice: tag, token: nil, place: nil, at: now)
    case .other: noPlace(at: now)
    case .holds: break
    case .held(let key, let views, let rows): hold(key, views, rows)
    }
  }

  /// Writes an action, with the rows of its query if they differ from those that were written last.
  private mutating func act(
    _ verb: ActionLine.Verb, on key: QueryKey? = nil, showing rows: [RecordedRow]? = nil,
    at now: Instant, _ more: (inout ActionLine) -> Void = { _ in }
  ) {
    var line = ActionLine()
    line.verb = verb
    more(&line)
    if let key {
      guard let query = query(key) else { return noPlace(at: now) }
      line.query = query
    }
    let time = time(now)
    line.at = Instant(nanoseconds: time)
    if let key, let rows, shown[key] != rows {
      shown[key] = rows
      tell(of: rows, at: time)
      line.result = numbered(rows)
    }
    write(.action(line))
  }

  /// Writes the position of a state in a list, as the app's schema gave it.
  private mutating func write(_ place: RecordedPosition, at now: Instant) {
    guard let query = query(place.query), let object = objects[place.key],
      let state = state(object, place.version)
    else { return }
    let match: ListedPlace.Match =
      switch place.match {
      case .member: .listed
      case .notMember: .notListed
      case .unknown: .unknown
      }
    write(
      .place(
        ListedPlace(
          at: Instant(nanoseconds: time(now)), query: query, state: state, match: match,
          after: place.after.flatMap { objects[$0] }, before: place.before.flatMap { objects[$0] }))
    )
  }

  private mutating func read(
    _ target: FetchTarget, _ outcome: ReadOutcome, _ verb: ActionLine.Verb, _ rows: [RecordedRow]?,
    at now: Instant
  ) {
    let word = RecordedOutcome(rawValue: outcome.word)
    switch target {
    case .query(let key): act(verb, on: key, showing: rows, at: now) { $0.outcome = word }
    case .entity(let key):
      guard let object = object(key) else { return noPlace(at: now) }
      var line = ActionLine()
      let time = time(now)
      (line.at, line.verb) = (Instant(nanoseconds: time), .open)
      if let rows { tell(of: rows, at: time) }
      (line.object, line.outcome, line.result) = (object, word, rows.map { numbered($0) })
      write(.action(line))
    }
  }

  /// The states of rows, by their numbers.
  private func numbered(_ rows: [RecordedRow]) -> [UInt32] {
    rows.compactMap { row in objects[row.key].flatMap { state($0, row.version) } }
  }

  private mutating func answer(
    _ fetch: FetchID, _ target: FetchTarget, _ response: RecordedResponse?, at now: Instant
  ) {
    // A fetch that began before the file has no answer in it.
    guard let asked = fetches.removeValue(forKey: fetch)?.asked else { return }
    let time = time(now)
    guard let target = number(of: target, response) else { return noPlace(at: now) }
    var answer = RecordedAnswer(
      asked: Instant(nanoseconds: asked), at: Instant(nanoseconds: time), target: target, bytes: 0,
      failure: response == nil ? .refused : nil)
    if let response {
      tell(of: response.rows, at: time)
      answer.bytes = response.rows.reduce(0) { $0 + max(0, $1.bytes) }
      answer.isUnchanged = response.isNotModified
      if !response.isNotModified { answer.result = numbered(response.rows) }
      answer.hasMore = response.hasMore
      answer.place = response.place?.position
    }
    shortest = min(shortest, time - asked)
    waited += time - asked
    answers += 1
    write(.answer(AnswerLine(client: 0, answer)))
  }

  /// Writes the requests without an answer at the end of the file, which a simulation would answer otherwise.
  mutating func writeUnanswered() {
    for (_, fetch) in fetches.sorted(by: { $0.key.number < $1.key.number }) {
      guard let target = number(of: fetch.target) else { continue }
      let answer = RecordedAnswer(
        asked: Instant(nanoseconds: fetch.asked), at: Instant(nanoseconds: max(last, fetch.asked)),
        target: target, bytes: 0, failure: .unanswered)
      write(.answer(AnswerLine(client: 0, answer)))
    }
    fetches = [:]
  }

  /// The number of a request's target in a line; notes what its answer shows.
  private mutating func number(
    of target: FetchTarget, _ response: RecordedResponse? = nil
  ) -> RecordedAnswer.Target? {
    switch target {
    case .query(let key):
      guard let query = query(key) else { return nil }
      if let response, !response.isNotModified { shown[key] = response.rows }
      return .query(query)
    case .entity(let key): return object(key).map { .object($0) }
    }
  }

  /// Reads the content that the cache had when the file began, before anything counts.
  private mutating func hold(_ key: QueryKey, _ views: Int, _ rows: [RecordedRow]) {
    guard let query = query(key) else { return }
    let at = held * 4 + 1
    held += 1
    last = max(last, at + 1)
    shown[key] = rows
    tell(of: rows, at: at)
    var action = ActionLine()
    action.at = Instant(nanoseconds: at)
    (action.verb, action.query) = (views > 0 ? .observe : .read, query)
    for _ in 0..<max(1, views) { write(.action(action)) }
    var answer = RecordedAnswer(
      asked: Instant(nanoseconds: at), at: Instant(nanoseconds: at + 1), target: .query(query),
      bytes: 0)
    answer.result = numbered(rows)
    write(.answer(AnswerLine(client: 0, answer)))
  }

  // MARK: Events

  /// Writes an event of the server, in the order in which the app received it.
  private mutating func write(_ event: RecordedEvent, at now: Instant) {
    if let library, let stream = event.place?.stream, stream.library != library {
      return noPlace(at: now)
    }
    if let stream = event.place?.stream { library = library ?? stream.library }
    var place = event.place
    // A filtered stream would look as if it had gaps.
    if place?.previous != nil { place = nil }
    if let position = place?.position {
      if event.isAnswer {
        if position == lastPlace.map({ StreamPosition(epoch: $0.epoch, sequence: $0.sequence + 1) })
        {
          lastPlace = position
          answered = position
        } else {
          place = nil
        }
      } else if position == answered {
        // The app knew this change already, and the file has it.
        return
      } else if position > lastPlace ?? StreamPosition(epoch: 0, sequence: 0) {
        lastPlace = position
      } else {
        // A late or repeated event has no position in a file that lists events in order.
        place = nil
      }
    }
    write(event, place: place?.position, at: now)
  }

  private mutating func write(
    _ event: RecordedEvent, place: StreamPosition?, at now: Instant
  ) {
    var line = MutationLine()
    line.position = place
    if event.isAnswer { line.client = 0 }
    switch event.kind {
    case .changed(let row):
      guard let object = object(row.key) else { return noPlace(at: now) }
      line.items = [item(object, row)]
      line.bytes = max(0, row.bytes)
    case .batch(let rows, let origin):
      line.kind = .batch
      for row in rows {
        guard let object = object(row.key) else { continue }
        line.items.append(item(object, row))
        line.bytes += max(0, row.bytes)
      }
      line.origin = origin
    case .deleted(let keys, let version):
      (line.kind, line.version) = (.deleted, version)
      line.items = keys.compactMap { object($0) }.map { .deleted(object: $0) }
    case .bulkNotice(let tag, let token):
      return write(notice: tag, token: token, place: place, at: now)
    case .infrastructure: line.kind = .infrastructure
    }
    deliver(line, at: now)
  }

  private mutating func write(
    notice tag: InvalidationTag, token: UInt64?, place: StreamPosition?, at now: Instant
  ) {
    guard tag.location == nil, tag.method == nil, tag.library == library ?? tag.library else {
      return noPlace(at: now)
    }
    var line = MutationLine()
    (line.kind, line.position) = (.bulkNotice, place)
    if let own = tag.resourceType {
      guard let type = outline.type(own) else { return noPlace(at: now) }
      line.type = name(ofType: type)
    }
    line.token = token ?? UInt64(mutations) | 1 << 63
    deliver(line, at: now)
  }

  private mutating func deliver(_ mutation: MutationLine, at now: Instant) {
    let time = time(now)
    var delivery = DeliveryLine()
    (delivery.at, delivery.mutation) = (Instant(nanoseconds: time), mutations)
    write(mutation, at: time)
    write(.delivery(delivery))
  }
}
