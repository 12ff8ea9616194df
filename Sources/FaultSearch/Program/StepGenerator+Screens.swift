import CacheModel
import NormalizedCache

/// What single steps, drawn one by one, would seldom make: several answers that are read while things
/// change, and arrive in any order.
extension StepGenerator {
  /// A screen opens: what it shows is asked for, perhaps anew, the server reads the answers one after the
  /// other while things happen, what happened is told or not, and the answers arrive.
  mutating func screen(_ run: borrowing FaultRun) -> [Step] {
    let library = random.chance(0.5) ? LibraryID.test : .other
    let source = library == .other ? 2 : random.below(2)
    let targets = self.targets(in: library)
    // Usually nothing is missing when a screen opens.
    var steps = random.chance(0.7) ? gap(at: source, run) : []
    for target in targets {
      switch target {
      case .query(let key):
        // What has been shown before is asked for again.
        if random.chance(0.6) {
          steps += [.read(key), .answer(target, index: 0), .invalidate(key)]
        }
        steps.append(.read(key))
      case .entity(let key): steps.append(.readEntity(Int(key.id.low)))
      }
    }
    var told: [Int] = []
    // A long operation at the server is told in bulk alone.
    let kinds: [StepKind] =
      random.chance(0.5) ? [.bulk] : [.change, .batch, .delete, .bulk, .partlyDecoded]
    for target in shuffled(targets) + [nil] {
      for _ in 0..<random.below(target == nil ? 2 : 3) + (target == nil ? 1 : 0) {
        let step = publication(kinds[random.below(kinds.count)], at: source, run.world)
        if case .publish(_, _, let message, .sent) = step { told.append(message) }
        steps.append(step)
      }
      if let target { steps.append(.serve(target)) }
    }
    // In order, as most networks tell; some never.
    steps += told.filter { _ in random.chance(0.9) }.map { .deliver(message: $0) }
    if random.chance(0.7) { steps += gap(at: source, run) }
    steps += shuffled(targets).filter { _ in random.chance(0.9) }.map { .answer($0, index: 0) }
    return steps
  }

  /// A heartbeat shows a gap, which outlasts the reorder window and is closed.
  private func gap(at server: Int, _ run: borrowing FaultRun) -> [Step] {
    let window = run.composition.reorderWindow.wholeNanoseconds / 1_000_000
    return [
      .heartbeat(server: server), .wait(milliseconds: Int(window) + 1),
      .answerReconcile(server: server),
    ]
  }

  /// Whether a planned step still has something to do: what it names is there, and can be reached.
  static func isPossible(_ step: Step, _ run: borrowing FaultRun) -> Bool {
    switch step {
    case .deliver(let message): run.link.messages.contains { $0.number == message }
    case .heartbeat(let server): !run.link.isCut[server]
    case .answerReconcile(let server): run.reconciles.contains { $0.server == server }
    case .serve(let target):
      run.fetches.contains { $0.target == target && $0.response == nil }
    case .answer(let target, _): run.fetches.contains { $0.target == target }
    default: true
    }
  }

  /// What a screen shows: some lists of one library, which share rows, and perhaps a single note.
  private mutating func targets(in library: LibraryID) -> [FetchTarget] {
    let usual = usualQuery(in: library)
    var targets: [FetchTarget] = random.chance(0.7) ? [.query(usual)] : []
    for _ in 0..<2 + random.below(2) {
      let key = query()
      let server = library == .other ? 2 : random.below(2)
      let target =
        random.chance(0.7) && key.library == library
        ? FetchTarget.query(key) : .entity(.note(note(of: server)))
      if !targets.contains(target) { targets.append(target) }
    }
    return targets
  }

  private mutating func shuffled(_ targets: [FetchTarget]) -> [FetchTarget] {
    var left = targets
    return targets.map { _ in left.remove(at: random.below(left.count)) }
  }
}
