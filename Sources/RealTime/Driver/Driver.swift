import CacheModel
package import NormalizedCache
package import Processes

/// Runs subjects in turns, a control among them: what slows the machine down falls on all of them alike.
package struct Driver: Sendable {
  package var clock = ContinuousCacheClock()

  package init() {}

  /// Blocks of operations of each subject, back to back.
  ///
  /// - Parameters:
  ///   - turns: how many blocks of each.
  ///   - block: operations in a block, which are prepared together.
  ///   - atOnce: how many of them are performed by one call, and give one outcome.
  ///   - subjects: in any order.
  ///   - beginning: called before each round.
  /// - Returns: the outcomes of each subject, in the order of the subjects.
  /// - Throws: what a subject throws.
  package func inTurns<Outcome>(
    _ turns: Turns, block: Int, atOnce: Int = 1, _ subjects: inout [any Subject<Outcome>],
    beginning: (_ round: Int) -> Void = { _ in }
  ) async throws -> [[Outcome]] {
    var begun = -1
    let outcomes = try await turns.take(Array(subjects.indices)) { index, round in
      if round > begun { beginning(round) }
      begun = round
      return try await backToBack(block, block: block, atOnce: atOnce, &subjects[index])
    }
    return outcomes.map { Array($0.joined()) }
  }

  /// Operations of one subject, back to back.
  ///
  /// - Parameters:
  ///   - count: how many, unless `limit` is over first.
  ///   - block: how many are prepared together.
  ///   - atOnce: how many of them are performed by one call.
  ///   - limit: after which no block begins.
  ///   - subject: whose they are.
  /// - Returns: its outcomes, in order.
  /// - Throws: what the subject throws.
  func backToBack<Outcome>(
    _ count: Int, block: Int, atOnce: Int = 1, within limit: Duration? = nil,
    _ subject: inout any Subject<Outcome>
  ) async throws -> [Outcome] {
    let end = limit.map { clock.now.advanced(by: $0) }
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(count / atOnce)
    var left = count
    while left > 0 {
      if let end, clock.now >= end { break }
      let size = min(block, left)
      try await subject.prepare(size)
      for _ in 0..<size / atOnce { outcomes.append(try await subject.perform(atOnce)) }
      left -= size
    }
    return outcomes
  }

  /// Open loop: an operation is due at an instant that was drawn, whether or not the one before is done.
  ///
  /// Each is another subject's than the one before.
  ///
  /// - Parameters:
  ///   - subjects: in the order of their turns.
  ///   - offsets: when operations are due, in nanoseconds from now, in order.
  ///   - limit: after which none is begun.
  ///   - isPreparedOnWaking: whether a thread that wakes prepares too, as one does that decodes, or only
  ///     performs.
  /// - Returns: what each subject did and when it was due, in the order of the subjects.
  /// - Throws: what a subject throws, or `CancellationError`.
  func openLoop(
    _ subjects: inout [any Subject<Handover>], at offsets: [Int64], within limit: Duration? = nil,
    isPreparedOnWaking: Bool
  ) async throws -> [[(due: Instant, handover: Handover)]] {
    var done: [[(due: Instant, handover: Handover)]] = subjects.map { _ in [] }
    let start = clock.now
    let end = limit.map { start.advanced(by: $0) }
    for (turn, offset) in offsets.enumerated() {
      if let end, clock.now >= end { break }
      let index = turn % subjects.count
      let due = start.advanced(byNanoseconds: offset)
      if !isPreparedOnWaking { try await subjects[index].prepare(1) }
      if clock.now < due { try await clock.sleep(until: due) }
      if isPreparedOnWaking { try await subjects[index].prepare(1) }
      done[index].append((due, try await subjects[index].perform(1)))
    }
    return done
  }
}
