import Synchronization
import Testing

@testable import RealTime

@Suite("Counting memory")
struct MemoryMeasurementTests {
  /// Answers with bytes that grow by one step per population.
  private final class StepCounter: AllocationCounter {
    private let questions = Mutex(0)

    func read() -> AllocationReading {
      let asked = questions.withLock { count in
        count += 1
        return count
      }
      // Each population is asked about before, while it lives, and after: the n-th costs 1000 · n, of
      // which n stay.
      let population = (asked + 2) / 3
      let allocated = [0, 1_000, 1][(asked - 1) % 3] * population
      return AllocationReading(allocated: allocated, active: 7_000 + asked, allocations: asked)
    }
  }

  private struct BrokenCounter: AllocationCounter {
    struct Failure: Error {}
    func read() throws -> AllocationReading { throw Failure() }
  }

  @Test("B56 Each population is counted while it lives, after a warm-up of each kind")
  func order() throws {
    let report = try MemoryMeasurement(entities: 20, queries: 4).run(counter: StepCounter())
    #expect(
      report
        == MemoryReport(
          entities: 20, queries: 4, payloadBytes: 3_000, payloadBytesAtTwice: 4_000,
          cacheBytes: 5_000, cacheBytesAtTwice: 6_000, activeBytes: 7_014,
          residentWeight: 18_880, predictedBytes: report.predictedBytes, openedBytes: 0,
          closedBytes: 5))
    // Twenty places of a line each, whatever else.
    #expect(report.predictedBytes > 20 * 64)
  }

  @Test("A counter that fails ends the measurement")
  func failure() {
    #expect(throws: BrokenCounter.Failure.self) {
      try MemoryMeasurement(entities: 4, queries: 2).run(counter: BrokenCounter())
    }
  }
}
