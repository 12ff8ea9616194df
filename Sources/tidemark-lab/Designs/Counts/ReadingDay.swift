import CacheModel
import Foundation
import Synchronization

/// A day of reads in virtual time: popular entries more often, one read every so many seconds.
struct ReadingDay {
  struct Read {
    var entry: Int
    /// Seconds since the first.
    var second: Int
  }

  let reads: [Read]

  /// - Parameters:
  ///   - count: of reads.
  ///   - entries: among which they are; the place of a read's is the product of two even draws, so that the
  ///     first quarter has six in ten of the reads.
  ///   - seconds: between two reads.
  init(count: Int, entries: Int, seconds: Int) {
    var random = RandomSource(seed: 18)
    reads = (0..<count).map { index in
      Read(
        entry: Int(Double(entries) * random.unit() * random.unit()), second: index * seconds)
    }
  }
}

/// A time of day that stands until it is set.
final class SteadyClock: Sendable {
  private let seconds = Mutex(1_000_000_000)

  var date: Date { Date(timeIntervalSince1970: Double(seconds.withLock { $0 })) }

  /// Sets the seconds since the beginning.
  func set(_ second: Int) { seconds.withLock { $0 = 1_000_000_000 + second } }
}
