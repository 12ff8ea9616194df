import CacheModel
import HeapModule
import NormalizedCache
import Synchronization

/// A server in the same process that changes files and sends events; the ground truth of a soak.
///
/// Its memory is constant: it stores the changed file for each event, and the last change for each file.
final class SoakServer: CacheSource {
  typealias Change = FileChange

  private struct State {
    var sequence = 0
    /// The sequence of each file's last change; 0: none.
    var revisions: [Int32]
    /// The changed file of each recent event, in a ring buffer by sequence.
    var log: [Int32]
  }

  private let library: FileLibrary
  private let directoryOfQuery: [QueryKey: Int]
  private let state: Mutex<State>

  /// The number of events that it can replay.
  private static let remembered = 16_384
  /// The number of replayed events in one answer, so that an outage requires several.
  private static let page = 2_048
  /// The stride of changes, coprime to the number of files, so that a cycle visits all of them.
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

  /// The position of its stream.
  var place: EventPlace { library.place(sequence: state.withLock { $0.sequence }) }

  /// Changes a file.
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

  /// Returns the current files of a directory, and their position.
  func listing(
    ofDirectory directory: Int
  ) -> (entities: [VersionedEntity<FilePayload>], place: EventPlace) {
    let first = directory * library.filesPerDirectory
    let files = first..<first + library.filesPerDirectory
    let (revisions, sequence) = state.withLock { (Array($0.revisions[files]), $0.sequence) }
    // Names sort in the order of file numbers.
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

/// The faults of a network: probabilities from 0 to 1, and times in nanoseconds.
package struct LinkFaults: Hashable, Sendable {
  package var loss = 0.02
  package var duplicate = 0.02
  package var late = 0.05
  package var longestDelay: Int64 = 150_000_000
  /// The time from the end of one outage to the beginning of the next; 0: no outages.
  package var outageEvery: Int64 = 30_000_000_000
  package var outage: Int64 = 3_000_000_000

  package init() {}
}

/// The numbers of sent, lost and delivered messages; a duplicated one counts as two delivered.
package struct LinkTally: Hashable, Sendable {
  package var sent = 0
  package var delivered = 0
  package var lost = 0
  package var duplicated = 0
  package var late = 0
}

/// An unreliable network between a server and a client: messages may be lost, duplicated or delayed, and
/// outages occur.
///
/// It has no clock of its own. The same seed and the same instants give the same result.
struct LossyLink<Message> {
  let faults: LinkFaults
  private var random: RandomSource
  /// The messages in flight, the first due one first.
  private var held = Heap<Held>()
  private(set) var tally = LinkTally()

  /// A message in flight; those due at the same instant are delivered in the order of sending.
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

  /// Returns whether an outage exists, this many nanoseconds after the start.
  func isDown(at now: Int64) -> Bool {
    guard faults.outageEvery > 0 else { return false }
    return now % (faults.outageEvery + faults.outage) >= faults.outageEvery
  }

  mutating func send(_ message: Message, at now: Int64) {
    tally.sent += 1
    // Always generated, so that an outage does not change the results after it.
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

  /// Removes and returns the next due message.
  mutating func take(at now: Int64) -> Message? {
    guard let next = held.min, next.due <= now else { return nil }
    held.removeMin()
    tally.delivered += 1
    return next.message
  }

  /// The due time of the next message; `nil` without messages in flight.
  var nextDue: Int64? { held.min?.due }
}
