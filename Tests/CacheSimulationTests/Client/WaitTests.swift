import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

/// Waits of reads, the reads they belong to, and the user's actions meanwhile.
@Suite("Waits, and the reads they belong to")
struct WaitTests {
  private static let milliseconds = 1_000_000.0

  @Test("A miss waits for its round trip, a joined read for the rest of one, a hit for nothing")
  func waits() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 1.04)
    tiny.act(.read(query: 0), at: 2)
    tiny.act(.read(query: 0), at: 3)
    tiny.act(.open(object: file), at: 4)
    let total = try values(of: tiny.workload, composition())
    // The round trip takes 100 ms, and nothing takes time to send.
    #expect(total[.readWait, .p99] == 100 * Self.milliseconds)
    #expect(total[.readWait, .mean] == (100 + 60) / 4 * Self.milliseconds)
    #expect(total[.readWait, .p50] == 0)
    #expect(total[.slowReadShare] == 0)
    let all = try values(of: tiny.workload, composition(), class: "all")
    #expect(all[.reads] == 5)
    #expect(all[.readWait, .mean] == (100 + 60) / 5 * Self.milliseconds)
    #expect(all[.hitFresh] == 3)
  }

  @Test("Over 100 ms a wait is slow, and so is a read that fails, which has no wait")
  func slow() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.bytesPerSecond = 10_000
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 3)
    tiny.act(.read(query: 1), at: 21)
    tiny.partitions = [TinyWorkload.instant(20)..<TinyWorkload.instant(22)]
    let values = try values(of: tiny.workload, composition())
    #expect(values[.failed] == 1)
    // 10 ms for the request of 100 bytes, 110 ms for 1,100 bytes of response, 100 ms on the way.
    #expect(values[.readWait, .p99] == 220 * Self.milliseconds)
    #expect(values[.readWait, .mean] == 110 * Self.milliseconds)
    #expect(values[.slowReadShare] == 2.0 / 3)
  }

  @Test("A view that is left before its rows come has waited until then")
  func abandoned() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.unobserve(query: 0), at: 1.03)
    tiny.act(.read(query: 0), at: 2)
    let values = try values(of: tiny.workload, composition())
    #expect(values[.abandoned] == 1)
    #expect(outcomes(values) == [.missCold: 1, .hitFresh: 1])
    #expect(values[.readWait, .p99] == 30 * Self.milliseconds)
  }

  @Test("A read without a view is not abandoned with one")
  func notAbandoned() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 1.01)
    tiny.act(.unobserve(query: 0), at: 1.03)
    let values = try values(of: tiny.workload, composition())
    #expect(values[.abandoned] == 1)
    #expect(values[.readWait, .p99] == 90 * Self.milliseconds)
    #expect(outcomes(values) == [.missCold: 1, .coalesced: 1])
  }

  @Test(
    "A row that is not on screen cannot be picked; without a view there is nothing to pick from")
  func impossible() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.open(object: file, view: 0), at: 1.05)
    tiny.act(.open(object: file, view: 0), at: 2)
    tiny.act(.open(object: file), at: 3)
    tiny.act(.open(object: file, view: 0), at: 4)
    tiny.act(.open(object: file, view: 0), at: 5)
    let values = try values(of: tiny.workload, composition())
    #expect(values[.rowNotReadyShare] == 0.25)
  }

  @Test("A row whose value has not arrived is not on screen")
  func impossibleWithoutValue() throws {
    var tiny = TinyWorkload()
    let files = (0..<2).map { tiny.file(name: UInt64($0 + 1)) }
    // There is space for one: the second time the view shows one row, and waits for the other.
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.unobserve(query: 0), at: 5)
    tiny.act(.observe(query: 0), at: 10)
    tiny.act(.open(object: files[0], view: 0), at: 10.01)
    tiny.act(.open(object: files[1], view: 0), at: 10.02)
    let values = try values(of: tiny.workload, composition(entities: 1))
    #expect(values[.rowNotReadyShare] == 0.5)
  }

  @Test("Repeats by a view are a class of their own, and not a use")
  func redraws() throws {
    var tiny = TinyWorkload()
    let files = (0..<2).map { tiny.file(name: UInt64($0 + 1)) }
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 2)
    tiny.act(.redraw(query: 0), at: 3)
    // A second query would push the least recently read one out; redraws do not count as reads of it.
    tiny.act(.unobserve(query: 0), at: 3.5)
    tiny.act(.read(query: 1), at: 3.6)
    tiny.act(.open(object: files[0]), at: 4)
    let total = try values(of: tiny.workload, composition())
    #expect(total[.reads] == 3)
    #expect(try values(of: tiny.workload, composition(), class: "entity")[.reads] == 1)
    #expect(try values(of: tiny.workload, composition(), class: "all")[.reads] == 4)
    let redraw = try values(of: tiny.workload, composition(), class: "redraw")
    #expect(outcomes(redraw) == [.hitFresh: 1])
  }

  @Test("A redraw does not make a query the one that was read last")
  func recency() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.queries.append(QuerySpec(kind: .media, subject: 0, limit: 10))
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.observe(query: 1), at: 2)
    tiny.act(.redraw(query: 0), at: 3)
    // Both are left at once, so that neither counts as left later.
    tiny.act(.unobserve(query: 0), at: 4)
    tiny.act(.unobserve(query: 1), at: 4)
    tiny.act(.read(query: 2), at: 5)
    tiny.act(.read(query: 1), at: 6)
    let values = try values(of: tiny.workload, composition(queries: 2))
    #expect(outcomes(values) == [.missCold: 3, .hitFresh: 1])
  }

  @Test("First reads are counted apart, also those of single entities")
  func firsts() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    tiny.act(.open(object: file), at: 3)
    tiny.act(.open(object: file), at: 4)
    let first = try values(of: tiny.workload, composition(), class: "first")
    #expect(outcomes(first) == [.missCold: 1, .hitFresh: 1])
  }

  @Test("Nothing is counted in the warm-up, nor a read that begins in it; the cache remembers")
  func warmUp() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.warmUp = .seconds(10)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 9.95)
    tiny.act(.read(query: 0), at: 11)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.hitFresh: 1])
    // The answer to the read at 9.95 s comes after the warm-up.
    #expect(values[.bytesFetched] == 1_100)
    #expect(values[.fetches] == 0)
    #expect(values[.residentEntities, .mean] == 1)
    #expect(values[.residentEntities, .peak] == 1)
    let first = try self.first(of: tiny.workload)
    #expect(first[.reads] == 0)
  }

  private func first(of workload: Workload) throws -> RunValues {
    try values(of: workload, composition(), class: "first")
  }

  @Test("A visit lasts until all of it is done, however long it waited, and puts off no other")
  func visits() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.observe(query: 1), at: 1.04)
    tiny.act(.read(query: 0), at: 20.5)
    tiny.partitions = [TinyWorkload.instant(1.05)..<TinyWorkload.instant(20)]
    // No view is notified: a later read gets the former content.
    _ = tiny.change(file, at: 20.55, name: 1, modified: 5)
    let hasty = try values(of: tiny.workload, composition(), class: "all")
    #expect(hasty[.failed] == 2)
    tiny.reaction = .waits
    let values = try values(of: tiny.workload, composition(), class: "all")
    #expect(outcomes(values) == [.missCold: 2, .hitFresh: 1])
  }

  @Test("A user who waits does everything later by the waits; another does not")
  func reaction() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.open(object: file, view: 0), at: 1.05)
    tiny.act(.observe(query: 1), at: 1.06)
    tiny.act(.open(object: file, view: 1), at: 1.07)
    #expect(try values(of: tiny.workload, composition())[.rowNotReadyShare] == 1)
    tiny.reaction = .waits
    #expect(try values(of: tiny.workload, composition())[.rowNotReadyShare] == 0)
    // Two waits of 100 ms: the row of 1.07 s comes at 1.27 s, before the change of 1.3 s.
    let change = tiny.change(file, at: 1.3, name: 1, modified: 5)
    tiny.deliver(change, at: 1.31)
    tiny.act(.read(query: 0), at: 1.2)
    let values = try values(of: tiny.workload, composition(), class: "all")
    #expect(outcomes(values) == [.missCold: 2, .hitFresh: 3])
  }

  @Test("Steps that a waiting user does not reach before the end are not done")
  func postponedBeyondTheEnd() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.duration = .seconds(2)
    tiny.reaction = .waits
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 1.95)
    #expect(try values(of: tiny.workload, composition())[.reads] == 1)
    tiny.reaction = .none
    #expect(try values(of: tiny.workload, composition())[.reads] == 2)
  }
}
