import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("Gaps: what was lost, and what was only late")
struct GapTests {
  /// Three changes; each is delivered at its second, or never.
  private func gaps(deliveredAt seconds: [Double?]) throws -> RunValues {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    // The answer is the stream's first place: from here on every event counts.
    tiny.act(.read(query: 0), at: 1)
    let changes = seconds.indices.map { index in
      (tiny.change(file, at: 2 + Double(index), name: UInt64(index) + 2), seconds[index])
    }
    let delivered = changes.compactMap { change, second in second.map { (change, $0) } }
    for (change, second) in delivered.sorted(by: { $0.1 < $1.1 }) {
      tiny.deliver(change, at: second)
    }
    return try values(of: tiny.workload, composition())
  }

  @Test("A gap in front of which an event was lost is real")
  func lost() throws {
    let values = try gaps(deliveredAt: [nil, 6, 7])
    #expect(values[.gapsDetected] == 1)
    #expect(values[.falseGaps] == 0)
  }

  @Test("So is one in which one event is late and the next was lost")
  func lateAndLost() throws {
    let values = try gaps(deliveredAt: [20, nil, 6])
    #expect(values[.gapsDetected] == 1)
    #expect(values[.falseGaps] == 0)
  }

  @Test("Where all are only late, the gap is false")
  func late() throws {
    let values = try gaps(deliveredAt: [20, 21, 6])
    #expect(values[.gapsDetected] == 1)
    #expect(values[.falseGaps] == 1)
  }
}
