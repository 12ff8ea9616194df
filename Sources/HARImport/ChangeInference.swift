/// Infers the states of entities, and when each began, from answers and messages.
///
/// A state is new if a field differs from an earlier sighting. It began after the server's last request for
/// an answer with the old value, and at the latest with the first answer with the new one. For overlapping
/// answers, the order with the fewest changes is chosen.
struct ChangeInference {
  /// The content of an answer or a message at one time.
  struct Evidence {
    /// The time of the request: the answer is not from before.
    var start: Int64
    /// The time of the answer: the server did not answer later.
    var end: Int64
    private var lastAsked = Int64.min
    /// The request with its rows: the request itself, or an earlier one that it confirms.
    var source: Int32
    /// The entity that represents content without an entity.
    var own: Int32
    /// The entity that it deletes, and so does not contain.
    var deletes: Int32?
    var kind: LoggedRequest.Kind
    /// The entry whose messages are in order; −1 for what is no message.
    let stream: Int64

    /// The time of the query's previous answer; `nil` if there is none.
    var asked: Int64? {
      get { lastAsked == .min ? nil : lastAsked }
      set { lastAsked = newValue ?? .min }
    }

    init(_ request: LoggedRequest, source: Int, own: Int32) {
      (start, end, kind) = (request.start, request.end, request.kind)
      (self.source, self.own) = (Int32(source), own)
      stream = kind == .event ? Int64(request.file) << 32 | Int64(request.entry) : -1
    }
  }

  struct State {
    var bytes: Int
    /// The fields that differ from the previous state.
    var changed: [FieldChange] = []
  }

  struct FieldChange {
    var name: Int32
    /// What the change adds to a sum of the field's values, which is equal again if the value comes back.
    var difference: UInt64
  }

  /// The start of a state.
  struct Change {
    var entity: Int32
    var state: Int32
    /// The number of the first evidence with it.
    var evidence: Int
    /// The time after which the state began.
    var since: Int64
  }

  /// The states of each entity; empty for one that never occurs.
  private(set) var states: [[State]]
  /// The index of each evidence's first state.
  private var firstSight: [Int32]
  private var stateOfSight: [Int32]
  /// The changes, in no order.
  private(set) var changes: [Change] = []
  /// Whether the first state of each entity existed before the recording.
  private(set) var isInitial: [Bool]
  /// The numbers of repeated and changed sightings, by type and field.
  private(set) var repeats: [FieldOfType: (all: Int, different: Int)] = [:]

  struct FieldOfType: Hashable, Comparable {
    /// The type; −1: content without an entity.
    var type: Int32
    var name: Int32

    static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.type, lhs.name) < (rhs.type, rhs.name)
    }
  }

  private let log: TrafficLog

  private struct Sighting {
    private var number: Int32
    private var place: Int32
    var sight: Int32
    var evidence: Int { Int(number) }
    /// The index among the evidence's sightings; −1: a deletion.
    var row: Int { Int(place) }

    init(evidence: Int, row: Int, sight: Int32) {
      (number, place, self.sight) = (Int32(evidence), Int32(row), sight)
    }
  }

  private struct Known {
    var value: UInt64
    var bytes: Int32
    /// The request time of its last answer.
    var seen: Int64
    /// Its last state.
    var state: Int32
  }

  init(_ log: TrafficLog, _ evidence: [Evidence], _ shown: ShownRows, entityCount count: Int) {
    self.log = log
    states = [[State]](repeating: [], count: count)
    isInitial = [Bool](repeating: true, count: count)
    firstSight = []
    firstSight.reserveCapacity(evidence.count)
    // The start of each entity's sightings, sorted by entity.
    var starts = [Int](repeating: 0, count: count + 1)
    var sights: Int32 = 0
    for one in evidence {
      firstSight.append(sights)
      shown.forEachSight(of: one) { _, entity, _ in
        starts[Int(entity) + 1] += 1
        sights += 1
      }
      if let entity = one.deletes { starts[Int(entity) + 1] += 1 }
    }
    stateOfSight = [Int32](repeating: 0, count: Int(sights))
    for entity in 0..<count { starts[entity + 1] += starts[entity] }
    var sightings = [Sighting](
      repeating: Sighting(evidence: -1, row: -1, sight: -1), count: starts[count])
    var next = starts
    for (number, one) in evidence.enumerated() {
      shown.forEachSight(of: one) { row, entity, sight in
        sightings[next[Int(entity)]] = Sighting(evidence: number, row: row, sight: sight)
        next[Int(entity)] += 1
      }
      if let entity = one.deletes {
        sightings[next[Int(entity)]] = Sighting(evidence: number, row: -1, sight: -1)
        next[Int(entity)] += 1
      }
    }
    for entity in 0..<count {
      infer(entity, Array(sightings[starts[entity]..<starts[entity + 1]]), evidence)
    }
  }

  /// Returns the state of an evidence's row.
  func state(shownBy evidence: Int, _ row: Int) -> Int32 {
    stateOfSight[Int(firstSight[evidence]) + row]
  }

  // MARK: One entity

  /// The maximum number of overlapping sightings that are compared; beyond it, the first ones are taken in
  /// order.
  private static let window = 64

  private mutating func infer(_ entity: Int, _ sightings: [Sighting], _ evidence: [Evidence]) {
    var pending = sightings[...]
    var known: [UInt64: Known] = [:]
    var deletedAt: Int64?
    while let first = pending.first {
      let horizon = evidence[first.evidence].end
      var place = pending.startIndex
      var streams: [Int64] = []
      let rivals = pending.prefix(Self.window).indices.filter { index in
        let one = evidence[pending[index].evidence]
        guard one.start <= horizon, !streams.contains(one.stream) else { return false }
        // The messages of a stream stay in their order.
        if one.stream >= 0 { streams.append(one.stream) }
        return true
      }
      if rivals.count > 1 { place = next(rivals, pending, known, states[entity].count) }
      let sighting = pending[place]
      for index in stride(from: place, to: pending.startIndex, by: -1) {
        pending[index] = pending[index - 1]
      }
      pending = pending.dropFirst()
      if sighting.row < 0 {
        deletedAt = evidence[sighting.evidence].end
        continue
      }
      let one = evidence[sighting.evidence]
      if let at = deletedAt {
        if one.start <= at, !states[entity].isEmpty {
          note(sighting, Int32(states[entity].count - 1))
          continue
        }
        // An entity after its deletion is new.
        deletedAt = nil
        for key in known.keys.sorted() { known[key]?.value = 0 }
      }
      take(sighting, one, entity, &known)
    }
  }

  /// Returns the first of overlapping sightings.
  private func next(
    _ rivals: [Int], _ pending: ArraySlice<Sighting>, _ known: [UInt64: Known], _ count: Int
  ) -> Int {
    func fits(_ sight: Int32) -> Bool {
      sight < 0
        || log.fields[log.sights[Int(sight)].fields].allSatisfy { field in
          guard let old = known[field.label] else { return true }
          return old.value == field.value || Int(old.state) < count - 1
        }
    }
    // A deletion is last, if nothing else fits.
    let seen = rivals.filter { pending[$0].sight >= 0 }
    guard !seen.isEmpty else { return rivals[0] }
    let version = { (index: Int) in log.sights[Int(pending[index].sight)].version ?? .min }
    let fitting = seen.filter { fits(pending[$0].sight) }
    if let place = fitting.min(by: { (version($0), $0) < (version($1), $1) }) { return place }
    // The state that ends first; an older version before a newer one.
    let window = pending.prefix(Self.window)
    func last(_ index: Int) -> Int {
      window.indices.last { agree(pending[index].sight, pending[$0].sight) } ?? index
    }
    return seen.min { (version($0), last($0), $0) < (version($1), last($1), $1) } ?? seen[0]
  }

  /// Returns whether two sightings may have the same state.
  private func agree(_ lhs: Int32, _ rhs: Int32) -> Bool {
    guard lhs >= 0, rhs >= 0, lhs != rhs else { return lhs == rhs }
    let left = log.fields[log.sights[Int(lhs)].fields]
    let right = log.fields[log.sights[Int(rhs)].fields]
    return left.enumerated().allSatisfy { offset, field in
      // Most answers have the same fields in the same order.
      let place = right.startIndex + offset
      if place < right.endIndex, right[place].label == field.label {
        return right[place].value == field.value
      }
      return right.first { $0.label == field.label }.map { $0.value == field.value } ?? true
    }
  }

  private mutating func take(
    _ sighting: Sighting, _ one: Evidence, _ entity: Int, _ known: inout [UInt64: Known]
  ) {
    let sight = log.sights[Int(sighting.sight)]
    let fields = log.fields[sight.fields]
    let type = sight.entity.map { log.entities[Int($0)].type } ?? -1
    if states[entity].isEmpty {
      begin(sighting, one, entity)
    } else {
      let current = Int32(states[entity].count - 1)
      var since = Int64.max
      for field in fields {
        guard let old = known[field.label] else { continue }
        let isDifferent = old.value != field.value
        let name = FieldOfType(type: type, name: field.name)
        repeats[name, default: (0, 0)].all += 1
        repeats[name, default: (0, 0)].different += isDifferent ? 1 : 0
        if isDifferent, old.state == current { since = min(since, old.seen) }
      }
      if since < .max {
        let bytes = states[entity].last?.bytes ?? 0
        states[entity].append(State(bytes: bytes))
        changes.append(
          Change(
            entity: Int32(entity), state: current + 1, evidence: sighting.evidence,
            since: one.kind == .write ? one.start : min(since, one.end)))
      }
    }
    let state = Int32(states[entity].count - 1)
    for field in fields {
      if var old = known[field.label] {
        if old.value != field.value {
          let difference =
            Print.of(field.label, field.value) &- Print.of(field.label, old.value)
          states[entity][Int(state)].changed.append(
            FieldChange(name: field.name, difference: difference))
          states[entity][Int(state)].bytes += Int(field.bytes) - Int(old.bytes)
        }
        (old.value, old.bytes) = (field.value, field.bytes)
        (old.seen, old.state) = (max(old.seen, one.start), state)
        known[field.label] = old
      } else {
        known[field.label] = Known(
          value: field.value, bytes: field.bytes, seen: one.start, state: state)
        // The entity existed before it was seen.
        for earlier in states[entity].indices {
          states[entity][earlier].bytes += Int(field.bytes)
        }
      }
    }
    note(sighting, state)
  }

  private mutating func note(_ sighting: Sighting, _ state: Int32) {
    stateOfSight[Int(firstSight[sighting.evidence]) + sighting.row] = state
  }

  /// Begins the first state: it existed before, unless its evidence created it, or an earlier list lacked it.
  private mutating func begin(_ sighting: Sighting, _ one: Evidence, _ entity: Int) {
    states[entity].append(State(bytes: 1))
    guard log.sights[Int(sighting.sight)].entity != nil else { return }
    let since: Int64? =
      switch one.kind {
      case .write: one.start
      // It was created at any time before the message.
      case .event: .min
      case .query: one.asked
      }
    guard let since else { return }
    isInitial[entity] = false
    changes.append(
      Change(
        entity: Int32(entity), state: 0, evidence: sighting.evidence, since: min(since, one.end)))
  }
}
