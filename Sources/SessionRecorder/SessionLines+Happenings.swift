import CacheModel
import NormalizedCache
import Text

/// Reads, views and answers, as they happen.
extension SessionLines {
  /// Writes down that lines are missing.
  mutating func gap(_ lines: Int, _ cause: String, at now: Instant) {
    let time = time(now)
    line("gap") { json in
      json.member("at", time)
      json.member("lines", lines)
      json.member("why", cause)
    }
  }

  mutating func time(_ now: Instant) -> Int64 {
    last = max(last + 1, origin.duration(to: now).wholeNanoseconds)
    return last
  }

  mutating func noPlace(at now: Instant) {
    withoutPlace += 1
    gap(1, "format", at: now)
  }

  mutating func write(_ happening: CacheHappening, at now: Instant) {
    switch happening {
    case .read(let target, let outcome, let isView, let rows):
      read(target, outcome, isView ? "observe" : "read", rows, at: now)
    case .askedAgain(let key):
      guard let query = query(key) else { return noPlace(at: now) }
      action("redraw", query, at: time(now)) { _ in }
    case .viewEnded(let key, let rows):
      guard let query = query(key) else { return noPlace(at: now) }
      let time = time(now)
      let isNews = isNews(rows, of: key, at: time)
      let result = isNews ? rows.map { numbered($0) } : nil
      action("unobserve", query, at: time) { json in
        if let result { Self.write(result, &json) }
      }
    case .tagged(let key, let isTagged):
      guard let query = query(key) else { return noPlace(at: now) }
      action(isTagged ? "tag" : "untag", query, at: time(now)) { _ in }
    case .invalidatedQuery(let key):
      guard let query = query(key) else { return noPlace(at: now) }
      action("invalidate", query, at: time(now)) { _ in }
    case .cleared(let cleared):
      guard cleared == library ?? cleared else { return noPlace(at: now) }
      library = cleared
      action("clear", nil, at: time(now)) { _ in }
    case .taken(let key, let longer, let rows):
      guard let query = query(key), let longer = self.query(longer) else { return noPlace(at: now) }
      let time = time(now)
      let result = isNews(rows, of: key, at: time) ? rows.map { numbered($0) } : nil
      action("take", query, at: time) { json in
        json.member("from", longer)
        if let result { Self.write(result, &json) }
      }
    case .released(let share):
      // Rounded up, so that what is a whole number of rows stays one.
      let billionths = Int((share * 1e9).rounded(.up))
      action("release", nil, at: time(now)) { $0.member("billionths", billionths) }
    case .placed(let places): for place in places { write(place, at: now) }
    case .fetchBegan(let fetch, let target):
      // A fetch begins in the commit of what asks for it, but no two happenings have one time.
      let began = origin.duration(to: now).wholeNanoseconds
      fetches[fetch] = (target, began - last < 1_000 ? last : began)
    case .fetchEnded(let fetch, let target, let response):
      answer(fetch, target, response, at: now)
    case .event(let event): write(event, at: now)
    case .heartbeat(let place):
      let time = time(now)
      line("delivery") { json in
        json.member("client", 0)
        json.member("at", time)
        json.member("epoch", place.position.epoch)
        json.member("sequence", place.position.sequence)
      }
    case .invalidated(let tag): write(notice: tag, token: nil, place: nil, at: now)
    case .other: noPlace(at: now)
    case .holds: break
    case .held(let key, let views, let rows): hold(key, views, rows)
    }
  }

  mutating func action(
    _ verb: String, _ query: Int?, at time: Int64, _ more: (inout JSONWriter) -> Void
  ) {
    line("action") { json in
      json.member("client", 0)
      json.member("at", time)
      json.member("do", verb)
      if let query { json.member("query", query) }
      more(&json)
    }
  }

  /// Where a state stands in a list: what the app's schema said.
  mutating func write(_ place: RecordedPosition, at now: Instant) {
    guard let query = query(place.query), let object = objects[place.key],
      knownVersions.contains(KnownVersion(object: object, version: place.version))
    else { return }
    let after = place.after.flatMap { objects[$0] }
    let before = place.before.flatMap { objects[$0] }
    let time = time(now)
    line("place") { json in
      json.member("at", time)
      json.member("query", query)
      json.member("object", object)
      json.member("clock", place.version.clock)
      json.member("device", place.version.device)
      switch place.match {
      case .member: break
      case .notMember: json.member("is", "not-listed")
      case .unknown: json.member("is", "unknown")
      }
      if let after { json.member("after", after) }
      if let before { json.member("before", before) }
    }
  }

  mutating func read(
    _ target: FetchTarget, _ outcome: ReadOutcome, _ verb: String, _ rows: [RecordedRow]?,
    at now: Instant
  ) {
    switch target {
    case .query(let key):
      guard let query = query(key) else { return noPlace(at: now) }
      let time = time(now)
      let result = isNews(rows, of: key, at: time) ? rows.map { numbered($0) } : nil
      action(verb, query, at: time) { json in
        json.member("outcome", outcome.word)
        if let result { Self.write(result, &json) }
      }
    case .entity(let key):
      guard let object = object(key) else { return noPlace(at: now) }
      let time = time(now)
      if let rows { tell(of: rows, at: time) }
      let result = rows.map { numbered($0) }
      line("action") { json in
        json.member("client", 0)
        json.member("at", time)
        json.member("do", "open")
        json.member("object", object)
        json.member("outcome", outcome.word)
        if let result { Self.write(result, &json) }
      }
    }
  }

  /// Whether rows are other than what was written last of a query; then their states are told.
  mutating func isNews(
    _ rows: [RecordedRow]?, of key: QueryKey, at time: Int64
  ) -> Bool {
    guard let rows, shown[key] != rows else { return false }
    shown[key] = rows
    tell(of: rows, at: time)
    return true
  }

  /// Rows as the format names them.
  func numbered(_ rows: [RecordedRow]) -> [(object: Int, row: RecordedRow)] {
    rows.compactMap { row in objects[row.key].map { ($0, row) } }
  }

  static func write(
    _ result: [(object: Int, row: RecordedRow)], _ json: inout JSONWriter
  ) {
    json.array("result") { json in
      for (object, row) in result {
        json.array {
          $0.element(object)
          $0.element(row.version.clock)
          $0.element(row.version.device)
          $0.element(min(max(0, row.bytes), Int(Int32.max)))
        }
      }
    }
  }

  mutating func answer(
    _ fetch: FetchID, _ target: FetchTarget, _ response: RecordedResponse?, at now: Instant
  ) {
    // One that began before the file has no answer in it.
    guard let asked = fetches.removeValue(forKey: fetch)?.asked else { return }
    let time = time(now)
    guard let member = member(naming: target) else { return noPlace(at: now) }
    if case .query(let key) = target, let response, !response.isNotModified {
      shown[key] = response.rows
    }
    if let response { tell(of: response.rows, at: time) }
    let rows = response.map { numbered($0.rows) }
    shortest = min(shortest, time - asked)
    waited += time - asked
    answers += 1
    line("answer") { json in
      json.member("client", 0)
      json.member("asked", asked)
      json.member("at", time)
      json.member(member.0, member.1)
      guard let response, let rows else { return json.member("failure", "refused") }
      json.member("bytes", max(0, rows.reduce(0) { $0 + $1.row.bytes }))
      if response.isNotModified { json.flag("unchanged") } else { Self.write(rows, &json) }
      if response.hasMore { json.flag("more") }
      if let place = response.place {
        json.member("epoch", place.position.epoch)
        json.member("sequence", place.position.sequence)
      }
    }
  }

  /// Writes what is asked for and not answered when the file ends: without it a simulation would answer.
  mutating func writeUnanswered() {
    for (_, fetch) in fetches.sorted(by: { $0.key.number < $1.key.number }) {
      guard let member = member(naming: fetch.target) else { continue }
      let at = max(last, fetch.asked)
      line("answer") { json in
        json.member("client", 0)
        json.member("asked", fetch.asked)
        json.member("at", at)
        json.member(member.0, member.1)
        json.member("failure", "unanswered")
      }
    }
    fetches = [:]
  }

  /// How a line says what was asked for.
  private mutating func member(naming target: FetchTarget) -> (String, Int)? {
    switch target {
    case .query(let key): query(key).map { ("query", $0) }
    case .entity(let key): object(key).map { ("object", $0) }
    }
  }

  /// What the cache held when the file began is read before anything counts.
  mutating func hold(_ key: QueryKey, _ views: Int, _ rows: [RecordedRow]) {
    guard let query = query(key) else { return }
    let at = held * 4 + 1
    held += 1
    last = max(last, at + 1)
    shown[key] = rows
    tell(of: rows, at: at)
    let result = numbered(rows)
    for _ in 0..<max(1, views) { action(views > 0 ? "observe" : "read", query, at: at) { _ in } }
    line("answer") { json in
      json.member("client", 0)
      json.member("asked", at)
      json.member("at", at + 1)
      json.member("query", query)
      json.member("bytes", 0)
      Self.write(result, &json)
    }
  }
}
