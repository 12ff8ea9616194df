import CacheModel
import NormalizedCache

/// Generates random steps one by one, depending on the state of the run.
///
/// The state lets most steps have an effect: a delivered event is in flight, an answered request exists. The
/// result is a value, so that the run can be repeated without the generator.
struct StepGenerator {
  var random: RandomSource
  private let weights: StepWeights
  private let shape: ProgramShape
  /// The next steps, in advance.
  private var planned: ArraySlice<Step> = []
  private var lastEvent = 0
  private var lastMutation = 0
  /// The mutations for each server: only that server has the notes that they create.
  private var mutations: [[Int]] = [[], [], []]
  /// Whether the app declares its queries.
  private let isDeclared: Bool

  init(seed: UInt64, declared: [NoteShape]) {
    let source = RandomSource(seed: seed)
    var traits = source.substream("traits")
    var later = source.substream("later-steps")
    weights = StepWeights(random: &traits, later: &later, isDeclared: !declared.isEmpty)
    var shapes = source.substream("shape")
    shape = ProgramShape(random: &shapes, declared)
    isDeclared = !declared.isEmpty
    random = source.substream("steps")
  }

  /// Generates the servers' data before the client connects.
  mutating func opening() -> [Step] {
    (0..<3).flatMap { Array(shape.numbers(of: $0)) }.compactMap { number in
      guard random.chance(0.6) else { return nil }
      let write = NoteWrite(number: number, note: note())
      return .publish(
        server: NoteWorld.server(of: number), .change([write]), event: nextEvent(), .lost)
    }
  }

  mutating func next(_ run: borrowing FaultRun) -> Step {
    if planned.isEmpty, random.chance(shape.screens) { planned = screen(run)[...] }
    while let step = planned.popFirst() {
      if Self.isPossible(step, run) { return step }
    }
    for _ in 0..<8 {
      let kind = weights.draw(&random)
      if let step = draw(kind, run) { return step }
    }
    return publication(.change, at: server(), run.world)
  }

  private mutating func draw(_ kind: StepKind, _ run: borrowing FaultRun) -> Step? {
    switch kind {
    case .change, .batch, .delete, .bulk, .partlyDecoded, .infrastructure:
      publication(kind, at: server(), run.world)
    case .restart: .restart(server: server())
    case .deliver: event(run).map { .deliver(event: $0) }
    case .repeat: event(run).map { .repeat(event: $0) }
    case .lose: event(run).map { .lose(event: $0) }
    case .cut: uncut(run).map { .cut(server: $0) }
    case .restore: run.link.isCut.firstIndex(of: true).map { .restore(server: $0) }
    case .heartbeat: uncut(run).map { .heartbeat(server: $0) }
    case .serve: unserved(run).map { .serve($0) }
    case .lag: .lag(server: random.chance(0.6) ? 0 : 2)
    case .serveStale: stale(run).map { .serveStale($0) }
    case .answer: answer(run)
    case .fail: fetch(run).map { .fail($0, index: $1) }
    case .serveReconcile: reconcile(run).map { .serveReconcile(server: $0) }
    case .answerReconcile: reconcile(run).map { .answerReconcile(server: $0) }
    case .failReconcile: reconcile(run).map { .failReconcile(server: $0) }
    case .tooOld: reconcile(run).map { .tooOld(server: $0) }
    case .read: .read(query())
    case .readEntity: .readEntity(note(of: server()))
    case .observe: run.observers.count < 8 ? .observe(query()) : nil
    case .leave: observed(run).map { .leave($0) }
    case .tag: .tag(query())
    case .untag: .untag(query())
    case .invalidate: .invalidate(query())
    case .invalidateTag: .invalidateTag(tag())
    case .clear: .clear(random.chance(0.7) ? .test : .other)
    case .release: .release(percent: [0, 25, 50, 100][random.below(4)])
    case .wait: .wait(milliseconds: milliseconds(run))
    case .begin, .enqueue, .online, .rollBack, .carryOut, .confirm, .loseAnswer, .reject:
      mutationStep(kind, run)
    case .flush: run.hasUnstored ? .flush : nil
    case .store: run.isFlushAsked ? .store : nil
    case .written: run.isWriting ? .written : nil
    case .refuse:
      run.isWriting
        ? .refuse(StorageFault.allCases[random.below(StorageFault.allCases.count)]) : nil
    case .relaunch:
      // Without a storage, a new process is rarely interesting.
      run.hasStorage || random.chance(0.1)
        ? .relaunch(isWritten: random.chance(0.5), pause: random.below(shape.pause + 1)) : nil
    }
  }

  // MARK: Servers

  mutating func publication(_ kind: StepKind, at server: Int, _ world: NoteWorld) -> Step {
    let commit: Commit =
      switch kind {
      case .batch: .change(writes(at: server, [0, 2, 2, 3, 5][random.below(5)], world))
      case .delete: .delete(deletion(at: server, world))
      case .bulk: .bulk(writes(at: server, 3, world), token: UInt64(random.below(1 << 30)))
      case .partlyDecoded:
        .partlyDecoded(
          writes(at: server, 1 + random.below(3), world), undecodable: 1 + random.below(2))
      case .infrastructure: .infrastructure
      default: .change(writes(at: server, 1, world))
      }
    let telling: Telling =
      switch random.below(20) {
      case 0: .whispered(namesLibrary: true)
      case 1: .whispered(namesLibrary: false)
      case 2: .confirmed
      default: random.chance(shape.loss) ? .lost : .sent
      }
    return .publish(server: server, commit, event: nextEvent(), telling)
  }

  /// Generates the deletions of one event; in an app that declares its queries often a folder with all its
  /// notes.
  private mutating func deletion(at server: Int, _ world: NoteWorld) -> [Int] {
    if isDeclared, random.chance(0.4) {
      let folder = random.below(NoteShape.folders.count)
      let content = shape.numbers(of: server).filter {
        world.servers[server].notes[.note($0)]?.payload.folder == folder
      }
      if !content.isEmpty { return content }
    }
    return (0..<(random.chance(0.7) ? 1 : 3)).map { _ in note(of: server) }
  }

  private mutating func nextEvent() -> Int {
    lastEvent += 1
    return lastEvent
  }

  private mutating func writes(
    at server: Int, _ count: Int, _ world: NoteWorld
  ) -> [NoteWrite] {
    (0..<count).map { _ in
      let number = note(of: server)
      let former = world.servers[server].notes[.note(number)]?.payload
      return NoteWrite(number: number, note: former.flatMap { alike($0) } ?? note())
    }
  }

  /// Returns a different value with the same index in all lists.
  private mutating func alike(_ former: Note) -> Note? {
    guard random.chance(shape.likeness) else { return nil }
    var note = former
    note.text = String(repeating: "x", count: (former.text.utf8.count + 2) % 6)
    return note
  }

  private mutating func note() -> Note {
    Note(
      folder: random.below(3), title: String(UnicodeScalar(UInt8(97 + random.below(6)))),
      isStarred: random.chance(0.5), text: String(repeating: "x", count: random.below(4)))
  }

  // MARK: The user's changes

  private mutating func mutationStep(_ kind: StepKind, _ run: borrowing FaultRun) -> Step? {
    switch kind {
    case .begin:
      let (number, server, edits) = mutation()
      let timeout = random.chance(0.4) ? 1 + random.below(20_000) : nil
      return .begin(mutation: number, server: server, edits, timeout: timeout)
    case .enqueue:
      let (number, server, edits) = mutation()
      return .enqueue(mutation: number, server: server, edits)
    case .online:
      return .online(random.chance(0.7))
    case .rollBack:
      return change(run) { _ in true }.map { .rollBack(mutation: $0) }
    case .carryOut:
      guard let number = change(run, where: { $0.isAsked && $0.response == nil }) else {
        return nil
      }
      lastEvent += 2
      return .carryOut(mutation: number, event: lastEvent - 1)
    case .confirm:
      return change(run) { $0.response != nil }.map { .confirm(mutation: $0) }
    case .loseAnswer:
      return change(run) { $0.isAsked }.map { .loseAnswer(mutation: $0) }
    default:
      return change(run) { $0.isAsked && $0.response == nil }.map { .reject(mutation: $0) }
    }
  }

  private mutating func change(
    _ run: borrowing FaultRun, where isMeant: (PendingChange) -> Bool
  ) -> Int? {
    let meant = run.changes.filter(isMeant)
    return meant.isEmpty ? nil : meant[random.below(meant.count)].number
  }

  private mutating func mutation() -> (number: Int, server: Int, edits: [NoteEdit]) {
    lastMutation += 1
    let server = random.chance(0.7) ? 0 : 2
    mutations[server].append(lastMutation)
    return (lastMutation, server, (0...random.below(3)).map { _ in edit(of: server) })
  }

  private mutating func edit(of server: Int) -> NoteEdit {
    let recent = Array(mutations[server].suffix(3))
    let own = EntityKey.temporary(recent[random.below(recent.count)])
    let key = random.chance(0.2) ? own : .note(note(of: server))
    return switch random.below(5) {
    case 0: .create(.temporary(lastMutation), note())
    case 1: .delete(key)
    case 2: .update(key, .title(note().title))
    case 3: .update(key, .folder(random.below(3)))
    default: .update(key, .star(random.chance(0.5)))
    }
  }

  // MARK: Choices

  private mutating func server() -> Int { random.below(3) }

  mutating func note(of server: Int) -> Int {
    let numbers = shape.numbers(of: server)
    return numbers.lowerBound + random.below(numbers.count)
  }

  mutating func query() -> QueryKey { shape.queries[random.below(shape.queries.count)] }

  /// Returns the query of most screens.
  mutating func usualQuery(in library: LibraryID) -> QueryKey {
    guard isDeclared else { return NoteQuery.opaque.key(in: library) }
    let own = shape.queries.filter { $0.library == library }
    return own.isEmpty ? query() : own[random.below(own.count)]
  }

  private mutating func tag() -> InvalidationTag {
    var tag = InvalidationTag(library: random.chance(0.7) ? .test : .other)
    if random.chance(0.5) { tag.resourceType = NoteSchema.noteType }
    if isDeclared, random.chance(0.3) { tag.resourceType = NoteSchema.taskType }
    if random.chance(0.3) { tag.method = query().method }
    return tag
  }

  /// Returns a pause, often just long enough for the store's next deadline.
  private mutating func milliseconds(_ run: borrowing FaultRun) -> Int {
    if random.chance(0.4), let deadline = run.nextDeadline, deadline > run.now {
      return Int(run.now.duration(to: deadline).wholeNanoseconds / 1_000_000) + 1
    }
    return random.chance(0.03) ? 86_400_000 : random.below(shape.pause + 1)
  }

  private mutating func event(_ run: borrowing FaultRun) -> Int? {
    let count = run.link.events.count
    guard count > 0 else { return nil }
    return run.link.events[random.chance(shape.disorder) ? random.below(count) : 0].number
  }

  private mutating func uncut(_ run: borrowing FaultRun) -> Int? {
    let server = server()
    return run.link.isCut[server] ? nil : server
  }

  private mutating func observed(_ run: borrowing FaultRun) -> QueryKey? {
    run.observers.isEmpty ? nil : run.observers[random.below(run.observers.count)].key
  }

  private mutating func unserved(_ run: borrowing FaultRun) -> FetchTarget? {
    let open = run.fetches.filter { $0.response == nil }
    return open.isEmpty ? nil : open[random.below(open.count)].target
  }

  private mutating func stale(_ run: borrowing FaultRun) -> FetchTarget? {
    guard let target = unserved(run), run.world.replicas[NoteWorld.server(of: target)] != nil else {
      return nil
    }
    return target
  }

  /// Returns an answer that arrives; if answers are slow, one that was read before, in any order, or none
  /// yet.
  private mutating func answer(_ run: borrowing FaultRun) -> Step? {
    guard random.chance(shape.slowness) else {
      return fetch(run).map { .answer($0, index: $1) }
    }
    let read = run.fetches.indices.filter { run.fetches[$0].response != nil }
    guard read.count > 1 || random.chance(0.2), !read.isEmpty else {
      return unserved(run).map { .serve($0) }
    }
    let chosen = read[random.below(read.count)]
    let target = run.fetches[chosen].target
    return .answer(target, index: run.fetches[..<chosen].count { $0.target == target })
  }

  private mutating func fetch(_ run: borrowing FaultRun) -> (FetchTarget, Int)? {
    guard !run.fetches.isEmpty else { return nil }
    let target = run.fetches[random.below(run.fetches.count)].target
    return (target, random.below(run.fetches.count { $0.target == target }))
  }

  private mutating func reconcile(_ run: borrowing FaultRun) -> Int? {
    let reconciles = run.reconciles
    return reconciles.isEmpty ? nil : reconciles[random.below(reconciles.count)].server
  }
}
