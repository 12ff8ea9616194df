import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("A cache that looks ahead", .timeLimit(.minutes(30)))
struct ForesightTests {
  @Test("Uses are noted while a session reads, and the next one is strictly later")
  func log() {
    let log = UseLog()
    for (instant, isReading) in [(10, true), (20, false), (30, true), (30, true), (45, true)] {
      log.now = Int64(instant)
      log.isReading = isReading
      log.note(7)
    }
    let answers = [0, 10, 29, 30, 44, 45].map { instant in
      log.now = Int64(instant)
      return log.nextUse(of: 7)
    }
    #expect(answers == [10, 30, 30, 45, 45, .max])
    #expect(log.nextUse(of: 8) == .max)
  }

  @Test("It keeps what is read next, where least recently used keeps what was read last")
  func tiny() throws {
    // Three files, a cache of two, and turns in which the least recently used is always next.
    var tiny = TinyWorkload()
    let files = (1...3).map { tiny.file(name: UInt64($0)) }
    for turn in 0..<12 { tiny.act(.open(object: files[turn % 3]), at: Double(turn + 1)) }
    func hits(_ order: String) throws -> Int {
      var composition = composition(entities: 2)
      composition.evictionOrder = order
      return outcomes(try values(of: tiny.workload, composition, class: "entity"))[.hitFresh] ?? 0
    }
    #expect(try hits("lru") == 0)
    #expect(try hits("clairvoyant") >= 4)
  }
}
