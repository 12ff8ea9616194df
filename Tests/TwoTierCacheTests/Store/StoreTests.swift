import CacheFiles
import CacheModel
import FileHashing
import Testing
import TwoTierCache

@Suite("What a two-tier store decides")
struct StoreTests {
  private typealias Store = TwoTierStore<String, Int, Int>

  private let now = Instant(nanoseconds: 1_000)
  private let file = StoredFile(
    name: FileName(hashing: "k"), bytes: 41, written: Instant(nanoseconds: 1_000),
    used: Instant(nanoseconds: 1_000), number: 1)

  /// A store without memory, past its start.
  private func store(entries: Int = 0) throws -> Store {
    var options = TwoTierOptions()
    options.memoryLimit = .entries(entries)
    var store = try Store(options)
    if store.nextOperation(at: now) == nil { Issue.record("nothing to begin with") }
    store.finishOperation(.done, at: now)
    if store.nextOperation(at: now) == nil { Issue.record("nothing to begin with") }
    store.finishOperation(.listed([]), at: now)
    let isIdle = store.isIdle
    #expect(isIdle)
    return store
  }

  private func write(_ value: Int, to store: inout Store) {
    store.write("k", value, content: value, bytes: 1, fingerprint: 1, at: now)
  }

  @Test("T4 What was read before a write is not taken for what is there after it")
  func reentrancy() throws {
    var store = try store(entries: 4)
    guard case .file(let ticket, nil) = store.read("k", at: now) else {
      Issue.record("no file is asked for")
      return
    }
    write(2, to: &store)
    guard
      case .again = store.finishRead(
        ticket, .found(1, bytes: 1, file), fingerprint: 1, at: now)
    else {
      Issue.record("the older value is taken")
      return
    }
    guard case .hit(2) = store.read("k", at: now) else {
      Issue.record("the newer value is lost")
      return
    }
  }

  @Test("T4 What waits to be written is served, newest first, and written last")
  func ordered() throws {
    var store = try store()
    write(1, to: &store)
    guard case .write("k", 1, _)? = store.nextOperation(at: now) else {
      Issue.record("the first is not written")
      return
    }
    write(2, to: &store)
    write(3, to: &store)
    if store.nextOperation(at: now) != nil { Issue.record("two operations at once") }
    guard case .hit(3) = store.read("k", at: now) else {
      Issue.record("another than the newest is served")
      return
    }
    store.finishOperation(.written(file), at: now)
    guard case .write("k", 3, _)? = store.nextOperation(at: now) else {
      Issue.record("another than the newest is written last")
      return
    }
    store.finishOperation(.written(file), at: now)
    let isIdle = store.isIdle
    #expect(isIdle)
  }

  @Test("T9 A file that cannot be read this time is a miss and stays")
  func transient() throws {
    var store = try store()
    guard case .file(let ticket, _) = store.read("k", at: now) else {
      Issue.record("no file is asked for")
      return
    }
    let failure = FileFailure(kind: .transient, call: "read", code: 5)
    guard case .miss = store.finishRead(ticket, .unreadable(failure), fingerprint: 1, at: now)
    else {
      Issue.record("something is served")
      return
    }
    let isIdle = store.isIdle
    #expect(isIdle)
    let unreadableFiles = store.statistics.unreadableFiles
    #expect(unreadableFiles == 1)
    let corruptFiles = store.statistics.corruptFiles
    #expect(corruptFiles == 0)
  }
}
