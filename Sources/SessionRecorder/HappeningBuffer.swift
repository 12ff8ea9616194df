import CacheModel
import NormalizedCache

/// Happenings on their way from the cache to the writer: so many, and no more.
struct HappeningBuffer: Sendable {
  struct Timed: Sendable {
    var at: Instant
    var happening: Kind
  }

  enum Kind: Sendable {
    case told(CacheHappening)
    /// So many were left out here.
    case lost(Int)
  }

  private let capacity: Int
  private var happenings: [Timed] = []
  private var lost = 0
  private var last = Instant(nanoseconds: .min)
  /// Whether the writer has been told that there is something.
  private var isAnnounced = false
  /// All that were left out.
  private(set) var lostInAll = 0

  init(capacity: Int) {
    self.capacity = capacity
    happenings.reserveCapacity(64)
  }

  /// Takes a happening, if there is room.
  ///
  /// No two have one time, so that a simulation has them in this order.
  ///
  /// - Returns: whether the writer is to be told.
  mutating func append(_ happening: CacheHappening, at now: Instant) -> Bool {
    guard happenings.count < capacity else {
      lost += 1
      lostInAll += 1
      return false
    }
    var at = max(now, last.advanced(byNanoseconds: 1))
    if lost > 0 {
      happenings.append(Timed(at: at, happening: .lost(lost)))
      lost = 0
      at = at.advanced(byNanoseconds: 1)
    }
    happenings.append(Timed(at: at, happening: .told(happening)))
    last = at
    defer { isAnnounced = true }
    return !isAnnounced
  }

  /// Hands over what there is, for an array that is empty and has room.
  ///
  /// The two are exchanged for ever, so that what is appended need not wait for memory.
  mutating func exchange(_ emptied: inout [Timed]) {
    isAnnounced = false
    swap(&emptied, &happenings)
  }
}
