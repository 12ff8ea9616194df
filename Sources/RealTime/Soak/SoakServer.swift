import CacheModel
import HeapModule
import NormalizedCache
import Synchronization

/// A server in the same process that takes changes and pushes them; the truth that a soak compares with.
///
/// Its memory does not grow: of an event it keeps which file changed, of a file when it last did.
final class SoakServer: CacheSource {
  typealias Change = FileChange

  private struct State {
    var sequence = 0
    /// The sequence of each file's last change; 0: none.
    var revisions: [Int32]
    /// Which file each of the latest events changed, in a ring by sequence.
    var log: [Int32]
  }

  private let library: FileLibrary
  private let directoryOfQuery: [QueryKey: Int]
  private let state: Mutex<State>

  /// How many events it can replay.
  private static let remembered = 16_384
  /// How many it replays in one answer, so that an outage costs several, not one large one.
  private static let page = 2_048
  /// A stride that is prime to the population visits every file before it returns to one.
  private static let stride = 7_919

  init(library: FileLibrary) {
    self.library = library
    directoryOfQuery = Dictionary(
      zip(library.queryKeys, 0...), uniquingKeysWith: { first, _ in first })
    state = Mutex(
      State(
        revisions: Array(repeating: 0, count: library.fileCount),
        log: Array(repeating: 0, count: Self.remembered)))
  }

  /// How far its stream has come.
  var place: EventPlace { library.place(sequence: state.withLock { $0.sequence }) }

  /// Somebody changes a file.
  func change() -> EventEnvelope<FilePayload> {
    let (file, sequence) = state.withLock { state in
      state.sequence += 1
      let file = state.sequence * Self.stride % library.fileCount
      state.revisions[file] = Int32(state.sequence)
      state.log[state.sequence % Self.remembered] = Int32(file)
      return (file, state.sequence)
    }
    return event(sequence, changing: file)
  }

  private func event(_ sequence: Int, changing file: Int) -> EventEnvelope<FilePayload> {
    EventEnvelope(
      place: library.place(sequence: sequence),
      event: .changed(library.entity(file: file, revision: sequence)))
  }

  /// The files of a directory as they are, and when that was.
  func listing(
    ofDirectory directory: Int
  ) -> (entities: [VersionedEntity<FilePayload>], place: EventPlace) {
    let first = directory * library.filesPerDirectory
    let files = first..<first + library.filesPerDirectory
    let (revisions, sequence) = state.withLock { (Array($0.revisions[files]), $0.sequence) }
    // Names sort as files are numbered.
    let entities = zip(files, revisions).map { library.entity(file: $0, revision: Int($1)) }
    return (entities, library.place(sequence: sequence))
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    guard case .query(let key) = request.target, let directory = directoryOfQuery[key] else {
      throw MeasurementError.unexpectedRequest("\(request.target)")
    }
    let (entities, place) = listing(ofDirectory: directory)
    return FetchResponse(entities: entities, hasMore: false, place: place)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    let after = Int(position.sequence)
    let (files, sequence) = state.withLock { state -> ([Int32]?, Int) in
      guard state.sequence - after < Self.remembered else { return (nil, state.sequence) }
      let last = min(state.sequence, after + Self.page)
      let sequences = after < last ? after + 1..<last + 1 : 0..<0
      return (sequences.map { state.log[$0 % Self.remembered] }, state.sequence)
    }
    guard let files else { return .tooOld(now: library.place(sequence: sequence).position) }
    let through = library.place(sequence: after + files.count).position
    guard form == .events else {
      return .outline([InvalidationTag(library: stream.library)], through: through)
    }
    return .events(
      files.enumerated().map { event(after + 1 + $0, changing: Int($1)) }, through: through)
  }
}

/// Shares from 0 to 1, and times in nanoseconds.
package struct LinkFaults: Hashable, Sendable {
  package var loss = 0.02
  package var duplicate = 0.02
  package var late = 0.05
  package var longestDelay: Int64 = 150_000_000
  /// From the end of one outage to the beginning of the next; 0: there are none.
  package var outageEvery: Int64 = 30_000_000_000
  package var outage: Int64 = 3_000_000_000

  package init() {}
}

/// What has become of what was sent; one that was doubled counts twice among those delivered.
package struct LinkTally: Hashable, Sendable {
  package var sent = 0
  package var delivered = 0
  package var lost = 0
  package var duplicated = 0
  package var late = 0
}

/// A bad network between a server and a client: what is sent may be lost, doubled or late, and now and
/// then nothing passes.
///
/// It decides and delays, without a clock. The same seed and the same instants give the same fate.
struct LossyLink<Message> {
  let faults: LinkFaults
  private var random: RandomSource
  /// The first that is due first.
  private var held = Heap<Held>()
  private(set) var tally = LinkTally()

  /// What is under way; of those due at one instant what was sent first is delivered first.
  private struct Held: Comparable {
    let due: Int64
    let ordinal: Int
    let message: Message

    static func < (lhs: Held, rhs: Held) -> Bool {
      lhs.due != rhs.due ? lhs.due < rhs.due : lhs.ordinal < rhs.ordinal
    }

    static func == (lhs: Held, rhs: Held) -> Bool {
      lhs.due == rhs.due && lhs.ordinal == rhs.ordinal
    }
  }

  private var holds = 0

  init(faults: LinkFaults, random: RandomSource) {
    self.faults = faults
    self.random = random
  }

  /// Whether nothing passes, this many nanoseconds after the start.
  func isDown(at now: Int64) -> Bool {
    guard faults.outageEvery > 0 else { return false }
    return now % (faults.outageEvery + faults.outage) >= faults.outageEvery
  }

  mutating func send(_ message: Message, at now: Int64) {
    tally.sent += 1
    // Drawn in any case, so that an outage shifts no fate after it.
    let isLost = random.chance(faults.loss)
    let isDoubled = random.chance(faults.duplicate)
    let isLate = random.chance(faults.late)
    let delay = Int64(random.unit() * Double(faults.longestDelay))
    guard !isLost, !isDown(at: now) else {
      tally.lost += 1
      return
    }
    hold(message, until: isLate ? now + delay : now)
    if isLate { tally.late += 1 }
    guard isDoubled else { return }
    tally.duplicated += 1
    hold(message, until: now + delay)
  }

  private mutating func hold(_ message: Message, until due: Int64) {
    holds += 1
    held.insert(Held(due: due, ordinal: holds, message: message))
  }

  /// What is due, one at a time.
  mutating func take(at now: Int64) -> Message? {
    guard let next = held.min, next.due <= now else { return nil }
    held.removeMin()
    tally.delivered += 1
    return next.message
  }

  /// When the next is due; `nil`: nothing is under way.
  var nextDue: Int64? { held.min?.due }
}
