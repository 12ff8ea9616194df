package import Processes
package import ResultModel

/// All rounds of one design with one workload.
package struct AlternativeResult: Sendable {
  package var design: String
  /// Whether it stores nothing, and measures only the calls of observers.
  package var isControl: Bool
  package var workload: String
  package var rounds: [AlternativeSamples] = []

  package init(design: String, isControl: Bool, workload: String) {
    self.design = design
    self.isControl = isControl
    self.workload = workload
  }

  /// A part of an event's latency, by the name of its metric and the arrival of events.
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

  /// Returns one distribution for each stage, over the samples of all rounds; of a control the total only.
  package func rows(scenario: String, seed: UInt64) -> [ResultRow] {
    Stage.all.flatMap { stage -> [ResultRow] in
      guard !isControl || stage.metric == .eventCost else { return [] }
      return RunRows(scenario: scenario, policy: design, seed: seed).distribution(
        rounds.flatMap { stage.samples($0) }, isControl ? .controlEventCost : stage.metric,
        class: `class`(of: stage), isControl: isControl)
    }
  }

  /// Returns a statistic of a stage in each round; `nil` if a round has too few samples.
  package func values(of stage: Stage, _ statistic: Statistic) -> [Double?] {
    rounds.map { SampleSummary(stage.samples($0)).value(of: statistic)?.asDouble }
  }
}

/// The measurements of one run of a design, in nanoseconds.
package struct AlternativeSamples: Hashable, Sendable {
  /// The latencies of one event.
  package struct Event: Hashable, Sendable {
    /// From the decoded event to the commit.
    package var apply: Int64
    /// From the commit to the call of the last of ten observers.
    package var notify: Int64
    /// From the event's due time to the call of the last observer; `nil` without a due time.
    package var response: Int64?

    package var total: Int64 { apply + notify }
  }

  /// Events back to back.
  package var hot: [Event] = []
  /// Events in an open loop.
  package var paced: [Event] = []
}

/// The text format in which a process passes its samples to its parent.
extension AlternativeSamples {
  private static let header = "tidemark-design-samples 2"

  package var text: String {
    ChildText.write(
      Self.header,
      hot.map { ["hot", "\($0.apply)", "\($0.notify)"] }
        + paced.map { ["paced", "\($0.apply)", "\($0.notify)", "\($0.response ?? 0)"] })
  }

  /// - Throws: ``ChildTextError`` for anything except a complete ``text``.
  package init(text: String) throws(ChildTextError) {
    let entries = try ChildText.read(text, Self.header) { fields -> (isHot: Bool, Event)? in
      let numbers = fields.dropFirst().compactMap { Int64($0) }.filter { $0 >= 0 }
      switch (fields[0], numbers.count, fields.count) {
      case ("hot", 2, 3): return (true, Event(apply: numbers[0], notify: numbers[1]))
      case ("paced", 3, 4):
        return (false, Event(apply: numbers[0], notify: numbers[1], response: numbers[2]))
      default: return nil
      }
    }
    hot = entries.filter(\.isHot).map(\.1)
    paced = entries.filter { !$0.isHot }.map(\.1)
  }
}
