package import CacheModel

/// When events are meant to arrive: a Poisson process, so that nothing locks to a frame clock.
///
/// The instants are drawn before the run and do not depend on how fast anything is answered: the
/// loop is open.
package struct ArrivalProcess: Sendable {
  /// Nanoseconds from the start of the run, ascending.
  package let offsets: [Int64]

  /// - Precondition: `perSecond` is positive.
  package init(count: Int, perSecond rate: Double, random: RandomSource) {
    precondition(rate > 0, "events that never arrive cannot be measured")
    var random = random
    var offset = 0.0
    offsets = (0..<count).map { _ in
      offset += random.exponential(mean: 1e9 / rate)
      return Int64(offset)
    }
  }
}
