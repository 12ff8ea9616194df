import CacheModel
import FaultSearch
import NormalizedCache
import TidemarkTestSupport

/// A random program in which the process ends again and again, and begins with what was stored.
///
/// Whenever a batch is written the storage must hold exactly what the store held when the batch was
/// taken: one consistent state, and so a state of some earlier commit.
struct RestartProgram {
  typealias Storage = MemoryStorage<Note, ClientMutation<Note, NoteSchema.Change>>
  typealias State = StoredState<Note, ClientMutation<Note, NoteSchema.Change>>

  private var program: StoreProgram
  private var random: RandomSource
  private var storage = Storage()
  private let settings = WriteBehind(window: .seconds(2), maximumChanges: 12)
  /// What is stored, or on its way.
  private var taken: StoredImage?
  /// What was stored before what is on its way.
  private var stored = StoredImage(State())
  /// When something changed that no batch has.
  private var changedAt: Instant?
  private var lastFailure: Instant?
  /// The wall clock when the client's own shows zero.
  private var epoch = Instant(nanoseconds: 1_000_000_000_000)
  private(set) var restarts = 0
  private(set) var batches = 0
  /// What was found first that must not be; a program that has one goes no further.
  private(set) var failure: String?
  private let label: String
  /// Prepares the store of each process.
  private let prepare: (inout CacheStore<NoteSchema>) -> Void

  init(
    seed: UInt64, label: String,
    prepare: @escaping (inout CacheStore<NoteSchema>) -> Void = { _ in }
  ) {
    program = StoreProgram(seed: seed)
    random = RandomSource(seed: seed).substream("restarts")
    self.label = "seed \(seed) \(label)"
    self.prepare = prepare
  }

  mutating func run(_ composition: PolicyComposition, steps: Int) throws {
    var client = try NoteClient(composition)
    prepare(&client.store)
    client.store.persist(settings, at: client.now)
    for _ in 0..<steps where failure == nil {
      program.step(&client)
      client.store.checkInvariants()
      attendToStorage(&client)
      if random.chance(0.03) { try restart(&client, composition) }
    }
    if failure == nil { storeAll(&client) }
    guard failure == nil else { return }
    program.settle(&client)
    if composition.promisesConvergence { program.compare(client, composition) }
  }

  private mutating func fail(_ words: @autoclosure () -> String) {
    if failure == nil { failure = "\(label): \(words())" }
  }

  private func wallClock(_ client: borrowing NoteClient) -> Instant {
    epoch.advanced(byNanoseconds: client.now.nanoseconds)
  }

  private func image(_ client: borrowing NoteClient) -> StoredImage {
    StoredImage(client.store.storedState(wallClock: wallClock(client), at: client.now))
  }

  private mutating func attendToStorage(_ client: inout NoteClient) {
    client.collect()
    if random.chance(0.02) {
      client.store.flush(at: client.now)
      client.collect()
    }
    let isIdle = taken == nil && !client.isFlushAsked
    if image(client).difference(from: taken ?? stored, withUses: false) != nil {
      changedAt = changedAt ?? client.now
    } else if taken == nil {
      changedAt = nil
    }
    if isIdle, lastFailure == nil, let changedAt,
      changedAt.duration(to: client.now) >= settings.window
    {
      let difference = image(client).difference(from: stored, withUses: false)
      fail("no flush was asked for within the window: \(difference ?? "nothing differs")")
    }
    if client.isFlushAsked, random.chance(0.7) { take(&client) }
    if storage.batch != nil, random.chance(0.5) { end(&client) }
  }

  private mutating func take(_ client: inout NoteClient) {
    client.isFlushAsked = false
    let image = image(client)
    guard let batch = client.store.takeBatch(wallClock: wallClock(client), at: client.now) else {
      fail("a flush was asked for, but there is no batch")
      return
    }
    taken = image
    changedAt = nil
    batches += 1
    storage.begin(batch)
  }

  private mutating func end(_ client: inout NoteClient) {
    let errors: [StorageError] = [
      .full("it"), .locked("it"), .failed("it"), .corrupt("it", keptAside: nil),
    ]
    if random.chance(0.2), let number = storage.refuse() {
      let error = errors[random.below(errors.count)]
      if case .corrupt = error {
        storage = Storage()
        stored = StoredImage(State())
      }
      client.store.failFlush(number, error, at: client.now)
      taken = nil
      changedAt = changedAt ?? client.now
      lastFailure = client.now
    } else if let (number, _) = storage.finish() {
      settleBatch()
      client.store.completeFlush(number, at: client.now)
      lastFailure = nil
    }
    client.collect()
  }

  /// The storage recovers, so that what is queued may be sent.
  private mutating func storeAll(_ client: inout NoteClient) {
    for _ in 0..<10 where !client.store.isStored {
      client.store.flush(at: client.now)
      client.collect()
      if client.isFlushAsked { take(&client) }
      if let (number, _) = storage.finish() {
        settleBatch()
        client.store.completeFlush(number, at: client.now)
        client.collect()
      }
    }
    if !client.store.isStored { fail("it is never done with storing") }
  }

  /// The storage has what the store had when the batch was taken.
  private mutating func settleBatch() {
    guard let taken else { return }
    if let difference = StoredImage(storage.contents).difference(from: taken, withUses: true) {
      fail("what is stored is not what the store held: \(difference)")
    }
    stored = taken
    self.taken = nil
  }

  private mutating func restart(
    _ client: inout NoteClient, _ composition: PolicyComposition
  ) throws {
    restarts += 1
    let isCommitted = storage.batch != nil && random.chance(0.5)
    storage.crash(isCommitted: isCommitted)
    if isCommitted { settleBatch() }
    taken = nil
    changedAt = nil
    lastFailure = nil
    let wallClock = wallClock(client)
    // The new process has a monotonic clock of its own.
    client = try NoteClient(composition)
    prepare(&client.store)
    epoch = wallClock.advanced(by: .seconds(random.below(5)))
    let report = client.store.restore(storage.contents, wallClock: epoch, at: client.now)
    client.store.checkInvariants()
    if report.entitiesLeftOut == 0, report.queriesLeftOut == 0 {
      let contents = StoredImage(storage.contents)
      if let difference = image(client).difference(from: contents, withUses: true) {
        fail("what was restored is not what was stored: \(difference)")
      }
    }
    client.store.persist(settings, at: client.now)
    program.forgetClient()
    client.collect()
  }
}

/// A stored state that can be compared.
struct StoredImage {
  private var entities: [StoredEntity<Note>]
  private var queries: [StoredQuery]
  private var progress: StoredProgress
  private var outbox: [MutationToken]

  init(_ state: RestartProgram.State) {
    let state = state.inOrder
    entities = state.entities
    queries = state.queries
    progress = state.progress
    outbox = state.outbox.map(\.token)
  }

  /// The first thing that differs; `nil` where nothing does.
  ///
  /// - Parameters:
  ///   - other: what this should be.
  ///   - withUses: whether it counts when a query was read, and what only goes along with changes.
  /// - Returns: what differs, and how.
  func difference(from other: StoredImage, withUses: Bool) -> String? {
    let (mine, its) = (comparable(withUses), other.comparable(withUses))
    func first<Element: Equatable>(_ mine: [Element], _ its: [Element]) -> String? {
      guard mine != its else { return nil }
      let index = zip(mine, its).prefix { $0 == $1 }.count
      return
        "\(mine.dropFirst(index).first as Element?) is not \(its.dropFirst(index).first as Element?)"
    }
    return first(mine.entities, its.entities) ?? first(mine.queries, its.queries)
      ?? first([mine.progress], [its.progress]) ?? first(mine.outbox, its.outbox)
  }

  private func comparable(_ withUses: Bool) -> StoredImage {
    guard !withUses else { return self }
    var image = self
    for index in queries.indices { image.queries[index].lastReadAt = .zero }
    for index in progress.streams.indices { image.progress.streams[index].known = 0 }
    image.progress.libraries = []
    image.progress.forgotten = .none
    image.progress.holdsUnowned = false
    return image
  }
}

extension StoreProgram {
  /// The process ended, and with it whoever waited or watched in it.
  mutating func forgetClient() {
    observed = []
    changes.unsent = []
    changes.answers = []
    changes.inFlight = nil
  }
}
