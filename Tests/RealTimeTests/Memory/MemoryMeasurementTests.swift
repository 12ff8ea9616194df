import ResultModel
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

@Suite("Memory reports")
struct MemoryReportTests {
  static let report = MemoryReport(
    entities: 10_000, queries: 100, payloadBytes: 7_000_000, payloadBytesAtTwice: 14_000_000,
    cacheBytes: 11_000_000, cacheBytesAtTwice: 21_000_000, activeBytes: 12_000_000,
    residentWeight: 10_450_000, predictedBytes: 10_780_000,
    openedBytes: 50_000,
    closedBytes: 50_064)

  @Test("Bytes per entity are the slope, split into payload and overhead")
  func slope() throws {
    let rows = Self.report.rows(scenario: "memory", policy: "spacedrive", seed: 1)
    func value(_ metric: Metric) -> Double? {
      rows.first { $0.metric == metric }?.value?.asDouble
    }
    #expect(value(.bytesPerEntity) == 1_000)
    #expect(value(.payloadBytesPerEntity) == 700)
    #expect(value(.overheadBytesPerEntity) == 300)
    #expect(value(.cacheTotalBytes) == 11_000_000)
    #expect(value(.activeBytes) == 12_000_000)
    #expect(value(.weightErrorShare).map { abs($0 - 0.05) < 1e-9 } == true)
    #expect(value(.predictedBytes) == 10_780_000)
    #expect(value(.predictionErrorShare).map { abs($0 - 0.02) < 1e-9 } == true)
    #expect(value(.bytesAfterClose) == 64)
  }
}

@Suite("Memory of orders and observers")
struct OrderMemoryTests {
  /// An allocator in which every reading is a thousand bytes more than the last.
  private final class GrowingCounter: AllocationCounter, Sendable {
    private let readings = Mutex(0)

    func read() -> AllocationReading {
      let allocated = readings.withLock { count in
        count += 1
        return count * 1_000
      }
      return AllocationReading(
        allocated: allocated, active: allocated * 2, allocations: 0)
    }
  }

  @Test("Every order that a cache can have has a row")
  func orders() throws {
    let rows = try OrderMemory(entities: 32).run(counter: GrowingCounter())
    #expect(rows.count > 10)
    #expect(rows.allSatisfy { $0.value != nil && $0.sampleCount == 32 })
    #expect(Set(rows.map(\.policy)).count == rows.count)
  }

  @Test("An observer's bytes are a slope over those that were added")
  func observers() async throws {
    let rows = try await ObserverMemory(queries: 2, observersPerQuery: 3)
      .run(counter: GrowingCounter())
    #expect(rows.first?.metric == .bytesPerObserver)
    #expect(rows.first?.sampleCount == 6)
    #expect(rows.first?.value == .real(0))
    // In addition the prediction, the compared figure, and the difference of the two.
    #expect(
      rows.dropFirst().map(\.metric)
        == [.predictedBytes, .cacheTotalBytes, .predictionErrorShare])
  }
}
