import CacheModel
import NormalizedCache

/// What sets one program apart from others beside the weights of its steps: drawn anew for each seed.
struct ProgramShape: Sendable {
  /// How often things on their way overtake each other.
  let disorder: Double
  /// The longest usual pause, in milliseconds.
  let pause: Int
  /// How often an event never comes.
  let loss: Double
  /// How often an answer is read by the server a while before it arrives.
  let slowness: Double
  /// How often a screen opens: several things are asked for at once, and their answers overtake each
  /// other.
  let screens: Double
  /// How often what is written again is meant to look the same in every list.
  let likeness: Double
  /// What is asked for: a few queries, so that steps meet.
  let queries: [QueryKey]
  /// How many of a server's notes are written to.
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
    // Of what only the server can tell, every change makes stale: few causes come so often.
    if declared.isEmpty, random.chance(0.3) {
      chosen[0] = NoteQuery.opaque.key(in: random.chance(0.5) ? .test : .other)
    }
    queries = chosen
  }

  /// The numbers that a server's notes have in this program.
  func numbers(of server: Int) -> Range<Int> {
    let all = NoteWorld.numbers(of: server)
    let count = (Double(all.count) * notes).rounded(.up)
    return all.lowerBound..<all.lowerBound + Int(count)
  }
}

/// How often a program takes each kind of step: drawn anew for each seed, and some not at all.
///
/// A program that never hears a heartbeat, or is only told of batches, gets further into its corner
/// than one that does a little of everything. Source: Groce et al., "Swarm testing", ISSTA 2012.
struct StepWeights: Sendable {
  private var weights: [Int]
  private let sum: Int

  /// What most programs do often, so that something is there for the rest to disturb.
  private static let usual: [StepKind: Int] = [
    .change: 8, .batch: 3, .delete: 3, .deliver: 12, .read: 6, .observe: 3, .answer: 10, .wait: 5,
    .answerReconcile: 6, .readEntity: 3, .leave: 2, .serve: 4, .begin: 2,
    .enqueue: 2, .carryOut: 5, .confirm: 4, .heartbeat: 3,
    .store: 4, .written: 4,
  ]

  /// Kinds that came later, drawn for themselves, so that seeds without them keep their programs.
  private static let later: [StepKind] = [.clear, .release]

  init(random: inout RandomSource, later: inout RandomSource, isDeclared: Bool) {
    let share = random.unit() * 0.4
    weights = StepKind.allCases.dropLast(Self.later.count).map { kind in
      let isOff = random.chance(share)
      let weight = (Self.usual[kind] ?? 1) * (1 + random.below(6))
      return isOff ? 0 : weight
    }
    // Some kinds come often: what is told in bulk, lost, slow or edited in half of all steps meets what it
    // meets seldom.
    for _ in 0..<random.below(5) {
      let index = random.below(weights.count)
      weights[index] = max(weights[index], 1) * [4, 10, 25][random.below(3)]
    }
    // A program in which nothing happens, or no one looks, shows nothing.
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
        if case .publish(_, _, let event, .sent) = step { told.append(event) }
        steps.append(step)
      }
      if let target { steps.append(.serve(target)) }
    }
    // In order, as most networks tell; some never.
    steps += told.filter { _ in random.chance(0.9) }.map { .deliver(event: $0) }
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
    case .deliver(let event): run.link.events.contains { $0.number == event }
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
