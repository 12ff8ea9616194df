package import ResultModel

/// What the memory process found, in whole bytes.
package struct MemoryReport: Hashable, Sendable {
  package var entities: Int
  package var queries: Int
  package var payloadBytes: Int
  package var payloadBytesAtTwice: Int
  package var cacheBytes: Int
  package var cacheBytesAtTwice: Int
  package var activeBytes: Int
  /// What the store's own counter says that the first population weighs.
  package var residentWeight: Int
  /// What `MemoryModel` says that the first population takes, its values as they were counted.
  package var predictedBytes: Int
  /// Allocated before the cache was made.
  package var openedBytes: Int
  /// Allocated after it was let go.
  package var closedBytes: Int

  package var bytesPerEntity: Double { slope(from: cacheBytes, to: cacheBytesAtTwice) }
  package var payloadBytesPerEntity: Double { slope(from: payloadBytes, to: payloadBytesAtTwice) }

  /// How far the store's count of its weight is from what the allocator counts, as a share of the
  /// latter.
  package var weightError: Double {
    abs(Double(residentWeight) / Double(cacheBytes) - 1)
  }

  /// How far the model is from what the allocator counts, as a share of the latter.
  package var predictionError: Double {
    abs(Double(predictedBytes) / Double(cacheBytes) - 1)
  }

  private func slope(from once: Int, to twice: Int) -> Double {
    (Double(twice) - Double(once)) / Double(entities)
  }

  /// The rows of the report; the class says how large the population is.
  package func rows(scenario: String, policy: String, seed: UInt64) -> [ResultRow] {
    func row(
      _ metric: Metric, _ value: MetricValue, _ statistic: Statistic = .value
    ) -> ResultRow {
      ResultRow(
        scenario: scenario, policy: policy, seed: seed, metric: metric,
        statistic: statistic, value: value, sampleCount: entities)
    }
    return [
      row(.bytesPerEntity, .real(bytesPerEntity)),
      row(.payloadBytesPerEntity, .real(payloadBytesPerEntity)),
      row(.overheadBytesPerEntity, .real(bytesPerEntity - payloadBytesPerEntity)),
      row(.cacheTotalBytes, .integer(Int64(cacheBytes))),
      row(.activeBytes, .integer(Int64(activeBytes))),
      row(.weightErrorShare, .real(weightError)),
      row(.predictedBytes, .integer(Int64(predictedBytes)), .peak),
      row(.predictionErrorShare, .real(predictionError)),
      row(.bytesAfterClose, .integer(Int64(closedBytes - openedBytes))),
    ]
  }
}
