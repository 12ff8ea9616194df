package import ResultModel

/// The results of the memory process, in whole bytes.
package struct MemoryReport: Hashable, Sendable {
  package var entities: Int
  package var queries: Int
  package var payloadBytes: Int
  package var payloadBytesAtTwice: Int
  package var cacheBytes: Int
  package var cacheBytesAtTwice: Int
  package var activeBytes: Int
  /// The weight of the first population by the store's own count.
  package var residentWeight: Int
  /// The memory of the first population that `MemoryModel` predicts, including the measured size of its
  /// values.
  package var predictedBytes: Int
  /// The allocated memory before the cache was created.
  package var openedBytes: Int
  /// The allocated memory after its release.
  package var closedBytes: Int

  package var bytesPerEntity: Double { slope(from: cacheBytes, to: cacheBytesAtTwice) }
  package var payloadBytesPerEntity: Double { slope(from: payloadBytes, to: payloadBytesAtTwice) }

  /// The error of the store's own weight, relative to the allocator's figure.
  package var weightError: Double {
    abs(Double(residentWeight) / Double(cacheBytes) - 1)
  }

  /// The error of the model, relative to the allocator's figure.
  package var predictionError: Double {
    abs(Double(predictedBytes) / Double(cacheBytes) - 1)
  }

  private func slope(from once: Int, to twice: Int) -> Double {
    (Double(twice) - Double(once)) / Double(entities)
  }

  /// Returns the rows of the report; the class is the size of the population.
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

/// The memory of a cache as the model predicts it and as measured, in bytes.
package struct MemoryPrediction: Sendable {
  private let predicted: Int
  private let measured: Int
  private let entries: Int

  /// - Parameters:
  ///   - predicted: the model's figure.
  ///   - measured: the allocator's figure.
  ///   - entries: the number of entries; a cache without any has no prediction.
  package init(predicted: Int, measured: Int, entries: Int) {
    self.predicted = predicted
    self.measured = measured
    self.entries = entries
  }

  /// Returns both figures, and their difference.
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
