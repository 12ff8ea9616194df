import CacheModel
import NormalizedCache

/// The parameters of a program besides the weights of its steps, random for each seed.
struct ProgramShape: Sendable {
  /// The probability that messages are reordered.
  let disorder: Double
  /// The usual maximum pause, in milliseconds.
  let pause: Int
  /// The probability that an event is lost.
  let loss: Double
  /// The probability that the server reads an answer some time before it arrives.
  let slowness: Double
  /// The probability that a screen opens: several concurrent fetches whose answers are reordered.
  let screens: Double
  /// The probability that a rewritten note is the same in every list.
  let likeness: Double
  /// The queries, only a few, so that steps affect the same ones.
  let queries: [QueryKey]
  /// The share of a server's notes that are written.
  private let notes: Double

  init(random: inout RandomSource, _ declared: [NoteShape]) {
    disorder = [0, 0.1, 0.3, 0.7][random.below(4)]
    pause = [100, 1_000, 15_000, 90_000][random.below(4)]
    loss = [0.05, 0.05, 0.3, 0.8][random.below(4)]
    slowness = [0, 0, 0.5, 0.9][random.below(4)]
    screens = [0, 0, 0.7][random.below(3)]
    likeness = [0, 0, 0.3, 0.7][random.below(4)]
    notes = [0.3, 0.6, 1, 1][random.below(4)]
    var left = NoteRules(declared).queries
    let count = declared.isEmpty ? [3, 6, 10, left.count][random.below(4)] : 2 + random.below(5)
    var chosen = (0..<count).map { _ in left.remove(at: random.below(left.count)) }
    // Every change marks queries stale that only the server can evaluate: there are few causes for that.
    if declared.isEmpty, random.chance(0.3) {
      chosen[0] = NoteQuery.opaque.key(in: random.chance(0.5) ? .test : .other)
    }
    queries = chosen
  }

  /// Returns the numbers of a server's notes in this program.
  func numbers(of server: Int) -> Range<Int> {
    let all = NoteWorld.numbers(of: server)
    let count = (Double(all.count) * notes).rounded(.up)
    return all.lowerBound..<all.lowerBound + Int(count)
  }
}

/// The frequencies of the kinds of steps, random for each seed, and some zero.
///
/// A program without heartbeats, or with batches only, reaches unusual states better than one with a little
/// of everything. Source: Groce et al., "Swarm testing", ISSTA 2012.
struct StepWeights: Sendable {
  private var weights: [Int]
  private let sum: Int

  /// The weights of most programs, which create data for the other steps.
  private static let usual: [StepKind: Int] = [
    .change: 8, .batch: 3, .delete: 3, .deliver: 12, .read: 6, .observe: 3, .answer: 10, .wait: 5,
    .answerReconcile: 6, .readEntity: 3, .leave: 2, .serve: 4, .begin: 2,
    .enqueue: 2, .carryOut: 5, .confirm: 4, .heartbeat: 3,
    .store: 4, .written: 4,
  ]

  /// Kinds that were added later, with their own random values, so that seeds without them keep their
  /// programs.
  private static let later: [StepKind] = [.clear, .release]

  init(random: inout RandomSource, later: inout RandomSource, isDeclared: Bool) {
    let share = random.unit() * 0.4
    weights = StepKind.allCases.dropLast(Self.later.count).map { kind in
      let isOff = random.chance(share)
      let weight = (Self.usual[kind] ?? 1) * (1 + random.below(6))
      return isOff ? 0 : weight
    }
    // Some kinds are frequent: with bulk notices, losses, delays or edits in half of all steps, rare
    // combinations occur.
    for _ in 0..<random.below(5) {
      let index = random.below(weights.count)
      weights[index] = max(weights[index], 1) * [4, 10, 25][random.below(3)]
    }
    // A program without changes or reads finds nothing.
    for kind in [StepKind.change, .read] where random.chance(0.9) {
      weights[Self.index(kind)] = max(weights[Self.index(kind)], 8)
    }
    if weights.allSatisfy({ $0 == 0 }) { weights[Self.index(.change)] = 1 }
    let hasLater = later.chance(0.3)
    weights += Self.later.map { _ in hasLater ? later.below(6) : 0 }
    if isDeclared, later.chance(0.7) {
      let most = weights.max() ?? 0
      for kind in [StepKind.change, .deliver, .observe, .answer] {
        weights[Self.index(kind)] = max(weights[Self.index(kind)], most / 3)
      }
    }
    sum = weights.reduce(0, +)
  }

  func draw(_ random: inout RandomSource) -> StepKind {
    var rest = random.below(sum)
    for (index, weight) in weights.enumerated() {
      rest -= weight
      if rest < 0 { return StepKind.allCases[index] }
    }
    return .change
  }

  private static func index(_ kind: StepKind) -> Int {
    StepKind.allCases.firstIndex(of: kind) ?? 0
  }
}

/// Sequences that independent random steps rarely give: several answers that are read during changes, and
/// arrive in any order.
extension StepGenerator {
  /// Generates the opening of a screen: its data is fetched, perhaps again, the server reads the answers
  /// during changes, events are sent or not, and the answers arrive.
  mutating func screen(_ run: borrowing FaultRun) -> [Step] {
    let library = random.chance(0.5) ? LibraryID.test : .other
    let source = library == .other ? 2 : random.below(2)
    let targets = self.targets(in: library)
    // Usually the screen has no gap when it opens.
    var steps = random.chance(0.7) ? gap(at: source, run) : []
    for target in targets {
      switch target {
      case .query(let key):
        // Data that was shown before is fetched again.
        if random.chance(0.6) {
          steps += [.read(key), .answer(target, index: 0), .invalidate(key)]
        }
        steps.append(.read(key))
      case .entity(let key): steps.append(.readEntity(Int(key.id.low)))
      }
    }
    var told: [Int] = []
    // A long operation at the server is sent as a bulk notice only.
    let kinds: [StepKind] =
      random.chance(0.5) ? [.bulk] : [.change, .batch, .delete, .bulk, .partlyDecoded]
    for target in shuffled(targets) + [nil] {
      for _ in 0..<random.below(target == nil ? 2 : 3) + (target == nil ? 1 : 0) {
        let step = publication(kinds[random.below(kinds.count)], at: source, run.world)
        if case .publish(_, _, let event, .sent) = step { told.append(event) }
        steps.append(step)
      }
      if let target { steps.append(.serve(target)) }
    }
    // In order, as in most networks; some are lost.
    steps += told.filter { _ in random.chance(0.9) }.map { .deliver(event: $0) }
    if random.chance(0.7) { steps += gap(at: source, run) }
    steps += shuffled(targets).filter { _ in random.chance(0.9) }.map { .answer($0, index: 0) }
    return steps
  }

  /// Generates a gap that a heartbeat shows, which lasts longer than the reorder window and is closed.
  private func gap(at server: Int, _ run: borrowing FaultRun) -> [Step] {
    let window = run.composition.reorderWindow.wholeNanoseconds / 1_000_000
    return [
      .heartbeat(server: server), .wait(milliseconds: Int(window) + 1),
      .answerReconcile(server: server),
    ]
  }

  /// Returns whether a planned step still has an effect: its target exists, and is reachable.
  static func isPossible(_ step: Step, _ run: borrowing FaultRun) -> Bool {
    switch step {
    case .deliver(let event): run.link.events.contains { $0.number == event }
    case .heartbeat(let server): !run.link.isCut[server]
    case .answerReconcile(let server): run.reconciles.contains { $0.server == server }
    case .serve(let target):
      run.fetches.contains { $0.target == target && $0.response == nil }
    case .answer(let target, _): run.fetches.contains { $0.target == target }
    default: true
    }
  }

  /// Generates the data of a screen: some lists of one library with common rows, and perhaps a single note.
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
