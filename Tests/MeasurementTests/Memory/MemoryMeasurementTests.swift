import Synchronization
import Testing

@testable import Measurement

@Suite("Counting memory")
struct MemoryMeasurementTests {
  /// Answers with bytes that grow by one step per question.
  private final class StepCounter: AllocationCounter {
    private let questions = Mutex(0)

    func read() -> AllocationReading {
      let asked = questions.withLock { count in
        count += 1
        return count
      }
      // Between the two questions of pair n, the process grows by 1000 · n.
      let pair = (asked + 1) / 2
      let allocated = asked % 2 == 0 ? 1_000 * pair : 0
      return AllocationReading(allocated: allocated, active: 7_000 + asked, resident: 9_000 + asked)
    }
  }

  private struct BrokenCounter: AllocationCounter {
    struct Failure: Error {}
    func read() throws -> AllocationReading { throw Failure() }
  }

  @Test("Each population is counted between two questions, after a warm-up of each kind")
  func order() throws {
    let report = try MemoryMeasurement(entities: 20, queries: 4).run(counter: StepCounter())
    #expect(
      report
        == MemoryReport(
          entities: 20, queries: 4, payloadBytes: 3_000, payloadBytesAtTwice: 4_000,
          cacheBytes: 5_000, cacheBytesAtTwice: 6_000, activeBytes: 7_010, residentBytes: 9_010))
  }

  @Test("A counter that fails ends the measurement")
  func failure() {
    #expect(throws: BrokenCounter.Failure.self) {
      try MemoryMeasurement(entities: 4, queries: 2).run(counter: BrokenCounter())
    }
  }
}
