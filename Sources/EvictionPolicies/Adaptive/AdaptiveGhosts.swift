/// The ghosts of ``ARC`` and ``CAR``, and the target that they adapt.
///
/// The target is the share of the capacity for entities read once. Their ghosts are kept while they and their
/// list fit into the capacity, all ghosts while all lists fit into twice the capacity.
struct AdaptiveGhosts<Index: GhostIndex & ~Copyable>: ~Copyable {
  enum Arrival {
    case new
    /// A ghost that was read once.
    case readOnce
    case readAgain
  }

  private var index = Index()
  private var once = GhostQueue<Index>(mark: 0)
  private var again = GhostQueue<Index>(mark: 1)
  /// The ghost that each slot's entity will leave.
  private var residents = Flat(repeating: Index.Ghost.hole, count: 0)
  private let capacity: Int
  private(set) var target = 0.0
  private var announcedFingerprint: UInt64 = 0
  /// The result for the announced arrival; `nil`: none is announced.
  private(set) var announced: Arrival?

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func reserve(slots: Int) {
    // One more than there are slots, between the removal of the victim and the arrival.
    index.reserve(ghosts: 2 * (slots + 1))
    residents.grow(toAtLeast: slots, filling: .hole)
    once.reserve(ghosts: slots + 1, in: &index)
    again.reserve(ghosts: slots + 1, in: &index)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    index.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { index.prefetch(fingerprint) }

  /// Adds a ghost of a slot's departing entity.
  mutating func append(_ slot: Slot, wasReadAgain: Bool) {
    if wasReadAgain {
      again.append(residents[slot], to: &index)
    } else {
      once.append(residents[slot], to: &index)
    }
  }

  mutating func willInsert(_ entry: EvictionEntry) {
    announcedFingerprint = entry.fingerprint
    announced = take(entry)
  }

  /// Adapts to an arrival, unless it was announced, and removes its ghost.
  mutating func arrival(of entry: EvictionEntry) -> Arrival {
    residents[entry.slot] = .init(fingerprint: entry.fingerprint, weight: entry.weight)
    if let announced, announcedFingerprint == entry.fingerprint {
      self.announced = nil
      return announced
    }
    return take(entry)
  }

  private mutating func take(_ entry: EvictionEntry) -> Arrival {
    let value = index.value(of: entry.fingerprint)
    guard value >= 0 else { return .new }
    let step = Double(entry.weight)
    if once.holds(value) {
      let ratio = Double(again.weight) / Double(max(1, once.weight))
      target = min(target + step * max(1, ratio), Double(capacity))
      once.remove(value, from: &index)
      return .readOnce
    }
    let ratio = Double(once.weight) / Double(max(1, again.weight))
    target = max(target - step * max(1, ratio), 0)
    again.remove(value, from: &index)
    return .readAgain
  }

  /// Removes the oldest ghosts that do not fit next to the entities of their list.
  mutating func trim(once residentOnce: Int, again residentAgain: Int) {
    while !once.isEmpty, residentOnce + once.weight > capacity { once.dropOldest(from: &index) }
    while !again.isEmpty,
      residentOnce + once.weight + residentAgain + again.weight - capacity > capacity
    {
      again.dropOldest(from: &index)
    }
  }

  func checkInvariants() {
    once.checkInvariants(in: index)
    again.checkInvariants(in: index)
    precondition(target >= 0 && target <= Double(capacity), "the target is no share")
  }
}
