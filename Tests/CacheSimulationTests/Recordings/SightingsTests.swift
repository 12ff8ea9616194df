import CacheModel
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Freshness of hits in a recording")
struct SightingsTests {
  /// Reads of a directory and of another list, with the answers that the server gave to some of them.
  ///
  /// The answer to the third read takes this many seconds.
  private static func recording(wait: Double = 0) -> Workload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    let other = tiny.directoryOfFiles(1)
    tiny.pushesEvents = false
    tiny.queries.append(QuerySpec(kind: .directory, subject: UInt64(other), limit: 10))
    let change = tiny.change(file, at: 5, name: 2)
    for second in [1, 3, 5, 7] { tiny.act(.read(query: 0), at: Double(second)) }
    for second in [8, 9] { tiny.act(.read(query: 1), at: Double(second)) }
    var workload = tiny.workload
    workload.truth = .observed
    workload.answeredPolicy = "app"
    let changed = workload.items[workload.mutations[Int(change)].items.lowerBound].revision
    func answer(_ query: UInt32, _ second: Double, _ result: [UInt32], after wait: Double = 0) {
      var answer = RecordedAnswer(
        asked: TinyWorkload.instant(second), at: TinyWorkload.instant(second + wait),
        target: .query(query), bytes: 1_000)
      answer.result = result
      workload.clients[0].answers.append(answer)
    }
    answer(0, 1, [1])
    answer(0, 3, [1])
    answer(0, 5, [changed], after: wait)
    answer(1, 8, [3])
    return workload
  }

  @Test("A hit is compared with the server's answer to the same read; without one it is unknown")
  func judged() throws {
    let all = try values(of: Self.recording(), composition())
    #expect(all[.hitFresh] == 1)
    // A state replaced by the answer of second 5 stays outdated.
    #expect(all[.hitStale] == 2)
    #expect(all[.hitUnknown] == 1)
    #expect(all[.freshHitRatio] == nil && all[.staleReadShare] == nil)
    #expect(all[.freshHitRatio, .lower] == 1.0 / 6)
    #expect(all[.freshHitRatio, .upper] == 2.0 / 6)
    #expect(all[.staleReadShare, .lower] == 2.0 / 6)
    #expect(all[.staleReadShare, .upper] == 3.0 / 6)
  }

  @Test("A state that returns has no known interval of truth")
  func cameBack() throws {
    var workload = Self.recording()
    var answer = RecordedAnswer(
      asked: TinyWorkload.instant(7), at: TinyWorkload.instant(7), target: .query(0), bytes: 1_000)
    answer.result = [1]
    workload.clients[0].answers.append(answer)
    let all = try values(of: workload, composition())
    #expect(all[.hitFresh] == 0 && all[.hitStale] == 0)
    #expect(all[.hitUnknown] == 4)
  }

  @Test("Content that comes back is fresh while that is known, and not stale after it")
  func contentCameBack() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.pushesEvents = false
    let other = tiny.change(file, at: 3, name: 2)
    let back = tiny.change(file, at: 6, name: 1)
    for second in [1, 3.5, 5, 7, 8, 20] { tiny.act(.read(query: 0), at: second) }
    var workload = tiny.workload
    workload.truth = .observed
    workload.answeredPolicy = "app"
    func state(_ mutation: UInt32) -> UInt32 {
      workload.items[workload.mutations[Int(mutation)].items.lowerBound].revision
    }
    let seen: [(second: Double, row: UInt32)] = [
      (1, 1), (3, state(other)), (4.5, state(other)), (6.5, state(back)), (8, state(back)),
    ]
    for (second, row) in seen {
      var answer = RecordedAnswer(
        asked: TinyWorkload.instant(second), at: TinyWorkload.instant(second),
        target: .query(0), bytes: 1_000)
      answer.result = [row]
      workload.clients[0].answers.append(answer)
    }
    let all = try values(of: workload, composition())
    // It asks once: at 3.5 another state is known, and at 5 the first may have come back.
    #expect(all[.hitStale] == 1)
    #expect(all[.hitFresh] == 2)
    #expect(all[.hitUnknown] == 2)
  }

  @Test("A change that may have happened during a request has no known time")
  func underWay() throws {
    var workload = Self.recording(wait: 1)
    // The mutation is the state in the answer, at the time of its arrival.
    workload.mutations[0].at = TinyWorkload.instant(6)
    workload.mutations[0].since = TinyWorkload.instant(3)
    let all = try values(of: workload, composition())
    #expect(all[.hitFresh] == 1)
    #expect(all[.hitStale] == 1)
    #expect(all[.hitUnknown] == 2)
  }

  @Test(
    "A list that was replaced is stale from the first answer on that shows it, not from its request on"
  )
  func replacedList() throws {
    var tiny = TinyWorkload()
    let files = (1...2).map { tiny.file(name: $0) }
    tiny.pushesEvents = false
    _ = tiny.delete(files[0], at: 4)
    for second in [1, 5.5, 6.1, 6.8, 9] { tiny.act(.read(query: 0), at: second) }
    var workload = tiny.workload
    workload.truth = .observed
    workload.answeredPolicy = "app"
    // Of the file itself it is known only later.
    workload.mutations[0].at = TinyWorkload.instant(8)
    workload.mutations[0].since = TinyWorkload.instant(1)
    for (asked, at, rows) in [
      (1.0, 1.1, files[...]), (5, 8, files[1...]), (6, 6.5, files[1...]),
    ] {
      var answer = RecordedAnswer(
        asked: TinyWorkload.instant(asked), at: TinyWorkload.instant(at), target: .query(0),
        bytes: 1_000)
      answer.result = Array(rows)
      workload.clients[0].answers.append(answer)
    }
    let all = try values(of: workload, composition())
    #expect(all[.hitUnknown] == 2)
    #expect(all[.hitStale] == 2)
  }

  @Test("Data that the app did not request at the same time may have had another state")
  func unrecordedRequest() throws {
    var workload = Self.recording()
    workload.clients[0].actions.insert(
      contentsOf: [
        SessionAction(
          at: TinyWorkload.instant(3.5), kind: .maintenance(.invalidate(query: 0))),
        SessionAction(at: TinyWorkload.instant(4), kind: .read(query: 0)),
      ], at: 2)
    let all = try values(of: workload, composition())
    #expect(all[.hitFresh] == 1)
    #expect(all[.hitStale] == 0)
    #expect(all[.hitUnknown] == 3)
  }

  @Test(
    "A window that the cache has shortened by itself proves nothing: which row moved in was not recorded"
  )
  func shortenedWindow() throws {
    var tiny = TinyWorkload()
    let files = (1...3).map { tiny.file(name: $0) }
    tiny.queries[0].limit = 2
    tiny.deliver(tiny.delete(files[0], at: 5), at: 5)
    for second in [1, 6, 7, 8] { tiny.act(.read(query: 0), at: Double(second)) }
    var workload = tiny.workload
    workload.truth = .observed
    workload.answeredPolicy = "app"
    for (second, rows) in [(1.0, files[0...1]), (6, files[1...2]), (8, files[1...2])] {
      var answer = RecordedAnswer(
        asked: TinyWorkload.instant(second), at: TinyWorkload.instant(second + 0.1),
        target: .query(0), bytes: 1_000)
      answer.result = Array(rows)
      workload.clients[0].answers.append(answer)
    }
    let all = try values(of: workload, composition())
    #expect(all[.hitStale] == 0)
    #expect(all[.hitUnknown] == 3)
  }

  @Test("Results that the app's own cache may have shown are not answers of the server")
  func ownCache() throws {
    var workload = Self.recording()
    workload.answeredPolicy = nil
    let results = workload.clients[0].answers.map { $0.result ?? [] }
    workload.clients[0].answers = []
    for (number, result) in results.enumerated() {
      let read = ObservedRead(client: 0, action: number == 3 ? 4 : number)
      workload.observedResults[read] = result
      workload.recordedOutcomes[read] = number == 0 ? .miss : .hit
    }
    let all = try values(of: workload, composition())
    #expect(all[.hitFresh] == 0)
    #expect(all[.hitUnknown] == 2)
  }

  @Test("A fully known figure has one value; a scenario has no bounds")
  func withoutDoubt() throws {
    var workload = Self.recording()
    workload.clients[0].actions.removeLast()
    let all = try values(of: workload, composition())
    #expect(all[.hitUnknown] == 0)
    #expect(all[.freshHitRatio] == 1.0 / 5)
    #expect(all[.freshHitRatio, .upper] == 1.0 / 5)
    workload.truth = .known
    let known = try values(of: workload, composition())
    #expect(known.rows.allSatisfy { $0.statistic != .lower && $0.metric != .hitUnknown })
  }
}
