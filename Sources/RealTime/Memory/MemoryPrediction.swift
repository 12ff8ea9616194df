package import ResultModel

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
