package import CacheModel
import NormalizedCacheCore
import Workloads

/// Drives a black-box cache as the simulation drives its own, and checks that it keeps the rules.
///
/// Its contents are unknown; a query shows the rows that the cache last served or sent for it.
package struct ExternalCacheDriver: SimulatedCache {
  let cache: any CacheUnderTest
  /// The cache, if it is a built-in one.
  let measured: (any MeasuredCache)?
  var peak = (memoryBytes: 0, limitShare: 0.0)
  let input: Simulation
  let outliving: OutlivingState
  package internal(set) var turn = 0
  var isLinkUp = true
  /// The requested wake-up.
  package internal(set) var wake: Instant?
  var wakes = (at: Instant.zero, count: 0)
  package var fault: CacheFault?

  var actions: [CacheAction] = []
  var answered: [AnsweredRead] = []
  /// Reads without an answer, in the order of their turns.
  var unanswered: [UnansweredRead] = []
  /// Reads that the user gave up, by turn: an answer may still come.
  var givenUp: [Int: CacheReply.Target] = [:]
  /// Requests in flight, in the order in which they were made.
  var requests: [Request] = []

  /// The rows that it last served or sent for each query, by version.
  var shown: [[Int32]?]
  package var observers: [Int]
  /// Whether the next read of each query is a view's first.
  var begins: [Bool]
  /// The state that it last served of each object.
  var served: [UInt32: Handle] = [:]
  /// The states ever sent to this client.
  var sent: SentStates
  /// The user's writes without an answer, in the order in which they were made.
  var writes: [PendingWrite] = []
  /// The tokens of all writes that it received; looked up, never iterated.
  var told: Set<UInt32> = []
  /// The objects created by the user, by the client's numbers; looked up, never iterated.
  package internal(set) var created: [UInt32: UInt32] = [:]

  struct UnansweredRead {
    var turn: Int
    var target: CacheReply.Target
    var since: Instant
    /// Whether the server was asked while it waited: for its target, or of a cache in another process, which
    /// may make an answer of others, for anything.
    var isAsked = false
    var ticket: FetchID { FetchID(number: UInt64(turn) | 1 << 63) }
  }

  struct Request {
    /// The cache's number of the request.
    var id: Int
    /// `nil`: a request for events.
    var target: CacheReply.Target?
  }

  /// The maximum number of wake-ups at one instant; more are a loop.
  static var mostWakes: Int { 1_000 }
  /// The maximum time for which a user waits for a read.
  static var patience: Duration { .seconds(60) }

  package init(_ cache: any CacheUnderTest, _ input: Simulation, _ outliving: OutlivingState) {
    self.cache = cache
    measured = cache as? any MeasuredCache
    self.input = input
    self.outliving = outliving
    shown = Array(repeating: nil, count: input.workload.queries.count)
    observers = Array(repeating: 0, count: input.workload.queries.count)
    begins = Array(repeating: false, count: input.workload.queries.count)
    sent = outliving.sent ?? SentStates(count: input.workload.catalog.revisions.count)
    created = outliving.created
    told = outliving.told
    if cache.features.contains(.storage) || measured != nil { outliving.isStoring = true }
  }

  // MARK: Turns

  package mutating func take(_ operation: CacheOperation, at now: Instant) {
    guard fault == nil else { return }
    turn += 1
    do throws(CacheFault) {
      let answer = try cache.take(CacheTurn(number: turn, at: now, operation: operation))
      for reply in answer.replies { try accept(reply, at: now) }
      if let next = answer.wake, next < now {
        throw CacheFault(
          .wakeInThePast, "\(next.inWords), \(next.duration(to: now).inWords) before this turn")
      }
      wake = answer.wake
      if let use = measured?.use {
        peak.memoryBytes = max(peak.memoryBytes, use.memoryBytes)
        peak.limitShare = max(peak.limitShare, use.limitShare ?? 0)
      }
    } catch {
      fault = CacheFault(error.kind, error.detail, turn: turn, at: now)
    }
  }

  mutating func accept(_ reply: CacheReply, at now: Instant) throws(CacheFault) {
    switch reply {
    case .serve(let turn, let rows):
      let versions = try versions(of: rows)
      if let target = givenUp.removeValue(forKey: turn) {
        try show(versions, of: target)
        break
      }
      let read = try takeRead(of: turn)
      try show(versions, of: read.target)
      var answer = AnsweredRead(ticket: read.ticket, isServed: true)
      answer.isAsked = read.isAsked
      answer.isFromDisk = measured != nil && !read.isAsked
      if case .object(let object) = read.target { answer.entity = served[object] }
      answered.append(answer)
    case .fail(let turn):
      guard givenUp.removeValue(forKey: turn) == nil else { break }
      answered.append(AnsweredRead(ticket: try takeRead(of: turn).ticket, isServed: false))
    case .fetch(let id, let target, let place):
      try begin(id, target)
      let asked = try fetchTarget(of: target)
      if case .query(let query) = target { outliving.lists?.ask(for: query, input) }
      actions.append(
        .fetch(
          FetchID(number: UInt64(id)),
          FetchRequest(
            target: asked,
            unlessChangedSince: place.map { EventPlace(stream: stream, position: $0) })))
    case .reconcile(let id, let position):
      try begin(id, nil)
      actions.append(
        .reconcile(
          ReconcileID(number: UInt64(id)), stream: stream, after: position, form: .events))
    case .notify(let query, let rows):
      guard input.keys.indices.contains(query) else { throw CacheFault(.unknownQuery, "\(query)") }
      try show(try versions(of: rows), of: .query(query))
      if observers[query] > 0 { actions.append(.notify(input.keys[query], observedAs: -1)) }
    case .send(let token): try send(write: token)
    case .store(let key, let value):
      guard outliving.isStoring else {
        throw CacheFault(
          .unknownMessage, "\"store\", without `\(CacheFeature.storage.rawValue)` in hello")
      }
      try outliving.stored.put(key, value, at: now)
    }
  }

  private var stream: StreamID { StreamID(library: input.workload.library) }

  mutating func begin(
    _ id: Int, _ target: CacheReply.Target?
  ) throws(CacheFault) {
    guard id >= 0, !requests.contains(where: { $0.id == id }) else {
      throw CacheFault(.usedID, "\(id)")
    }
    requests.append(Request(id: id, target: target))
    for index in unanswered.indices where measured == nil || unanswered[index].target == target {
      unanswered[index].isAsked = true
    }
  }

  private mutating func show(
    _ versions: [Int32], of target: CacheReply.Target
  ) throws(CacheFault) {
    if case .query(let query) = target, input.seen.areSummaries(query) {
      shown[query] = versions
      return
    }
    if let part = versions.first(where: { $0 < 0 }) {
      throw CacheFault(.partAsWhole, "object \(object(of: part)), version \(part)")
    }
    switch target {
    case .query(let query): shown[query] = versions
    case .object(let object): try serve(versions, of: object)
    }
  }

  mutating func takeRead(of turn: Int) throws(CacheFault) -> UnansweredRead {
    guard let index = unanswered.firstIndex(where: { $0.turn == turn }) else {
      throw CacheFault(.noSuchRead, "turn \(turn)")
    }
    return unanswered.remove(at: index)
  }

  mutating func serve(_ versions: [Int32], of object: UInt32) throws(CacheFault) {
    let asked = created[object] ?? object
    guard versions.count <= 1, versions.allSatisfy({ self.object(of: $0) == asked }) else {
      throw CacheFault(.badMember, "an open is answered by its own object, or by none")
    }
    served[object] = versions.first.map { handle(of: $0) }
  }

  func versions(of rows: [ServedRow]) throws(CacheFault) -> [Int32] {
    var versions: [Int32] = []
    versions.reserveCapacity(rows.count)
    for row in rows {
      guard sent.contains(version: row.version),
        Int(object(of: Int32(row.version))) == object(ofNumber: row.object)
      else { throw CacheFault(.forgedVersion, "object \(row.object), version \(row.version)") }
      versions.append(Int32(row.version))
    }
    return versions
  }

  func object(of version: Int32) -> UInt32 {
    input.workload.catalog.revisions[SentStates.state(of: version)].object
  }

  func handle(of version: Int32) -> Handle {
    let whole = Handle(
      object: object(of: version), revision: UInt32(SentStates.state(of: version)))
    return version < 0 ? whole.summary : whole
  }

  func fetchTarget(of target: CacheReply.Target) throws(CacheFault) -> FetchTarget {
    switch target {
    case .query(let query):
      guard input.keys.indices.contains(query) else { throw CacheFault(.unknownQuery, "\(query)") }
      return .query(input.keys[query])
    case .object(let object):
      let object = created[object] ?? object
      guard input.workload.catalog.objects.indices.contains(Int(object)) else {
        throw CacheFault(.unknownQuery, "object \(object)")
      }
      return .entity(input.workload.catalog.objects[Int(object)])
    }
  }
}

/// Operations composed outside the simulation: the cache may serve from then on what they bring.
extension ExternalCacheDriver {
  package mutating func perform(_ operation: CacheOperation, at now: Instant) {
    switch operation {
    case .read(let query), .observe(let query): _ = ask(.query(query), operation, at: now)
    case .open(let object): _ = ask(.object(object), operation, at: now)
    case .event(let event):
      note(sent: event)
      take(operation, at: now)
    case .response(let request, let response):
      if case .rows(let rows, _, _) = response { note(sent: rows) }
      if case .events(let events, _) = response { for event in events { note(sent: event) } }
      end(request, response, at: now)
    case .write(let write):
      let mutation = SimulatedMutation(
        token: WriteNames.token(of: write.token), library: input.workload.library, edits: [])
      take(write, of: mutation, at: now)
    case .answer(let token, let answer):
      if case .confirmed(let confirmation) = answer { note(sent: confirmation.rows) }
      end(WriteNames.token(of: token), answer, at: now)
    case .unobserve, .tag, .heartbeat, .link, .wake: take(operation, at: now)
    }
  }

  /// The token of the user's first write without an answer.
  package var unansweredWrite: UInt32? { writes.first?.number }

  /// Discards the cache's requests, which the simulation would perform.
  package mutating func dropActions() {
    answered.removeAll(keepingCapacity: true)
    actions.removeAll(keepingCapacity: true)
  }

  private mutating func note(sent event: CacheOperation.Event) {
    if case .changed(let rows) = event.content { note(sent: rows) }
  }

  private mutating func note(sent rows: [SentRow]) {
    for row in rows { sent.insert(row.state, isPart: row.isPart) }
  }
}

/// The states ever sent to a client, as wholes and as parts.
///
/// The version of a whole is the number of its state, and that of a part its complement (``SentRow/served``).
struct SentStates: Sendable {
  private var wholes: [Bool]
  private var parts: [Bool]

  init(count: Int) {
    wholes = Array(repeating: false, count: count)
    parts = wholes
  }

  mutating func insert(_ state: UInt32, isPart: Bool) {
    if isPart { parts[Int(state)] = true } else { wholes[Int(state)] = true }
  }

  func contains(version: Int) -> Bool {
    version < 0
      ? parts.indices.contains(~version) && parts[~version]
      : wholes.indices.contains(version) && wholes[version]
  }

  static func state(of version: Int32) -> Int { Int(version < 0 ? ~version : version) }
}
