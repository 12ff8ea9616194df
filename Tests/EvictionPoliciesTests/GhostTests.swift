import CacheModel
import Testing

@testable import EvictionPolicies

@Suite("Ghosts", .timeLimit(.minutes(30)))
struct GhostTests {
  /// Beside an array of (fingerprint, weight), oldest first.
  private func drive<Index: GhostIndex & ~Copyable>(
    _ index: consuming Index, fingerprints: Int, spread: UInt64, seed: UInt64
  ) {
    var random = RandomSource(seed: seed)
    var queue = GhostQueue<Index>(mark: 1)
    var model: [(fingerprint: UInt64, weight: Int)] = []
    index.reserve(fingerprintsBelow: fingerprints)
    var limit = 0
    for step in 0..<2_000 {
      if step % 400 == 0 {
        limit += 1 + random.below(12)
        index.reserve(ghosts: limit)
        queue.reserve(ghosts: limit, in: &index)
      }
      let fingerprint = UInt64(random.below(fingerprints)) &* spread
      let value = index.value(of: fingerprint)
      let place = model.firstIndex { $0.fingerprint == fingerprint }
      let isHeld = queue.holds(value)
      #expect(isHeld == (place != nil))
      if let place {
        queue.remove(value, from: &index)
        model.remove(at: place)
      } else {
        let ghost = Index.Ghost(fingerprint: fingerprint, weight: Int32(random.below(4)))
        queue.append(ghost, to: &index)
        model.append((fingerprint, ghost.weight))
        if model.count > limit { model.removeFirst() }
      }
      if random.chance(0.05), !model.isEmpty {
        queue.dropOldest(from: &index)
        model.removeFirst()
      }
      let (count, weight) = (queue.count, queue.weight)
      #expect(count == model.count)
      #expect(weight == model.reduce(0) { $0 + $1.weight })
      queue.checkInvariants(in: index)
    }
  }

  @Test(
    "are remembered in the order of departure, found by number",
    arguments: 1...5 as ClosedRange<UInt64>)
  func dense(seed: UInt64) {
    drive(DenseGhosts(), fingerprints: 60, spread: 1, seed: seed)
  }

  @Test(
    "are remembered in the order of departure, found by hash",
    arguments: 1...5 as ClosedRange<UInt64>)
  func hashed(seed: UInt64) {
    // Fingerprints that share their low bits, and some their home.
    drive(HashedGhosts(), fingerprints: 60, spread: 1 << 56 | 1, seed: seed)
  }

  @Test("with one fingerprint are distinguished by their position")
  func twins() {
    var index = HashedGhosts()
    var queue = GhostQueue<HashedGhosts>()
    index.reserve(ghosts: 4)
    queue.reserve(ghosts: 4, in: &index)
    queue.append(.init(fingerprint: 7, weight: 1), to: &index)
    queue.append(.init(fingerprint: 7, weight: 2), to: &index)
    queue.dropOldest(from: &index)
    // The later one is still found.
    queue.checkInvariants(in: index)
    queue.remove(index.value(of: 7), from: &index)
    let isForgotten = index.value(of: 7) < 0
    #expect(isForgotten)
  }

  @Test("are none where none are allowed")
  func none() {
    var index = HashedGhosts()
    var queue = GhostQueue<HashedGhosts>()
    queue.append(.init(fingerprint: 7, weight: 1), to: &index)
    let isEmpty = queue.isEmpty
    #expect(isEmpty)
  }
}
