package import ResultModel

/// All rounds of one design under one workload.
package struct AlternativeResult: Sendable {
  package var design: String
  /// Whether it keeps nothing, and shows what calling observers costs.
  package var isControl: Bool
  package var workload: String
  package var rounds: [AlternativeSamples] = []

  package init(design: String, isControl: Bool, workload: String) {
    self.design = design
    self.isControl = isControl
    self.workload = workload
  }

  /// A part of an event's way, by the name of its metric, and how events came.
  package struct Stage: Sendable {
    package var metric: Metric
    package var pace: ResultClass.Pace
    package var samples: @Sendable (AlternativeSamples) -> [Int64]

    package static let all = [
      Stage(metric: .apply, pace: .backToBack) { $0.hot.map(\.apply) },
      Stage(metric: .notify, pace: .backToBack) { $0.hot.map(\.notify) },
      Stage(metric: .eventCost, pace: .backToBack) { $0.hot.map(\.total) },
      Stage(metric: .apply, pace: .openLoop) { $0.paced.map(\.apply) },
      Stage(metric: .notify, pace: .openLoop) { $0.paced.map(\.notify) },
      Stage(metric: .eventCost, pace: .openLoop) { $0.paced.map(\.total) },
      Stage(metric: .responseTime, pace: .openLoop) { $0.paced.compactMap(\.response) },
    ]
  }

  package func `class`(of stage: Stage) -> ResultClass {
    ResultClass(workload, pace: stage.pace)
  }

  /// One distribution for each stage, over the samples of all rounds; of a control the whole way only.
  package func rows(scenario: String, seed: UInt64) -> [ResultRow] {
    Stage.all.flatMap { stage -> [ResultRow] in
      guard !isControl || stage.metric == .eventCost else { return [] }
      return RunRows(scenario: scenario, policy: design, seed: seed).distribution(
        rounds.flatMap { stage.samples($0) }, isControl ? .controlEventCost : stage.metric,
        class: `class`(of: stage), isControl: isControl)
    }
  }

  /// A statistic of a stage in each round; `nil` where a round has too few samples to state it.
  package func values(of stage: Stage, _ statistic: Statistic) -> [Double?] {
    rounds.map { Distribution(stage.samples($0)).value(of: statistic)?.asDouble }
  }
}
