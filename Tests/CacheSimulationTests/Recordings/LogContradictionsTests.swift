import CacheModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Reads of a log that contradict what it says")
struct LogContradictionsTests {
  private typealias Kind = LogContradictions.Kind

  private static func found(_ log: TinyLog) -> [Kind: [Int]] {
    found(LogContradictions(in: log.workload))
  }

  /// How many reads of each kind, and the first of them.
  private static func found(_ contradictions: LogContradictions) -> [Kind: [Int]] {
    Dictionary(
      contradictions.findings.map { ($0.kind, [$0.reads, $0.first.action]) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Two files under their method's order: first 1, then 2.
  private static func twoFiles(order: ListOrder? = nil) -> (TinyLog, Handle, Handle) {
    var log = TinyLog(files: 2)
    log.tiny.queries[0].order = order
    return (log, log.initial(1), log.initial(2))
  }

  @Test("Logs that a server and a client would write contradict nothing", arguments: 0...3)
  func honest(seed: UInt64) throws {
    let workload = try RandomWorkloadTests.workload(seed: UInt64(seed))
    let own = LogContradictions(in: ShownLog.make(from: workload, .own, order: nil))
    #expect(own.reads > 20)
    #expect(own.findings == [])
    let shown = LogContradictions(in: ShownLog.make(from: workload, .backwards, order: .asShown))
    #expect(shown.reads == own.reads)
    #expect(shown.findings == [])
    #expect(LogContradictions(in: workload).reads == 0)
  }

  @Test("Every read in another order is counted, with the first and the queries")
  func order() throws {
    let workload = try RandomWorkloadTests.workload(seed: 1)
    let log = ShownLog.make(from: workload, .backwards, order: nil)
    let reads = RecordedRead.all(of: log)
    let own = ShownLog.make(from: workload, .own, order: nil)
    // A list of none or one has any order.
    let wrong = reads.filter { $0.result.rows != own.observedResults[$0.name]?.rows }
    let finding = try #require(LogContradictions(in: log).findings.first { $0.kind == .order })
    #expect(finding.reads == wrong.count)
    #expect(finding.first == wrong.first?.name)
    #expect(Set(finding.queries) == Set(wrong.map(\.query)))
    #expect(finding.queries.count == Set(finding.queries).count)
  }

  @Test("A declared order is held against the rows as well as a method's own")
  func declaredOrder() {
    var (log, a, b) = Self.twoFiles(order: .modifiedDescending)
    let latest = Handle(object: 2, revision: 3)
    log.tiny.deliver(log.tiny.change(2, at: 1, name: 2, modified: 5), at: 1.1)
    log.read([latest, a], at: 2)
    #expect(Self.found(log) == [:])
    log.read([a, latest], at: 3)
    #expect(Self.found(log) == [.order: [1, 1]])
    (log, a, b) = Self.twoFiles(order: .name)
    log.read([b, a], at: 1)
    #expect(Self.found(log) == [.order: [1, 0]])
  }

  @Test("One list in two orders cannot be as it was shown")
  func twoOrders() {
    var (log, a, b) = Self.twoFiles(order: .asShown)
    log.read([a, b], at: 1)
    log.read([b, a], at: 2)
    log.read([a, b], at: 3)
    #expect(Self.found(log) == [.shownOrder: [1, 1]])
  }

  @Test("A row is foreign where its own state says so")
  func foreignRow() {
    var (log, a, b) = Self.twoFiles()
    let moved = Handle(object: 2, revision: 3)
    log.tiny.deliver(
      log.tiny.change(2, at: 1, name: 2, parent: Revision.noObject), at: 1.1)
    log.read([a, moved], at: 2)
    #expect(Self.found(log) == [.foreignRow: [1, 0]])
    // A row that had not moved yet belongs.
    (log, a, b) = Self.twoFiles()
    log.tiny.deliver(
      log.tiny.change(2, at: 1, name: 2, parent: Revision.noObject), at: 1.1)
    log.read([a, b], at: 2)
    #expect(Self.found(log) == [:])
  }

  @Test("A row is missing that an event put into a list, unless the app was only behind")
  func missingRow() {
    func log(_ change: (inout TinyLog, Handle) -> Void) -> [LogContradictions.Kind: [Int]] {
      var (log, a, _) = Self.twoFiles()
      log.read([a], at: 1)
      change(&log, a)
      return Self.found(log)
    }
    // It is hidden in the app: the event brings it, and no read shows it.
    #expect(
      log { log, a in
        _ = log.change(2, at: 2, name: 2)
        log.read([a], at: 3)
        log.read([a], at: 4)
      } == [.missingRow: [1, 1]])
    // The app was only behind.
    #expect(
      log { log, a in
        let late = log.change(2, at: 2, name: 2)
        log.read([a], at: 3)
        log.read([a, late], at: 4)
      } == [:])
    // It had gone again by then.
    #expect(
      log { log, a in
        _ = log.change(2, at: 2, name: 2)
        log.tiny.deliver(log.tiny.delete(2, at: 2.5), at: 2.6)
        log.read([a], at: 3)
      } == [:])
    // It comes after the read.
    #expect(
      log { log, a in
        log.tiny.deliver(log.tiny.change(2, at: 2, name: 2), at: 3.5)
        log.read([a], at: 3)
      } == [:])
  }

  @Test("What stands behind a full window is not missing")
  func window() {
    var (log, a, _) = Self.twoFiles()
    log.tiny.queries[0].limit = 1
    log.read([a], at: 1)
    _ = log.change(2, at: 2, name: 2)
    log.read([a], at: 3)
    #expect(Self.found(log) == [:])
  }

  @Test("Versions that no line tells of, and lists beyond their limit, are counted")
  func unknownAndTooLong() {
    var (log, a, b) = Self.twoFiles()
    log.tiny.queries[0].limit = 1
    log.read([a], at: 1)
    log.read([a, b], at: 2)
    log.read([a], at: 3)
    var workload = log.workload
    workload.observedResults[ObservedRead(client: 0, action: 2)]?.rows[0].version.clock += 100
    #expect(
      Self.found(LogContradictions(in: workload)) == [.tooLong: [1, 1], .unknownState: [1, 2]])
  }

  @Test("What is not kept cannot be patched wrong")
  func uncacheable() {
    var (log, a, b) = Self.twoFiles()
    log.tiny.queries[0] = QuerySpec(kind: .search, subject: 0, prefixLength: 1, limit: 10)
    log.read([b, a], at: 1)
    #expect(Self.found(log) == [:])
  }
}
