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
    let rows = RunRows(scenario: scenario, policy: policy, seed: seed, samples: entities)
    return [
      rows.row(.bytesPerEntity, .real(bytesPerEntity)),
      rows.row(.payloadBytesPerEntity, .real(payloadBytesPerEntity)),
      rows.row(.overheadBytesPerEntity, .real(bytesPerEntity - payloadBytesPerEntity)),
      rows.row(.cacheTotalBytes, .integer(Int64(cacheBytes))),
      rows.row(.activeBytes, .integer(Int64(activeBytes))),
      rows.row(.weightErrorShare, .real(weightError)),
      rows.row(.predictedBytes, .integer(Int64(predictedBytes)), .peak),
      rows.row(.predictionErrorShare, .real(predictionError)),
      rows.row(.bytesAfterClose, .integer(Int64(closedBytes - openedBytes))),
    ]
  }
}

/// What the model of memory says of a cache, and what the cache takes, in bytes.
package struct MemoryPrediction: Sendable {
  private let predicted: Int
  private let measured: Int
  private let entries: Int

  /// - Parameters:
  ///   - predicted: by the model.
  ///   - measured: by the allocator.
  ///   - entries: in the cache; one that keeps nothing has nothing to predict.
  package init(predicted: Int, measured: Int, entries: Int) {
    self.predicted = predicted
    self.measured = measured
    self.entries = entries
  }

  /// Both figures, and how far they are apart.
  package func rows(
    scenario: String, policy: String, seed: UInt64, class name: ResultClass = .total
  ) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, policy: policy, seed: seed, samples: entries)
    let isEmpty = entries == 0
    return [
      rows.row(.predictedBytes, isEmpty ? nil : .integer(Int64(predicted)), class: name, .peak),
      rows.row(.cacheTotalBytes, .integer(Int64(measured)), class: name),
      rows.row(
        .predictionErrorShare,
        isEmpty ? nil : .real(abs(Double(predicted) / Double(measured) - 1)), class: name),
    ]
  }
}
