public import CacheModel

/// When queries are asked for by a timer: so long after their last answer.
///
/// Nothing is kept where there is no interval.
@usableFromInline struct QueryPolls {
  /// In nanoseconds; `Int64.max`: none is polled.
  @usableFromInline let interval: Int64
  @usableFromInline var deadlines = QueryDeadlines()
  /// When each query is due, observed or not, in nanoseconds; `Int64.max`: it was never answered.
  @usableFromInline var dueAt: [Int64] = []

  @inlinable init(interval: Duration?) {
    self.interval = interval?.wholeNanoseconds ?? .max
  }

  @inlinable var isOn: Bool { interval < .max }

  /// The instant at which to look next, in nanoseconds; `Int64.max`: none.
  @inlinable var first: Int64 { deadlines.first }

  /// Notes that a query was answered, or that its place has another one, which was not.
  @inlinable mutating func note(_ query: Int32, answeredAt instant: Int64?) {
    guard isOn else { return }
    while dueAt.count <= Int(query) { dueAt.append(.max) }
    let (due, overflow) = (instant ?? .max).addingReportingOverflow(interval)
    dueAt[Int(query)] = overflow ? .max : due
  }

  /// Sees to it that an observed query is looked at when it is due.
  @inlinable mutating func schedule(_ query: Int32) {
    guard isOn, dueAt[Int(query)] < .max else { return }
    deadlines.schedule(query, at: dueAt[Int(query)])
  }

  /// Takes a query at which to look, if its instant has come; it may have been answered since.
  @inlinable mutating func takeDue(at now: Int64) -> Int32? { deadlines.takeDue(at: now) }
}
