import CacheModel
import HeapModule

/// Shares from 0 to 1, and times in nanoseconds.
package struct LinkFaults: Hashable, Sendable {
  package var loss = 0.02
  package var duplicate = 0.02
  package var late = 0.05
  package var longestDelay: Int64 = 150_000_000
  /// From the end of one outage to the beginning of the next; 0: there are none.
  package var outageEvery: Int64 = 30_000_000_000
  package var outage: Int64 = 3_000_000_000

  package init() {}
}

/// What has become of what was sent; one that was doubled counts twice among those delivered.
package struct LinkTally: Hashable, Sendable {
  package var sent = 0
  package var delivered = 0
  package var lost = 0
  package var duplicated = 0
  package var late = 0
}

/// A bad network between a server and a client: what is sent may be lost, doubled or late, and now and
/// then nothing passes.
///
/// Decides and holds; knows no clock. The same seed and the same instants give the same fate.
struct LossyLink<Message> {
  let faults: LinkFaults
  private var random: RandomSource
  /// The first that is due first.
  private var held = Heap<Held>()
  private(set) var tally = LinkTally()

  /// What is under way; of those due at one instant what was sent first is delivered first.
  private struct Held: Comparable {
    let due: Int64
    let ordinal: Int
    let message: Message

    static func < (lhs: Held, rhs: Held) -> Bool {
      lhs.due != rhs.due ? lhs.due < rhs.due : lhs.ordinal < rhs.ordinal
    }

    static func == (lhs: Held, rhs: Held) -> Bool {
      lhs.due == rhs.due && lhs.ordinal == rhs.ordinal
    }
  }

  private var holds = 0

  init(faults: LinkFaults, random: RandomSource) {
    self.faults = faults
    self.random = random
  }

  /// Whether nothing passes, so many nanoseconds after the start.
  func isDown(at now: Int64) -> Bool {
    guard faults.outageEvery > 0 else { return false }
    return now % (faults.outageEvery + faults.outage) >= faults.outageEvery
  }

  mutating func send(_ message: Message, at now: Int64) {
    tally.sent += 1
    // Drawn in any case, so that an outage shifts no fate after it.
    let isLost = random.chance(faults.loss)
    let isDoubled = random.chance(faults.duplicate)
    let isLate = random.chance(faults.late)
    let delay = Int64(random.unit() * Double(faults.longestDelay))
    guard !isLost, !isDown(at: now) else {
      tally.lost += 1
      return
    }
    hold(message, until: isLate ? now + delay : now)
    if isLate { tally.late += 1 }
    guard isDoubled else { return }
    tally.duplicated += 1
    hold(message, until: now + delay)
  }

  private mutating func hold(_ message: Message, until due: Int64) {
    holds += 1
    held.insert(Held(due: due, ordinal: holds, message: message))
  }

  /// What is due, one at a time.
  mutating func take(at now: Int64) -> Message? {
    guard let next = held.min, next.due <= now else { return nil }
    held.removeMin()
    tally.delivered += 1
    return next.message
  }

  /// When the next is due; `nil`: nothing is under way.
  var nextDue: Int64? { held.min?.due }
}
