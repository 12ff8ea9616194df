package import CacheModel
import Containers
import NormalizedCacheCore
import Workloads

/// Drives a cache that is known only from outside as the simulation drives its own, and holds it to the
/// rules.
///
/// What it keeps is unknown; what a query shows is what the cache last served or told for it.
package struct ExternalCacheDriver: SimulatedCache {
  let cache: any CacheUnderTest
  /// The same, where it is one of ours.
  let measured: (any MeasuredCache)?
  /// The most that it took.
  var peak = (memoryBytes: 0, limitShare: 0.0)
  let input: Simulation
  let outliving: OutlivingState
  /// The turns that there have been.
  package internal(set) var turn = 0
  var isLinkUp = true
  /// When it wants to be woken.
  package internal(set) var wake: Instant?
  var wakes = (at: Instant.zero, count: 0)
  package var fault: CacheFault?

  var actions: [CacheAction] = []
  var answered: [AnsweredRead] = []
  /// Reads that it has not answered, in the order of their turns.
  var unanswered: [UnansweredRead] = []
  /// Reads for which the user waited no longer, by turn: an answer may still come.
  var givenUp: [Int: CacheReply.Target] = [:]
  /// Requests under way, in the order in which they were made.
  var requests: [Request] = []

  /// By query: the states that it last served or told.
  var shown: [[Int32]?]
  package var observers: [Int]
  /// Whether the next read of a query is a view's first.
  var begins: [Bool]
  /// By object: the state that it last served.
  var served: [UInt32: Handle] = [:]
  /// By state: whether this client was ever sent it.
  var isSent: [Bool]
  /// The user's writes that have no answer, in the order in which they were made.
  var writes: [PendingWrite] = []
  /// The tokens of all writes that it was told of; looked up, never iterated.
  var told: Set<UInt32> = []
  /// What the user has created, by the client's numbers; looked up, never iterated.
  package internal(set) var created: [UInt32: UInt32] = [:]

  struct UnansweredRead {
    var turn: Int
    var target: CacheReply.Target
    var since: Instant
    /// Whether the server was asked for its target while it waited.
    var isAsked = false
    var ticket: FetchID { FetchID(number: UInt64(turn) | 1 << 63) }
  }

  struct Request {
    /// The number that the cache gave it.
    var id: Int
    /// `nil`: it asks for events.
    var target: CacheReply.Target?
  }

  /// More wakes at one instant are a loop.
  static var mostWakes: Int { 1_000 }
  /// A user waits no longer for a read.
  static var patience: Duration { .seconds(60) }

  package init(_ cache: any CacheUnderTest, _ input: Simulation, _ outliving: OutlivingState) {
    self.cache = cache
    measured = cache as? any MeasuredCache
    self.input = input
    self.outliving = outliving
    shown = Array(repeating: nil, count: input.workload.queries.count)
    observers = Array(repeating: 0, count: input.workload.queries.count)
    begins = Array(repeating: false, count: input.workload.queries.count)
    isSent =
      outliving.isSent
      ?? Array(repeating: false, count: input.workload.catalog.revisions.count)
    created = outliving.created
    told = outliving.told
    if cache.features.contains(.storage) || measured != nil { outliving.isStoring = true }
  }

  // MARK: Turns

  package mutating func take(_ input: CacheTurn.Input, at now: Instant) {
    guard fault == nil else { return }
    turn += 1
    do throws(CacheFault) {
      let answer = try cache.take(CacheTurn(number: turn, at: now, input: input))
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
      let states = try states(of: rows)
      if let target = givenUp.removeValue(forKey: turn) {
        try show(states, of: target)
        break
      }
      let read = try takeRead(of: turn)
      try show(states, of: read.target)
      var answer = AnsweredRead(ticket: read.ticket, isServed: true)
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
      shown[query] = try states(of: rows)
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
    for index in unanswered.indices where unanswered[index].target == target {
      unanswered[index].isAsked = true
    }
  }

  private mutating func show(
    _ states: [Int32], of target: CacheReply.Target
  ) throws(CacheFault) {
    switch target {
    case .query(let query): shown[query] = states
    case .object(let object): try serve(states, of: object)
    }
  }

  mutating func takeRead(of turn: Int) throws(CacheFault) -> UnansweredRead {
    guard let index = unanswered.firstIndex(where: { $0.turn == turn }) else {
      throw CacheFault(.noSuchRead, "turn \(turn)")
    }
    return unanswered.remove(at: index)
  }

  mutating func serve(_ states: [Int32], of object: UInt32) throws(CacheFault) {
    let asked = created[object] ?? object
    guard states.count <= 1, states.allSatisfy({ self.object(of: $0) == asked }) else {
      throw CacheFault(.badMember, "an open is answered by its own object, or by none")
    }
    served[object] = states.first.map { handle(of: $0) }
  }

  func states(of rows: [ServedRow]) throws(CacheFault) -> [Int32] {
    var states: [Int32] = []
    states.reserveCapacity(rows.count)
    for row in rows {
      guard isSent.indices.contains(row.version), isSent[row.version],
        Int(object(of: Int32(row.version))) == object(ofNumber: row.object)
      else { throw CacheFault(.forgedVersion, "object \(row.object), version \(row.version)") }
      states.append(Int32(row.version))
    }
    return states
  }

  func object(of state: Int32) -> UInt32 {
    input.workload.catalog.revisions[Int(state)].object
  }

  func handle(of state: Int32) -> Handle {
    Handle(object: object(of: state), revision: UInt32(state))
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
