import ResultModel
import Synchronization
import Testing

@testable import Measurement

@Suite("Memory by part")
struct MemoryPartsTests {
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

  @Test("One row for each part, the whole, and how far they are apart")
  func rows() throws {
    let rows = try MemoryParts(entities: 400, queries: 2, areDecoded: false)
      .run(counter: GrowingCounter())
    let parts = rows.filter { $0.metric == .partBytesPerEntity }
    #expect(
      parts.map(\.class.subject) == MemoryPart.allCases.map(\.rawValue) + ["total"])
    #expect(parts.allSatisfy { $0.class.size == 400 })
    for row in rows {
      #expect(row.metric.statistics.contains(row.statistic), "\(row.metric)")
      #expect(row.value != nil, "\(row.metric) \(row.class) is measured")
    }
    #expect(Set(rows.map(\.metric)).isSuperset(of: [.partsErrorShare, .bytesPerQuery]))
  }

  @Test("What the tables count themselves is counted also where nothing else is")
  func tables() throws {
    let rows = try MemoryParts(entities: 512, queries: 2, areDecoded: false)
      .run(counter: GrowingCounter())
    func value(_ part: String) -> Double? {
      rows.first { $0.class == ResultClass(part, size: 512) && $0.metric == .partBytesPerEntity }?
        .value?.asDouble
    }
    // A bucket and a link; one pointer for each segment is beyond these populations.
    #expect(value("key") == 8)
    // One line of the processor's cache.
    #expect(value("slot") == 64)
    #expect(value("reverse-index") == 16)
  }

  @Test("Every order that a cache can have has a row")
  func orders() throws {
    let rows = try OrderMemory(entities: 32).run(counter: GrowingCounter())
    #expect(rows.count > 10)
    #expect(rows.allSatisfy { $0.value != nil && $0.class == "policy/32" })
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
