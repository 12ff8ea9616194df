package import Metrics

/// What `measure` prints: everything that was measured in real time.
package enum MeasureReport {
  package static func text(_ rows: [ResultRow], style: TextStyle) -> String {
    [
      ("latency on this machine", rows.latencies),
      ("memory and throughput on this machine", rows.measuredFigures),
    ]
    .filter { !$0.1.isEmpty }
    .map { title, rows in
      style.paint(title, .strong) + "\n"
        + DistributionTable.table(rows).terminal(style: style, indent: 2)
    }
    .joined(separator: "\n")
  }
}

extension [ResultRow] {
  /// The rows of times on the wall clock.
  var latencies: [ResultRow] { measured { $0.unit == .nanoseconds } }

  /// The rows of everything else that was measured: memory, throughput, shares.
  var measuredFigures: [ResultRow] { measured { $0.unit != .nanoseconds } }

  private func measured(where fits: (MetricDescriptor) -> Bool) -> [ResultRow] {
    filter { row in
      MetricRegistry.named(row.metric).map { $0.noiseClass != .exact && fits($0) } ?? false
    }
  }
}
