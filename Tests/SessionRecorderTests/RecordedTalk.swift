import CacheModel
import CacheTestSupport
import Foundation
import NormalizedCache
import SessionRecorder
import Synchronization

/// A file in memory, which can be full, or take its time.
final class MemoryFile: RecordingFile, Sendable {
  private struct State {
    var files: [[UInt8]] = []
    var isFull = false
    var isStalled = false
  }

  private let state = Mutex(State())

  var text: String { state.withLock { String(decoding: $0.files.last ?? [], as: UTF8.self) } }
  var files: [String] { state.withLock { $0.files.map { String(decoding: $0, as: UTF8.self) } } }
  var bytes: [UInt8] { state.withLock { $0.files.last ?? [] } }

  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }
  func setStalled(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

  func begin(keeping former: Int) throws(RecordingFileError) {
    try wait()
    state.withLock { $0.files.append([]) }
  }

  func append(_ bytes: [UInt8]) throws(RecordingFileError) {
    try wait()
    state.withLock { $0.files[$0.files.count - 1] += bytes }
  }

  func replaceBeginning(_ bytes: [UInt8]) throws(RecordingFileError) {
    try wait()
    state.withLock { $0.files[$0.files.count - 1].replaceSubrange(0..<bytes.count, with: bytes) }
  }

  private func wait() throws(RecordingFileError) {
    while state.withLock({ $0.isStalled }) {
      Foundation.Thread.sleep(forTimeInterval: 0.001)
    }
    if state.withLock({ $0.isFull }) { throw RecordingFileError("no space left on device") }
  }
}

/// A user of the chat, and others who write, drawn from a seed.
struct RecordedTalk {
  let server = TalkServer()
  let clock: any CacheClock
  let cache: NormalizedCache<TalkSchema>
  var random: RandomSource
  /// Whether messages are edited and deleted that no list shows.
  var editsAny = false
  /// Whether the app tags, invalidates, clears and lets go.
  var keepsHouse = false
  /// Whether lists are asked for of which longer ones may be cached.
  var asksForLess = false
  private var count = 0
  private var asked: Set<QueryKey> = []
  private var views: [QueryObservation] = []
  private let manual: ManualClock?

  static func composition(
    timeToLive: Duration? = nil, entities: Int = 500, retention: Retention = .observed
  ) -> CachePolicy {
    CachePolicy(
      evictionOrder: "lru", capacity: Capacity(entities: entities), retention: retention,
      freshness: timeToLive.map { Freshness(timeToLive: $0) } ?? .neverExpires, maximumQueries: 4)
  }

  init(
    seed: UInt64, composition: CachePolicy, inRealTime: Bool = false
  ) async throws {
    manual = inRealTime ? nil : ManualClock()
    clock = manual ?? ContinuousCacheClock()
    cache = try NormalizedCache(
      composition: composition, schema: TalkSchema(), source: server, clock: clock)
    random = RandomSource(seed: seed)
    for _ in 0..<60 { await server.write(count, message()) }
  }

  private mutating func message() -> Message {
    count += 1
    return Message(
      room: UniqueID(high: 5, low: UInt64(random.below(6))), sentAt: count,
      text: "text \(random.below(1_000))")
  }

  private func key(_ number: Int) -> EntityKey {
    EntityKey(type: Message.resourceType, id: UniqueID(high: 7, low: UInt64(number)))
  }

  /// A message that is edited: one that may be seen, or any.
  private mutating func edited() -> Int {
    editsAny ? random.below(count) : count - 1 - random.below(6)
  }

  private mutating func thread() throws -> QueryKey {
    var thread = Thread(room: UniqueID(high: 5, low: UInt64(random.below(6))))
    if asksForLess, random.below(3) == 0 { thread.limit = 1 + random.below(8) }
    let key = try thread.key(in: TalkServer.library)
    asked.insert(key)
    return key
  }

  /// Waits until no list is being fetched.
  private func settle() async {
    for key in asked {
      while await cache.fetch(of: .query(key)) != nil { await Task.yield() }
    }
  }

  /// Something happens, or several things at once.
  mutating func step() async throws {
    if let manual {
      manual.advance(by: .milliseconds(1 + random.below(2_000)))
    } else {
      try await Task.sleep(for: .microseconds(random.below(1_500)))
    }
    if keepsHouse, random.below(8) == 0 { return try await keepHouse() }
    switch random.below(20) {
    case 0..<4:
      await cache.receive(await server.write(count, message()))
    case 4:
      let number = edited()
      if var former = await server.message(number) {
        former.text = "changed by another"
        await cache.receive(await server.write(number, former))
      }
    case 5:
      if editsAny { await cache.receive(await server.delete(random.below(count))) }
    case 6, 7:
      views.append(await cache.observe(try thread()) { _, _ in })
    case 8, 9:
      if !views.isEmpty { await views.remove(at: random.below(views.count)).cancel() }
    case 10:
      _ = try await cache.fetchEntity(key(random.below(count)), library: TalkServer.library)
    case 11:
      await cache.prefetch(try thread())
    case 12:
      _ = try await cache.query(
        try Search(letters: "\(random.below(9))").key(in: TalkServer.library))
    case 13:
      // Two wait for one answer, which an event overtakes, or does not.
      let key = try thread()
      async let first = cache.query(key)
      async let second = cache.query(key)
      await cache.receive(await server.write(count, message()))
      _ = try await (first, second)
    case 14:
      let message = key(edited())
      // Until the server has confirmed an edit the cache does not evict its row, and fetches a row that it
      // does not have. A recording does not tell of that, so no such edit is made here, and nothing else
      // comes meanwhile.
      await settle()
      guard await cache.entity(message) != nil else { break }
      let edit = ClientMutation<Message, Edit>(
        token: MutationToken(rawValue: UniqueID(high: 3, low: random.next())),
        library: TalkServer.library, edits: [.update(message, .text("edited"))])
      if (try? await cache.mutate(edit)) != nil, let event = await server.lastEdit {
        await cache.receive(event)
      }
    default:
      _ = try await cache.query(try thread())
    }
  }

  private mutating func keepHouse() async throws {
    switch random.below(10) {
    case 0..<4: await cache.tag(try thread(), random.below(2) == 0)
    case 4, 5: await cache.invalidate(try thread())
    case 6, 7: await cache.releaseMemory(toFraction: Double(random.below(10)) / 10)
    case 8:
      await cache.invalidate(
        InvalidationTag(library: TalkServer.library, resourceType: Message.resourceType))
    default: await cache.clear(library: TalkServer.library)
    }
  }

  mutating func leaveAll() async {
    for view in views { await view.cancel() }
    views = []
  }
}
