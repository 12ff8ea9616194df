/// When entities were used in a rehearsal, so that an order can look ahead in the performance.
///
/// One client's, in virtual time. Memory of eight bytes per use.
final class UseLog {
  /// The virtual time, as its client keeps it.
  var now: Int64 = 0
  /// Whether what the cache does is for a session that reads: an event's write is no use of what it
  /// brings.
  var isReading = false
  /// The instants of each entity's uses, ascending; looked up, never iterated.
  private var uses: [UInt64: [Int64]] = [:]

  func note(_ fingerprint: UInt64) {
    if isReading { uses[fingerprint, default: []].append(now) }
  }

  /// When the entity was used next in the rehearsal; `Int64.max`: never again.
  ///
  /// O(log uses of the entity).
  func nextUse(of fingerprint: UInt64) -> Int64 {
    guard let instants = uses[fingerprint] else { return .max }
    var low = 0
    var high = instants.count
    while low < high {
      let middle = (low + high) / 2
      if instants[middle] <= now { low = middle + 1 } else { high = middle }
    }
    return low < instants.count ? instants[low] : .max
  }
}
