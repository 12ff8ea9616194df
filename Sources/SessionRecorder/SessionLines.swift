import CacheModel
import NormalizedCache
import Text

/// Makes lines of the recording format out of what happened; one value for each file.
///
/// Lists are written as they were shown, so that neither fields nor rules are needed: each query of the app
/// is about an object of a type of the recorder's own, `list`.
struct SessionLines {
  private let outline: SessionOutline
  private let options: RecorderOptions
  /// From which time on the file counts, and how long what the cache held is read before.
  private let origin: Instant
  private let warmUp: Int64

  private var json = JSONWriter()
  private(set) var lineCount = 0
  private var library: LibraryID?
  private var last: Int64 = 0
  private var objects: [EntityKey: Int] = [:]
  private var lists: [QueryKey: Int] = [:]
  private var queries = 0
  private var objectCount = 0
  private var mutations = 0
  private var knownVersions: Set<KnownVersion> = []
  /// What was written last of what each query listed.
  private var shown: [QueryKey: [RecordedRow]] = [:]
  /// When each fetch began, by its number.
  private var fetches: [FetchID: Int64] = [:]
  private var lastPlace: StreamPosition?
  /// The last place that the answer to a write told of, before its event.
  private var answered: StreamPosition?
  private var held: Int64 = 0
  /// The shortest round trip, their sum and their number, for what the header says of the network.
  private var shortest = Int64.max
  private var waited: Int64 = 0
  private var answers: Int64 = 0
  /// Happenings for which there was no place.
  private(set) var withoutPlace = 0

  private struct KnownVersion: Hashable {
    var object: Int
    var version: Version
  }

  /// - Parameters:
  ///   - outline: what is known of the app.
  ///   - options: how it is written down.
  ///   - begun: when the file began.
  ///   - held: how many queries the cache held then.
  init(_ outline: SessionOutline, _ options: RecorderOptions, begun: Instant, held: Int) {
    self.outline = outline
    self.options = options
    // Each query that was held takes two times, and a time is left on either side.
    warmUp = held == 0 ? 0 : Int64(held) * 4 + 4
    origin = begun.advanced(byNanoseconds: -warmUp - 1)
  }

  /// The bytes since the last call, in whole lines.
  mutating func take() -> [UInt8] {
    defer { json = JSONWriter() }
    return json.bytes
  }

  private mutating func line(_ name: String, _ body: (inout JSONWriter) -> Void) {
    lineCount += 1
    json.line { json in
      json.member("line", name)
      body(&json)
    }
  }

  // MARK: The header

  /// The first line, always as long, so that it can be written over.
  var header: [UInt8] {
    var json = JSONWriter()
    json.line { json in
      json.member("format", "tidemark-session")
      json.member("version", 2)
      json.member("truth", "observed")
      json.member("name", options.name)
      json.member("policy", options.name)
      json.member("library", written(library?.rawValue ?? UniqueID(high: 0, low: 0)))
      json.object("retention") { json in
        json.member("events", 1_000_000_000)
        json.member("age", Int64.max / 4)
      }
      json.member("warmUp", warmUp)
      writeModel(&json)
    }
    let extra = answers == 0 ? 0 : waited / answers - min(shortest, waited / answers)
    let figures = [
      "\"duration\":\(max(last, warmUp + 1))",
      "\"network\":{\"minimumRoundTrip\":\(answers == 0 ? 0 : shortest),\"meanExtra\":\(extra)}",
    ].joined(separator: ",")
    // Three numbers of up to 19 digits, and their names.
    let room = 120
    return Array(json.bytes.dropLast(2)) + [UInt8(ascii: ",")] + Array(figures.utf8)
      + [UInt8](repeating: UInt8(ascii: " "), count: max(0, room - figures.utf8.count))
      + Array("}\n".utf8)
  }

  private func writeModel(_ json: inout JSONWriter) {
    let types = outline.types.map { $0.written("type", byName: options.namesTypes) }
    func field(_ name: String, _ holds: String, _ json: inout JSONWriter) {
      json.object { json in
        json.member("name", name)
        json.member("holds", holds)
        if holds == "reference" { json.member("to", "list") }
      }
    }
    func query(
      _ name: String, _ lists: [String], _ json: inout JSONWriter,
      _ condition: (inout JSONWriter) -> Void
    ) {
      json.object { json in
        json.member("name", name)
        json.array("lists") { json in for type in lists { json.element(type) } }
        json.array("where") { json in json.object { condition(&$0) } }
        json.array("order") { json in json.object { $0.member("field", "place") } }
        json.member("rows", 1_000_000)
      }
    }
    json.object("model") { json in
      json.array("types") { json in
        json.object { json in
          json.member("name", "list")
          json.array("fields") { _ in }
        }
        for type in types {
          json.object { json in
            json.member("name", type)
            json.array("fields") { json in
              field("list", "reference", &json)
              field("place", "integer", &json)
              field("typed", "text", &json)
            }
          }
        }
      }
      json.array("queries") { json in
        for method in outline.methods {
          let name = method.kind.written("method", byName: options.namesTypes)
          query(name, method.lists.map { types[$0] }, &json) { json in
            json.member("field", "list")
            json.member("is", "subject")
          }
        }
        json.object { json in
          json.member("name", "uncached")
          json.array("lists") { json in for type in types { json.element(type) } }
          json.array("where") { json in
            json.object {
              $0.member("field", "typed")
              $0.member("begins", "typed")
            }
          }
          json.array("order") { json in json.object { $0.member("field", "place") } }
          json.member("rows", 1_000_000)
          json.member("cachedFrom", 12)
        }
      }
    }
  }

  private func written(_ id: UniqueID) -> String {
    switch options.identifiers {
    case .kept: id.description
    case .numbered: UniqueID(high: 0, low: 0).description
    }
  }

  // MARK: What stands before

  /// The first lines below the header.
  mutating func begin() {
    line("client") { json in
      json.member("name", "app")
      json.array("partitions") { _ in }
    }
  }

  private mutating func object(_ key: EntityKey) -> Int? {
    if let known = objects[key] { return known }
    guard let type = outline.type(key.type) else { return nil }
    let name = outline.types[type].written("type", byName: options.namesTypes)
    let id =
      options.identifiers == .kept ? key.id : UniqueID(high: 0, low: UInt64(objectCount) + 1)
    line("object") { json in
      json.member("type", name)
      json.member("id", id.description)
    }
    objects[key] = objectCount
    defer { objectCount += 1 }
    return objectCount
  }

  private mutating func query(_ key: QueryKey) -> Int? {
    if let known = lists[key] { return known }
    guard let method = outline.method(key.method), library == nil || key.library == library else {
      return nil
    }
    library = key.library
    let plan = outline.limit(key)
    let name =
      plan.isCacheable
      ? outline.methods[method].kind.written("method", byName: options.namesTypes) : "uncached"
    let limit = plan.rows.map { UInt32(clamping: $0) } ?? .max
    let number = queries
    if plan.isCacheable {
      line("object") { json in
        json.member("type", "list")
        json.member("id", UniqueID(high: .max, low: UInt64(number)).description)
      }
    }
    let subject = objectCount
    if plan.isCacheable { objectCount += 1 }
    line("query") { json in
      json.member("method", name)
      if plan.isCacheable {
        json.member("subject", subject)
      } else {
        json.member("prefix", Self.letters(of: number))
      }
      json.member("limit", limit)
      json.member("order", "as-shown")
    }
    lists[key] = number
    queries += 1
    return number
  }

  /// A number in letters, up to eleven of them.
  private static func letters(of number: Int) -> String {
    var letters = ""
    var rest = number
    repeat {
      letters.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + UInt8(rest % 26)))
      rest /= 26
    } while rest > 0
    return letters
  }

  /// Tells of the states that some rows are in, as far as nothing has yet.
  private mutating func tell(of rows: [RecordedRow], at time: Int64) {
    var untold: [(Int, RecordedRow)] = []
    for row in rows {
      guard let object = object(row.key) else { continue }
      if knownVersions.insert(KnownVersion(object: object, version: row.version)).inserted {
        untold.append((object, row))
      }
    }
    if untold.isEmpty { return }
    writeMutation(untold.count == 1 ? "changed" : "batch", untold, place: nil, at: time) { _ in }
  }

  private mutating func writeMutation(
    _ kind: String, _ states: [(object: Int, row: RecordedRow)], place: EventPlace?, at time: Int64,
    _ more: (inout JSONWriter) -> Void
  ) {
    let bytes = states.reduce(0) { $0 + $1.row.bytes }
    line("mutation") { json in
      json.member("at", time)
      if let place {
        json.member("epoch", place.position.epoch)
        json.member("sequence", place.position.sequence)
      }
      json.member("kind", kind)
      json.member("bytes", max(0, bytes))
      more(&json)
      if kind != "deleted" {
        json.array("items") { json in
          for state in states {
            json.object { json in
              json.member("object", state.object)
              json.member("clock", state.row.version.clock)
              json.member("device", state.row.version.device)
              json.member("bytes", min(max(0, state.row.bytes), Int(Int32.max)))
            }
          }
        }
      }
    }
    mutations += 1
  }

  // MARK: What happened

  /// Writes down that lines are missing.
  mutating func gap(_ lines: Int, _ cause: String, at now: Instant) {
    let time = time(now)
    line("gap") { json in
      json.member("at", time)
      json.member("lines", lines)
      json.member("why", cause)
    }
  }

  private mutating func time(_ now: Instant) -> Int64 {
    last = max(last + 1, origin.duration(to: now).wholeNanoseconds)
    return last
  }

  private mutating func noPlace(at now: Instant) {
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
    case .tagged(let key):
      guard let query = query(key) else { return noPlace(at: now) }
      action("tag", query, at: time(now)) { _ in }
    case .fetchBegan(let fetch, _):
      // A fetch begins in the commit of what asks for it.
      let began = origin.duration(to: now).wholeNanoseconds
      fetches[fetch] = began - last < 1_000_000 ? last : began
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

  private mutating func action(
    _ verb: String, _ query: Int, at time: Int64, _ more: (inout JSONWriter) -> Void
  ) {
    line("action") { json in
      json.member("client", 0)
      json.member("at", time)
      json.member("do", verb)
      json.member("query", query)
      more(&json)
    }
  }

  private mutating func read(
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
  private mutating func isNews(
    _ rows: [RecordedRow]?, of key: QueryKey, at time: Int64
  ) -> Bool {
    guard let rows, shown[key] != rows else { return false }
    shown[key] = rows
    tell(of: rows, at: time)
    return true
  }

  /// Rows as the format names them.
  private func numbered(_ rows: [RecordedRow]) -> [(object: Int, row: RecordedRow)] {
    rows.compactMap { row in objects[row.key].map { ($0, row) } }
  }

  private static func write(
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

  private mutating func answer(
    _ fetch: FetchID, _ target: FetchTarget, _ response: RecordedResponse?, at now: Instant
  ) {
    // One that began before the file is answered to nobody in it.
    guard let asked = fetches.removeValue(forKey: fetch) else { return }
    let time = time(now)
    let member: (String, Int)
    switch target {
    case .query(let key):
      guard let query = query(key) else { return noPlace(at: now) }
      member = ("query", query)
      if let response, !response.isNotModified { shown[key] = response.rows }
    case .entity(let key):
      guard let object = object(key) else { return noPlace(at: now) }
      member = ("object", object)
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

  /// What the cache held when the file began is read before anything counts.
  private mutating func hold(_ key: QueryKey, _ views: Int, _ rows: [RecordedRow]) {
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

  // MARK: Events

  private mutating func write(_ event: RecordedEvent, at now: Instant) {
    if let library, let stream = event.place?.stream, stream.library != library {
      return noPlace(at: now)
    }
    if let stream = event.place?.stream { library = library ?? stream.library }
    var place = event.place
    // A stream of which the app hears some only would look as if it had gaps.
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
        // The app knew what this tells, and the file says so.
        return
      } else if position > lastPlace ?? StreamPosition(epoch: 0, sequence: 0) {
        lastPlace = position
      } else {
        // One that comes late, or twice, has no place in a file that tells them in order.
        place = nil
      }
    }
    write(event.kind, place: place, at: now)
  }

  private mutating func write(
    _ kind: RecordedEvent.Kind, place: EventPlace?, at now: Instant
  ) {
    switch kind {
    case .changed(let row):
      guard let object = object(row.key) else { return noPlace(at: now) }
      deliver("changed", [(object, row)], place, at: now) { _ in }
    case .batch(let rows, let origin):
      let states = rows.compactMap { row in object(row.key).map { ($0, row) } }
      deliver("batch", states, place, at: now) { json in
        if let origin { json.member("origin", origin.rawValue) }
      }
    case .deleted(let keys, let version):
      let gone = keys.compactMap { object($0) }
      deliver("deleted", [], place, at: now) { json in
        json.member("clock", version.clock)
        json.member("writer", version.device)
        json.array("items") { json in
          for object in gone {
            json.object {
              $0.member("object", object)
              $0.flag("deleted")
            }
          }
        }
      }
    case .bulkNotice(let tag, let token): write(notice: tag, token: token, place: place, at: now)
    case .infrastructure: deliver("infrastructure", [], place, at: now) { _ in }
    }
  }

  private mutating func write(
    notice tag: InvalidationTag, token: UInt64?, place: EventPlace?, at now: Instant
  ) {
    guard tag.location == nil, tag.method == nil, tag.library == library ?? tag.library else {
      return noPlace(at: now)
    }
    var type: Int?
    if let own = tag.resourceType {
      // The recorder's own type is the first of the model.
      guard let place = outline.type(own) else { return noPlace(at: now) }
      type = place + 2
    }
    let number = token ?? UInt64(mutations) | 1 << 63
    deliver("bulk-notice", [], place, at: now) { json in
      if let type { json.member("type", type) }
      json.member("token", number)
    }
  }

  private mutating func deliver(
    _ kind: String, _ states: [(object: Int, row: RecordedRow)], _ place: EventPlace?,
    at now: Instant, _ more: (inout JSONWriter) -> Void
  ) {
    let time = time(now)
    for (object, row) in states {
      knownVersions.insert(KnownVersion(object: object, version: row.version))
    }
    let number = mutations
    writeMutation(kind, states, place: place, at: time, more)
    line("delivery") { json in
      json.member("client", 0)
      json.member("at", time)
      json.member("mutation", number)
    }
  }
}

extension ReadOutcome {
  /// The format's word.
  fileprivate var word: String {
    switch self {
    case .hit: "hit"
    case .partial: "partial"
    case .missCold: "miss_cold"
    case .missExpired: "miss_expired"
    case .missEvicted: "miss_evicted"
    case .missInvalidated: "miss_invalidated"
    case .coalesced: "coalesced"
    case .bypass: "bypass"
    }
  }
}
