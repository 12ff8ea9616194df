import CacheModel
import CacheSimulation
import CacheTestSupport
import Testing
import TidemarkTestSupport

@testable import CacheChecking

@Suite("Cases of conformance")
struct ConformanceTests {
  private static let conformance = Conformance()
  private static let simulation = Simulation(of: ConformanceWorld.workload)

  static let addresses = Conformance.cases(nil).map(\.address)

  private static func test(_ address: String) throws -> ConformanceCase {
    try #require(Conformance.cases(address).first)
  }

  private static func words(_ result: ConformanceResult) -> String {
    result.findings.map {
      "\($0.verdict.rawValue), turn \($0.turn ?? 0): \($0.asked); right: "
        + "\($0.right.joined(separator: " or ")); came: \($0.came); \($0.meaning)"
    }.joined(separator: "\n")
  }

  @Test("A cache that follows events in the simplest way fails no case", arguments: addresses)
  func simple(address: String) throws {
    let result = Self.conformance.run(try Self.test(address)) { PatchingCache(nil, $0.stored) }
    #expect(result.verdict != .fail, "\(address): \(Self.words(result))")
  }

  @Test("A planted defect shows where it should", arguments: PatchingCache.Defect.allCases)
  func defects(defect: PatchingCache.Defect) throws {
    let test = try Self.test(defect.place)
    let clean = Self.conformance.run(test) { PatchingCache(nil, $0.stored) }.verdict
    let result = Self.conformance.run(test) { PatchingCache(defect, $0.stored) }
    // An answer that is older than an event is allowed, where the event was not shown before.
    let expected = defect == .answersOverEvents ? ConformanceResult.Verdict.nonStrict : .fail
    #expect(clean == .pass, "\(defect.place)")
    #expect(result.verdict == expected, "\(defect): \(Self.words(result))")
  }

  @Test(
    "Notifying views of what they show is allowed, superfluous, and hides nothing",
    arguments: ["observers/2", "observers/3", "offline/6"],
    [false, true])
  func repeated(address: String, tellsFirst: Bool) throws {
    let test = try Self.test(address)
    func findings(_ defect: PatchingCache.Defect? = nil) -> [ConformanceResult.Finding] {
      Self.conformance.run(test) {
        RepeatingCache(PatchingCache(defect, $0.stored), tellsFirst: tellsFirst)
      }.findings
    }
    let poorer = Self.conformance.run(test) { PatchingCache(nil, $0.stored) }.findings
    let found = findings()
    #expect(found.count { $0.meaning.contains("superfluous") } == 1, "\(found)")
    #expect(found.allSatisfy { $0.verdict == .nonStrict }, "\(found)")
    // Other weaknesses are found the same as without it.
    #expect(
      found.filter { !$0.meaning.contains("superfluous") }.map(\.came) == poorer.map(\.came))
    if address == "observers/2" {
      #expect(findings(.tellsOldRows).contains { $0.verdict == .fail })
    }
  }

  @Test("A view notified of wrong rows does not count as notified of the right ones")
  func toldWrongly() throws {
    let result = Self.conformance.run(try Self.test("observers/2")) { _ in
      PatchingCache(.tellsOldRows)
    }
    let wrong = try #require(result.findings.first { $0.verdict == .fail })
    #expect(wrong.meaning.hasPrefix("older than it should be: b1=[5,5]"), "\(wrong)")
    #expect(wrong.word == ConformanceRule.notifiesViews.rawValue)
  }

  @Test(
    "Every deviation has a reason, and the word of a rule or an error",
    arguments: PatchingCache.Defect.allCases)
  func reasons(defect: PatchingCache.Defect) {
    let words = Set(
      ConformanceRule.allCases.map(\.rawValue) + CacheFault.Kind.allCases.map(\.rawValue))
    var count = 0
    for test in Conformance.cases(nil) {
      let result = Self.conformance.run(test) { PatchingCache(defect, $0.stored) }
      for finding in result.findings where finding.verdict != .info {
        count += 1
        let last = finding.lines.last ?? ""
        #expect(!finding.meaning.isEmpty && words.contains(finding.word ?? ""), "\(finding)")
        #expect(last.hasPrefix("why: ") && last.hasSuffix(" [\(finding.word ?? "")]"), "\(last)")
      }
    }
    #expect(count > 0)
  }

  @Test("Wrong rows are classified: missing, extra, older, in another order")
  func differences() throws {
    let run = ConformanceRun(
      try Self.test("reads/1"), PatchingCache(nil),
      CacheLaunch(
        ConformanceWorld.workload, place: 0, capacity: Capacity(entities: nil), at: .zero),
      Self.simulation)
    func states(_ names: String) -> [Int] {
      names.split(separator: " ").map { Int(ConformanceWorld.state(String($0))) }
    }
    func words(_ came: String, _ right: String) -> String {
      run.difference(of: states(came), from: states(right))
    }
    #expect(words("a1 c1", "a1 b1 c1") == "missing: b1=[5,5]")
    #expect(words("a1 b1 d1", "a1 b1") == "not to be there: d1=[7,7]")
    #expect(words("a1 b1", "a2 b1") == "older than it should be: a1=[4,4]")
    #expect(words("a2 b1", "a1 b1") == "later than it should be: a2=[4,1008]")
    #expect(words("b1 a1", "a1 b1") == "the rows stand in another order")
    #expect(words("a1 d1", "a2 b1").split(separator: ";").count == 3)
  }

  @Test("A known next wake is given as a time since the answer, too")
  func wake() throws {
    let result = Self.conformance.run(try Self.test("time/3")) { _ in WakingCache() }
    let came = try #require(result.findings.first?.came)
    #expect(came.contains("it wants to be woken 300 s after it"), "\(came)")
  }

  @Test(
    "A cache that asks the server by a timer is as right as one that asks at once",
    arguments: Conformance.cases("reads").map(\.address))
  func timer(address: String) throws {
    let result = Self.conformance.run(try Self.test(address)) { _ in BatchingCache() }
    #expect(result.verdict != .fail, "\(Self.words(result))")
  }

  @Test("A broken rule ends only its own case, and is named")
  func faults() throws {
    let result = Self.conformance.run(try Self.test("reads/1")) { _ in
      PatchingCache(.forgesVersions)
    }
    #expect(result.fault?.kind == .forgedVersion && result.verdict == .fail)
    #expect(result.findings.last?.meaning == CacheFault.Kind.forgedVersion.question)
    let start = Self.conformance.run(try Self.test("start/1")) { _ throws(CacheFault) in
      throw CacheFault(.silentAtStart)
    }
    #expect(start.findings.last?.meaning.contains("flushed") == true && start.turns.isEmpty)
  }

  @Test("A cache that never comes to rest is stopped")
  func restless() throws {
    for defect in [PatchingCache.Defect.asksForEver, .wakesForEver] {
      let test = try Self.test(defect.place)
      let result = Self.conformance.run(test) { _ in PatchingCache(defect) }
      #expect(result.verdict == .fail, "\(defect)")
    }
  }

  @Test("Cases are named by address, by group, or all")
  func selection() {
    #expect(Conformance.cases("gaps/3").map(\.address) == ["gaps/3"])
    #expect(Conformance.cases("gaps").allSatisfy { $0.address.hasPrefix("gaps/") })
    #expect(Conformance.cases("gap").isEmpty && Conformance.cases("gaps/99").isEmpty)
    #expect(Set(Self.addresses).count == Self.addresses.count && Self.addresses.count > 50)
    #expect(Set(Conformance.cases(nil).map(\.title)).count == Self.addresses.count)
  }
}

/// Keeps everything it receives forever, and asks to be woken five minutes later.
private final class WakingCache: CacheUnderTest {
  private let cache = PatchingCache(nil)
  private var wake: Instant?

  func take(_ turn: CacheTurn) -> TurnAnswer {
    switch turn.operation {
    case .response: wake = turn.at.advanced(by: .seconds(300))
    case .wake: wake = nil
    default: break
    }
    var answer = cache.take(turn)
    answer.replies.removeAll { if case .store = $0 { true } else { false } }
    answer.wake = wake
    return answer
  }

  func end() {}
}

/// Asks the server five milliseconds after the first of some reads, for all of them.
private final class BatchingCache: CacheUnderTest {
  private let cache = PatchingCache(nil)
  private var held: [CacheReply] = []
  private var due: Instant?

  func take(_ turn: CacheTurn) -> TurnAnswer {
    func isRequest(_ reply: CacheReply) -> Bool {
      if case .fetch = reply { true } else { false }
    }
    var answer = cache.take(turn)
    held += answer.replies.filter(isRequest)
    answer.replies.removeAll { reply in
      if case .store = reply { true } else { isRequest(reply) }
    }
    if due == nil, !held.isEmpty { due = turn.at.advanced(by: .milliseconds(5)) }
    if let due, due <= turn.at {
      answer.replies += held
      held = []
      self.due = nil
    }
    answer.wake = due
    return answer
  }

  func end() {}
}

@Suite("Cases that fail, made shorter")
struct ConformanceShrinkingTests {
  @Test(
    "A failing case keeps the steps that make it fail",
    arguments: [("reads/1", PatchingCache.Defect.forgesVersions), ("reads/6", .reversesRows)])
  func conformance(address: String, defect: PatchingCache.Defect) throws {
    let conformance = Conformance()
    let test = try #require(Conformance.cases(address).first)
    let result = conformance.run(test) { PatchingCache(defect, $0.stored) }
    #expect(result.verdict == .fail)
    let shorter = conformance.shrunk(result, trials: 200, while: { true }) {
      PatchingCache(defect, $0.stored)
    }
    #expect(shorter.verdict == .fail && shorter.fault?.kind == result.fault?.kind)
    #expect(shorter.turns.count <= result.turns.count && !shorter.turns.isEmpty)
    if address == "reads/1" { #expect(shorter.turns.count <= 3) }
  }

  @Test("A case that broke a rule breaks the same one whichever steps are left out")
  func faults() {
    let conformance = Conformance()
    var count = 0
    for test in Conformance.cases(nil) where !test.isRepeated {
      let result = conformance.run(test) { PatchingCache(.forgesVersions, $0.stored) }
      guard let fault = result.fault else { continue }
      count += 1
      let shorter = conformance.shrunk(result, trials: 60, while: { true }) {
        PatchingCache(.forgesVersions, $0.stored)
      }
      #expect(shorter.fault?.kind == fault.kind, "\(test.address)")
      #expect(shorter.test.steps.count <= 3, "\(test.address)")
    }
    #expect(count > 20)
  }
}

@Suite("Conformance cases, for tests of your own cache", .timeLimit(.minutes(30)))
struct CacheConformanceTests {
  @Test("Each case has its address, and a sound cache fails none")
  func sound() {
    let results = CacheConformance.cases.map { test in test.run { PatchingCache(nil, $0.stored) } }
    #expect(CacheConformance.cases.map(\.address) == ConformanceTests.addresses)
    let failed = results.filter { $0.verdict == .fail }
    #expect(failed.isEmpty, "\(failed)")
    let verdicts = Set(results.map(\.verdict))
    #expect(verdicts.isSuperset(of: [.pass, .nonStrict, .info]))
  }

  @Test(
    "A result shows the turns, the right answer and the cache's, and needs no line of the protocol")
  func words() throws {
    let test = try #require(CacheConformance.cases.first { $0.address == "reads/6" })
    let text = "\(test.run { _ in PatchingCache(.reversesRows) })"
    #expect(text.hasPrefix("reads/6, fail: A list of a thousand rows"), "\(text)")
    #expect(
      text.contains("told: 1 read q 3 (files in \"big\")") && text.contains("expected: "), "\(text)"
    )
    let first = try #require(CacheConformance.cases.first { $0.address == "reads/1" })
    let forged = "\(first.run { _ in PatchingCache(.forgesVersions) })"
    #expect(forged.contains("keep the versions of rows as they were sent"), "\(forged)")
    #expect(!forged.contains("third member"), "\(forged)")
  }
}
