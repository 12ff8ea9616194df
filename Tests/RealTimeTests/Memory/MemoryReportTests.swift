import ResultModel
import Testing

@testable import RealTime

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
