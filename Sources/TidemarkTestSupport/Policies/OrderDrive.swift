import CacheModel
import EvictionPolicies

/// Random operations on one eviction order, compared with a model that knows which slots are evictable.
///
/// It keeps every guarantee of the caller and no more: it retains beyond the capacity, releases in any order,
/// removes for every cause, reuses slots for other entities, lets departed entities return, makes space
/// before or after an arrival, and asks for victims that it does not evict. The mix of operations depends on
/// the seed; with odd seeds weights and lifetimes differ and change.
struct OrderDrive: ~Copyable {
  private let policy: String
  private let capacity: Int?
  private let seed: UInt64
  /// Whether hits reach the order in batches or one by one.
  private let batchesHits: Bool

  private let order: any EvictionOrder
  private var random: RandomSource
  private var weights: [Int] = []
  private var step = 0

  private var entries: [EvictionEntry] = []
  private var evictable: [Slot] = []
  private var retained: [Slot] = []
  private var free: [Slot] = []
  private var lastFingerprint: UInt64 = 0
  /// Departed entities that may return.
  private var departed: [UInt64] = []
  /// Every answer of the order; -1 means `nil`.
  private(set) var answers: [Slot] = []

  private enum Operation: Int, CaseIterable {
    case insert, hit, retain, release, remove, evict, ask
  }

  init(
    of descriptor: EvictionPolicyDescriptor, capacity: Int?, seed: UInt64, batchesHits: Bool = true
  ) {
    policy = descriptor.name
    self.capacity = capacity
    self.seed = seed
    self.batchesHits = batchesHits
    let source = RandomSource(seed: seed)
    random = source.substream("drive")
    order = descriptor.makeOrder(capacity, source.substream("policy"))
    // Some operations are rare in some runs, so that others accumulate.
    for _ in Operation.allCases { weights.append([1, 4, 16][random.below(3)]) }
    weights[Operation.insert.rawValue] += 8
  }

  mutating func run(steps: Int) throws(ConformanceFailure) {
    _ = try victim()
    while step < steps {
      step += 1
      try perform(pick())
      order.checkInvariants()
    }
    try drain()
    while let slot = retained.popLast() { release(slot) }
    try drain()
  }

  private mutating func pick() -> Operation {
    var draw = random.below(weights.reduce(0, +))
    for (operation, weight) in zip(Operation.allCases, weights) {
      if draw < weight { return operation }
      draw -= weight
    }
    return .insert
  }

  private mutating func perform(_ operation: Operation) throws(ConformanceFailure) {
    switch operation {
    case .insert: try insert()
    case .hit: hit()
    case .retain:
      guard let slot = Self.take(from: &evictable, &random) else { return }
      retained.append(slot)
      order.didRetain(slot)
    case .release:
      guard let slot = Self.take(from: &retained, &random) else { return }
      release(slot)
    case .remove:
      guard let slot = Self.take(from: &evictable, &random) else { return }
      let causes = RemovalCause.allCases.filter { $0 != .retained }
      order.didRemove(slot, cause: causes[random.below(causes.count)])
      depart(slot)
    case .evict: _ = try evict()
    case .ask: _ = try victim()
    }
  }

  private mutating func insert() throws(ConformanceFailure) {
    // Without a capacity the model still has a limit, so that checks stay cheap.
    let room = capacity ?? 40
    // Retained entities may exceed the capacity.
    guard retained.count < room + 4 else { return }
    var entry = EvictionEntry(
      slot: -1, fingerprint: arrival(), weight: weight(), expiry: expiry())
    let makesSpaceFirst = capacity != 0 && random.chance(0.7)
    if makesSpaceFirst {
      order.willInsert(entry)
      while evictable.count + retained.count >= max(room, 1), try evict() {}
    }
    entry.slot = vacantSlot()
    entries[Int(entry.slot)] = entry
    evictable.append(entry.slot)
    order.didInsert(entry)
    while evictable.count + retained.count > room, try evict() {}
  }

  /// Returns the fingerprint of an entity that is not resident.
  private mutating func arrival() -> UInt64 {
    if !departed.isEmpty, random.chance(0.6) {
      return departed.remove(at: random.below(departed.count))
    }
    lastFingerprint += 1
    return lastFingerprint
  }

  private mutating func weight() -> Int32 { seed % 2 == 0 ? 1 : Int32(1 + random.below(3)) }

  private mutating func expiry() -> Int64 {
    seed % 2 == 0 ? .max : Int64(step + random.below(100))
  }

  private mutating func depart(_ slot: Slot) {
    free.append(slot)
    departed.append(entries[Int(slot)].fingerprint)
    if departed.count > 100 { departed.removeFirst(50) }
  }

  private mutating func hit() {
    guard !evictable.isEmpty else { return }
    var batch: [EvictionEntry] = []
    for _ in 0..<random.below(5) {
      let slot = Int(evictable[random.below(evictable.count)])
      entries[slot].weight = weight()
      entries[slot].expiry = expiry()
      batch.append(entries[slot])
    }
    if batchesHits {
      order.didHit(batch.span)
    } else {
      for entry in batch { order.didHit([entry].span) }
    }
  }

  private mutating func release(_ slot: Slot) {
    evictable.append(slot)
    order.didRelease(entries[Int(slot)])
  }

  /// Evicts a victim, and returns whether there was one.
  private mutating func evict() throws(ConformanceFailure) -> Bool {
    guard let slot = try victim() else { return false }
    evictable.removeAll { $0 == slot }
    depart(slot)
    order.didRemove(slot, cause: .evicted)
    return true
  }

  private mutating func drain() throws(ConformanceFailure) {
    while try evict() { order.checkInvariants() }
  }

  /// Asks the order for a victim, and checks it against the model.
  private mutating func victim() throws(ConformanceFailure) -> Slot? {
    let answer = order.nextVictim()
    answers.append(answer ?? -1)
    if let answer {
      guard !evictable.isEmpty else {
        throw failure(.nothingFromEmpty, "slot \(answer) came out of an empty order")
      }
      guard evictable.contains(answer) else {
        let state = retained.contains(answer) ? "retained" : "not resident"
        throw failure(.victimIsInTheOrder, "slot \(answer) is \(state)")
      }
    } else if !evictable.isEmpty {
      throw failure(.victimUnlessEmpty, "nil, though \(evictable.count) slots are evictable")
    }
    return answer
  }

  private func failure(
    _ guarantee: ConformanceFailure.Guarantee, _ detail: String
  ) -> ConformanceFailure {
    ConformanceFailure(
      policy: policy, guarantee: guarantee, capacity: capacity, seed: seed, step: step,
      detail: detail)
  }

  private mutating func vacantSlot() -> Slot {
    // Not always the latest, so that a reused slot gets another entity than before.
    if !free.isEmpty, random.chance(0.8) { return free.remove(at: random.below(free.count)) }
    let slot = Slot(entries.count)
    entries.append(EvictionEntry(slot: slot, fingerprint: 0))
    order.reserve(slots: entries.count)
    return slot
  }

  /// Removes and returns a random element.
  private static func take(from slots: inout [Slot], _ random: inout RandomSource) -> Slot? {
    slots.isEmpty ? nil : slots.remove(at: random.below(slots.count))
  }
}
