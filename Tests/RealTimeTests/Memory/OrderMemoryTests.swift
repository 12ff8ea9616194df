import ResultModel
import Synchronization
import Testing

@testable import RealTime

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
    // Beside them what was predicted, what it is compared with, and how far apart the two are.
    #expect(
      rows.dropFirst().map(\.metric)
        == [.predictedBytes, .cacheTotalBytes, .predictionErrorShare])
  }
}
