import CacheModel

extension CacheFailure {
  /// Searches for the fewest turns with which a process violates the same rule.
  ///
  /// First only the last few turns are sent, then twice as many, and so on; then parts of these are left out.
  /// Each trial is a new process.
  ///
  /// - Parameters:
  ///   - trials: the maximum number of processes.
  ///   - isTimeLeft: whether another one may be started.
  ///   - start: starts one.
  /// - Returns: `nil` if no turn was sent, or if the violation is not reproducible.
  package func shrunk(
    trials: Int, while isTimeLeft: () -> Bool,
    _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> ShrunkFault? {
    guard let told, !told.steps.isEmpty else { return nil }
    var reduction = StepReduction(trials: trials)
    var found: ShrunkFault?
    func shows(_ places: [Int]) -> Bool {
      guard let (recorder, other) = told.tell(places, start), other.kind == fault.kind else {
        return false
      }
      found = ShrunkFault(launch: told.launch, turns: recorder.turns, fault: other)
      return true
    }
    let count = told.steps.count
    var length = 1
    while length < count, !shows(Array(count - length..<count)) { length *= 2 }
    let first = max(0, count - length)
    guard found != nil || shows(Array(0..<count)) else { return nil }
    _ = reduction.reduce(count - first, while: isTimeLeft) { shows($0.map { first + $0 }) }
    return found
  }
}

/// The input of a process up to a violation, to be replayed in part.
///
/// Replayed parts keep their times. Turns are renumbered, the cache is woken when it requests it, and an
/// answer is sent if the cache has made the request, under its number.
package struct FaultReplay: Sendable {
  let simulation: Simulation
  let launch: CacheLaunch
  /// The states sent to this client before this process began.
  let sent: SentStates?
  let steps: [Step]

  struct Step: Sendable {
    var at: Instant
    var operation: CacheOperation
    /// The target of the request that a response answers; `nil`: events.
    var target: CacheReply.Target?
  }

  /// Creates a replay from a recorder's input and output.
  init(
    _ simulation: Simulation, _ launch: CacheLaunch, sent: SentStates?, _ recorder: RecordingCache
  ) {
    self.simulation = simulation
    self.launch = launch
    self.sent = sent
    var targets: [Int: CacheReply.Target?] = [:]
    var steps: [Step] = []
    for (index, turn) in recorder.turns.enumerated() {
      switch turn.operation {
      case .wake: break
      case .response(let id, _):
        guard let target = targets[id] else { break }
        steps.append(Step(at: turn.at, operation: turn.operation, target: target))
      default: steps.append(Step(at: turn.at, operation: turn.operation))
      }
      guard recorder.answers.indices.contains(index) else { continue }
      for reply in recorder.answers[index] {
        switch reply {
        case .fetch(let id, let target, _): targets[id] = .some(target)
        case .reconcile(let id, _): targets[id] = .some(nil)
        default: break
        }
      }
    }
    self.steps = steps
  }

  /// Replays some of the steps to a new process.
  ///
  /// - Returns: its input and output, and the violated rule, if any.
  func tell(
    _ places: [Int], _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> (recorder: RecordingCache, fault: CacheFault)? {
    let outliving = OutlivingState(of: simulation.workload, client: launch.place)
    outliving.sent = sent
    guard let process = try? start(launch) else { return nil }
    let recorder = RecordingCache(process)
    var cache = ExternalCacheDriver(recorder, simulation, outliving)
    defer { cache.end() }
    for place in places {
      let step = steps[place]
      wake(&cache, until: step.at)
      guard cache.fault == nil else { break }
      tell(step, to: &cache)
      cache.dropActions()
    }
    if let last = places.last { wake(&cache, until: steps[last].at) }
    return cache.fault.map { (recorder, $0) }
  }

  private func wake(_ cache: inout ExternalCacheDriver, until instant: Instant) {
    while cache.fault == nil, let due = cache.wake, due <= instant {
      cache.wake(at: due)
    }
  }

  private func tell(_ step: Step, to cache: inout ExternalCacheDriver) {
    var operation = step.operation
    switch operation {
    case .response(_, let response):
      guard let request = cache.requests.first(where: { $0.target == step.target }) else { return }
      operation = .response(request.id, response)
    case .answer(let token, _):
      guard cache.writes.contains(where: { $0.number == token && $0.isUnderWay }) else { return }
    default: break
    }
    cache.perform(operation, at: step.at)
  }
}

/// The fewest turns found with which a process violates a rule, and the violation.
package struct ShrunkFault: Sendable {
  package let launch: CacheLaunch
  package let turns: [CacheTurn]
  package let fault: CacheFault
}

/// Shortens a list of steps as long as it still shows the same fault.
///
/// Parts are left out, the last first, since a step may depend on earlier ones: halves, then smaller parts,
/// until no single step can be left out, nor two of a dozen, or the trials are used up. Source: Zeller and
/// Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002; pairs are ours, for
/// steps that undo each other, such as adding and removing an observer.
package struct StepReduction {
  private var trials: Int

  package init(trials: Int) { self.trials = trials }

  /// Removes steps in about n·log n trials, where n is the number of steps.
  ///
  /// - Parameters:
  ///   - count: the number of steps.
  ///   - isTimeLeft: whether another trial may be made.
  ///   - shows: whether some of the steps, given by index, still show the fault.
  /// - Returns: the indices of the remaining steps, in order.
  /// - Throws: the error of a trial.
  package mutating func reduce(
    _ count: Int, while isTimeLeft: () -> Bool = { true }, _ shows: ([Int]) throws -> Bool
  ) rethrows -> [Int] {
    var kept = Array(0..<count)
    var part = max(1, count / 2)
    while !kept.isEmpty {
      var isShorter = false
      var end = kept.count
      while end > 0 {
        guard trials > 0, isTimeLeft() else { return kept }
        trials -= 1
        let start = max(0, end - part)
        var fewer = kept
        fewer.removeSubrange(start..<end)
        if try shows(fewer) {
          kept = fewer
          isShorter = true
        }
        end = start
      }
      if part > 1 {
        part /= 2
      } else if !isShorter {
        guard let fewer = try withoutPair(kept, while: isTimeLeft, shows) else { break }
        kept = fewer
      }
    }
    return kept
  }

  private mutating func withoutPair(
    _ kept: [Int], while isTimeLeft: () -> Bool, _ shows: ([Int]) throws -> Bool
  ) rethrows -> [Int]? {
    guard kept.count <= 12 else { return nil }
    for later in kept.indices.reversed() {
      for earlier in kept.indices.prefix(later).reversed() {
        guard trials > 0, isTimeLeft() else { return nil }
        trials -= 1
        let fewer = kept.indices.filter { $0 != earlier && $0 != later }.map { kept[$0] }
        if try shows(fewer) { return fewer }
      }
    }
    return nil
  }
}
