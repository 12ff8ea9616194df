import CacheModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Reads of a log that contradict what it says")
struct LogContradictionsTests {
  private typealias Kind = LogContradictions.Kind

  /// How many reads of each kind, and the second at which the first was made.
  private static func found(_ log: TinyLog) -> [Kind: [Int]] {
    Dictionary(
      LogContradictions(in: log.workload).findings.map {
        ($0.kind, [$0.reads, Int($0.first.nanoseconds / TinyWorkload.second)])
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// Two files: first 1, then 2.
  private static func twoFiles(isAsShown: Bool = false) -> (TinyLog, Handle, Handle) {
    var log = TinyLog(files: 2)
    log.isAsShown = isAsShown
    return (log, log.initial(1), log.initial(2))
  }

  @Test("Logs that a server and a client would write contradict nothing", arguments: 0...3)
  func honest(seed: UInt64) throws {
    let workload = try RandomWorkloadTests.workload(seed: UInt64(seed))
    let own = LogContradictions(in: ShownLog.make(from: workload, .own, isAsShown: false))
    #expect(own.reads > 20)
    #expect(own.findings == [])
    let shown = LogContradictions(in: ShownLog.make(from: workload, .backwards, isAsShown: true))
    #expect(shown.reads == own.reads)
    #expect(shown.findings == [])
    #expect(LogContradictions(in: workload).reads == 0)
  }

  @Test("Every read in another order is counted, with the first and the queries")
  func order() throws {
    let workload = try RandomWorkloadTests.workload(seed: 1)
    let log = ShownLog.make(from: workload, .backwards, isAsShown: false)
    let reads = RecordedRead.all(of: log)
    let own = ShownLog.make(from: workload, .own, isAsShown: false)
    // A list of none or one has any order.
    let wrong = reads.filter { $0.rows.map(\.revision) != own.observedResults[$0.name] }
    let finding = try #require(LogContradictions(in: log).findings.first { $0.kind == .order })
    #expect(finding.reads == wrong.count)
    #expect(finding.first == wrong.first?.at)
    #expect(
      Set(finding.queries)
        == Set(wrong.map { log.model.shape(of: log.queries[$0.query].kind)?.name ?? "" }))
    #expect(finding.queries.count == Set(finding.queries).count)
  }

  @Test("One list in two orders cannot be as it was shown")
  func twoOrders() {
    var (log, a, b) = Self.twoFiles(isAsShown: true)
    log.read([a, b], at: 1)
    log.read([b, a], at: 2)
    log.read([a, b], at: 3)
    #expect(Self.found(log) == [.shownOrder: [1, 2]])
  }

  @Test("A row is foreign where its own state says so")
  func foreignRow() {
    var (log, a, b) = Self.twoFiles()
    let moved = Handle(object: 2, revision: 3)
    log.tiny.deliver(
      log.tiny.change(2, at: 1, name: 2, parent: Revision.noObject), at: 1.1)
    log.read([a, moved], at: 2)
    #expect(Self.found(log) == [.foreignRow: [1, 2]])
    // A row that had not moved yet belongs.
    (log, a, b) = Self.twoFiles()
    log.tiny.deliver(
      log.tiny.change(2, at: 1, name: 2, parent: Revision.noObject), at: 1.1)
    log.read([a, b], at: 2)
    #expect(Self.found(log) == [:])
  }

  @Test("What is not kept cannot be patched wrong")
  func uncacheable() {
    var (log, a, b) = Self.twoFiles()
    log.tiny.queries[0] = QuerySpec(kind: .search, subject: 0, prefixLength: 1, limit: 10)
    log.read([b, a], at: 1)
    #expect(Self.found(log) == [:])
  }
}
