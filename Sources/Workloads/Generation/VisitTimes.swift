import CacheModel

/// When a user is in front of the app.
enum VisitTimes {
  /// The visits of a session before `end`, in nanoseconds, in order, disjoint.
  ///
  /// Visits begin as a Poisson process and last for exponential times; one that begins during another
  /// prolongs it. Windows of activity cut them.
  static func all(
    _ visits: VisitSection?, within active: [ActiveWindow], end: Int64, _ random: RandomSource
  ) -> [Range<Int64>] {
    let windows =
      active.isEmpty
      ? [0..<end]
      : active.map { $0.at.wholeNanoseconds..<($0.at + $0.length).wholeNanoseconds }
    guard let visits else { return windows.filter { $0.lowerBound < end } }
    var starts = random.substream("starts")
    var lengths = random.substream("lengths")
    var drawn: [Range<Int64>] = []
    for start in Arrivals.poisson(rate: visits.rate, end: end, limit: Int.max, &starts) {
      let length = lengths.exponential(mean: Double(visits.length.wholeNanoseconds))
      let visit = start..<min(end, start + max(1, Int64(length)))
      if let last = drawn.last, visit.lowerBound <= last.upperBound {
        drawn[drawn.count - 1] = last.lowerBound..<max(last.upperBound, visit.upperBound)
      } else {
        drawn.append(visit)
      }
    }
    return drawn.flatMap { visit in
      windows.map { $0.clamped(to: visit) }.filter { !$0.isEmpty }
    }
  }

  /// The times between visits, in order.
  static func between(_ visits: [Range<Int64>], end: Int64) -> [Range<Int64>] {
    var pauses: [Range<Int64>] = []
    var last: Int64 = 0
    for visit in visits {
      if last < visit.lowerBound { pauses.append(last..<visit.lowerBound) }
      last = visit.upperBound
    }
    if last < end { pauses.append(last..<end) }
    return pauses
  }
}
