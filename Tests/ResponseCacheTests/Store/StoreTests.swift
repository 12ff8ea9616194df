import CacheFiles
import CacheModel
import ResponseCache
import Testing

@Suite("Decisions of a response store")
struct StoreTests {
  private let start = Instant.zero.advanced(by: .seconds(1_000))
  private let key = ModelKey(number: 1)

  /// A store of bodies, its folder open.
  private func store(
    _ manifest: Manifest<ModelKey>? = nil, _ bodies: [FoundBody<ModelKey>] = [],
    _ change: (inout ResponseOptions) -> Void = { _ in }
  ) throws -> ResponseStore<ModelKey, Int> {
    var options = ResponseOptions()
    change(&options)
    var store = try ResponseStore<ModelKey, Int>(options)
    _ = store.nextOperation(at: start)
    store.finishOperation(.opened(manifest, isDamaged: false, bodies: bodies), at: start)
    return store
  }

  private func answer(
    _ body: Int, status: Int = 200, maximumAge: Int = 60, asked: Instant? = nil
  ) -> Exchange<Int> {
    .answered(
      Answer(
        status: status, body: body, bytes: 10, digest: BodyDigest(words: [UInt64(body)]),
        kind: .json, etag: "\"\(body)\"",
        fields: CacheFields([HTTPField("Cache-Control", "max-age=\(maximumAge)")]),
        asked: asked ?? start))
  }

  private func drain(_ store: inout ResponseStore<ModelKey, Int>, at now: Instant) -> [String] {
    var operations: [String] = []
    while let operation = store.nextOperation(at: now) {
      switch operation {
      case .writeBody: operations.append("body")
      case .writeManifest: operations.append("manifest")
      case .writeSidecars(let entries, _): operations.append("sidecars \(entries.count)")
      case .deleteBody: operations.append("delete")
      case .open: operations.append("open")
      }
      store.finishOperation(.done, at: now)
    }
    return operations
  }

  @Test("R9 Metadata is written 10 s after a change, tags immediately, nothing twice")
  func flushes() throws {
    var store = try store()
    guard case .exchange(let ticket, nil) = store.fetch(key, at: start).step else {
      Issue.record("nobody is asked")
      return
    }
    _ = store.finishExchange(ticket, answer(1), at: start)
    #expect(drain(&store, at: start) == ["body"])
    let deadline = store.nextDeadline
    let due = try #require(deadline)
    #expect(start.duration(to: due) == .seconds(10))
    #expect(drain(&store, at: due) == ["manifest"])
    #expect(drain(&store, at: due.advanced(by: .seconds(20))) == [])
    // A read changes the order of use, and is written too.
    _ = store.fetch(key, at: due)
    _ = store.fetch(key, at: due)
    #expect(drain(&store, at: due) == [])
    #expect(drain(&store, at: due.advanced(by: .seconds(10))) == ["manifest"])
    _ = store.fetch(key, tag: "issue", at: due)
    #expect(drain(&store, at: due) == ["manifest"])
    _ = store.removeTag("issue", at: due)
    #expect(drain(&store, at: due) == ["manifest"])
  }

  @Test("R9 The body of a tagged entry is replaced only once the manifest names both")
  func replacement() throws {
    var store = try store()
    guard case .exchange(let first, _) = store.fetch(key, tag: "a", at: start).step else { return }
    _ = store.finishExchange(first, answer(1, maximumAge: 0), at: start)
    #expect(drain(&store, at: start) == ["body", "manifest"])
    guard case .exchange(let second, let condition) = store.fetch(key, at: start).step else {
      return
    }
    #expect(condition == .etag("\"1\""))
    _ = store.finishExchange(second, answer(2), at: start)
    #expect(drain(&store, at: start) == ["manifest", "body", "manifest"])
  }

  @Test("R9 With sidecars a flush writes the changes, and no more")
  func sidecars() throws {
    var store = try store { $0.metadataLayout = .sidecars }
    for number in 1...3 {
      guard
        case .exchange(let ticket, _) = store.fetch(ModelKey(number: number), at: start).step
      else { return }
      _ = store.finishExchange(ticket, answer(number), at: start)
    }
    let later = start.advanced(by: .seconds(10))
    #expect(drain(&store, at: later) == ["body", "body", "body", "sidecars 3"])
    _ = store.fetch(ModelKey(number: 2), at: later)
    #expect(drain(&store, at: later.advanced(by: .seconds(10))) == ["sidecars 1"])
  }

  @Test(
    "R12 Above a limit on bytes in files the least recently read leave, before anything is written")
  func bytesOnDisk() throws {
    var store = try store { $0.diskBytes = 3 * (10 + ResponseOptions.entryOverhead) }
    func fetch(_ number: Int, tag: TextKey? = nil, at now: Instant) {
      let (step, _) = store.fetch(ModelKey(number: number), tag: tag, at: now)
      guard case .exchange(let ticket, _) = step else { return }
      _ = store.finishExchange(ticket, answer(number), at: now)
    }
    fetch(1, tag: "kept", at: start)
    for number in 2...3 { fetch(number, at: start) }
    #expect(drain(&store, at: start) == ["body", "manifest", "body", "body"])
    fetch(2, at: start)
    fetch(4, at: start)
    #expect(drain(&store, at: start) == ["delete", "body"])
    #expect(
      [1, 2, 3, 4].map { store.isStored(ModelKey(number: $0)) } == [true, true, false, true])
    #expect(store.statistics.evictedEntries == 1 && store.statistics.sweptEntries == 0)
    // A tagged entry stays, even if it alone exceeds the limit.
    for number in [2, 4, 5] { fetch(number, tag: "kept", at: start) }
    _ = drain(&store, at: start)
    #expect(store.entryCount == 4 && store.implicitCount == 0)
  }

  @Test("R12 A body larger than the limit of all files is served, and evicts nothing")
  func largeBody() throws {
    var store = try store { $0.diskBytes = 2 * ResponseOptions.entryOverhead }
    for (number, bytes) in [(1, 10), (2, 400)] {
      let step = store.fetch(ModelKey(number: number), at: start).step
      guard case .exchange(let ticket, _) = step, case .answered(var sent) = answer(number)
      else { return }
      sent.bytes = bytes
      guard case .served = store.finishExchange(ticket, .answered(sent), at: start) else {
        Issue.record("\(number) is not served")
        return
      }
      _ = drain(&store, at: start)
    }
    #expect(store.isStored(key) && store.entryCount == 1)
  }

  @Test("R5 The same body in a full answer is not written again")
  func sameBody() throws {
    var store = try store()
    for _ in 1...2 {
      guard case .exchange(let ticket, _) = store.fetch(key, at: start).step else { return }
      _ = store.finishExchange(ticket, answer(1, maximumAge: 0), at: start)
      _ = drain(&store, at: start)
    }
    let written = store.statistics.bodiesWritten
    #expect(written == 1)
  }

  @Test("R7 An entry has as many tags as it may, and no more")
  func tooManyTags() throws {
    var store = try store()
    guard case .exchange(let ticket, _) = store.fetch(key, at: start).step else { return }
    _ = store.finishExchange(ticket, answer(1), at: start)
    _ = drain(&store, at: start)
    for number in 0..<ResponseOptions.maximumTags {
      let ticket = store.fetch(key, tag: TextKey("\(number)"), at: start).keep
      let keep = try #require(ticket)
      _ = drain(&store, at: start)
      let state = store.keepState(keep)
      #expect(state == .kept)
    }
    let more = store.fetch(key, tag: "more", at: start).keep
    let keep = try #require(more)
    let state = store.keepState(keep)
    #expect(state == .failed(.tooManyTags))
  }

  private static let impossible: [(String, @Sendable (inout ResponseOptions) -> Void)] = [
    ("evictionOrder", { $0.evictionOrder = "best" }),
    ("evictionOrder", { $0.evictionOrder = "unbounded" }),
    ("memoryBytes", { $0.memoryBytes = -1 }), ("diskBytes", { $0.diskBytes = -1 }),
    ("maximumEntries", { $0.maximumEntries = -1 }), ("memoryEntries", { $0.memoryEntries = -1 }),
    ("flushInterval", { $0.flushInterval = .zero }),
    ("sweepInterval", { $0.sweepInterval = .seconds(-1) }),
    ("maximumBodyBytes", { $0.maximumBodyBytes = -1 }),
  ]

  @Test("Settings that cannot be are refused by name", arguments: impossible.indices)
  func settings(index: Int) {
    let (name, change) = Self.impossible[index]
    #expect {
      _ = try store(nil, [], change)
    } throws: {
      ($0 as? ResponseOptionsError)?.description.hasPrefix("\(name): ") == true
    }
  }
}
