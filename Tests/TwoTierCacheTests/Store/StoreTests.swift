import CacheFiles
import CacheModel
import FileHashing
import Testing
import TwoTierCache

@Suite("Decisions of a two-tier store")
struct StoreTests {
  private typealias Store = TwoTierStore<String, Int, Int>

  private let now = Instant(nanoseconds: 1_000)

  /// A store without memory, past its start.
  private func store() throws -> Store {
    var options = TwoTierOptions()
    options.memoryLimit = .entries(0)
    var store = try Store(options)
    if store.nextOperation(at: now) == nil { Issue.record("nothing to begin with") }
    store.finishOperation(.done, at: now)
    if store.nextOperation(at: now) == nil { Issue.record("nothing to begin with") }
    store.finishOperation(.listed([]), at: now)
    let isIdle = store.isIdle
    #expect(isIdle)
    return store
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
