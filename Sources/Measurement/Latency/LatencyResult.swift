import Metrics

/// What the lanes of one phase saw.
struct LatencyResult: Sendable {
  var eventClass: EventClass
  var callbacks: [EventStamps]
  var streams: [EventStamps]
  var frames: FrameLane.Result
  var control: [EventStamps]
  var sleeperLateness: [Int64]

  /// The rows of the phase.
  ///
  /// The class is the event class for the callback door and what stands
  /// beside it, `class/stream` for the stream door; `server_to_ui` has the class for the frame task
  /// and `class/frame-boundary` for a punctual display. A control has no policy.
  func rows(of plan: LatencyPlan) -> [ResultRow] {
    let name = eventClass.rawValue
    let rows = LatencyRows(scenario: plan.scenario, policy: plan.policy, seed: plan.seed)
    let updates = LatencyTarget.updateToNotify
    let controls = control.map { $0.nanoseconds(of: .updateToNotify) }
    return rows.stages(of: callbacks, class: name)
      + rows.stages(of: streams, class: "\(name)/stream")
      + rows.distribution(frames.drawn, "server_to_ui", class: name)
      + rows.distribution(frames.boundary, "server_to_ui", class: "\(name)/frame-boundary")
      + [rows.share(of: frames.drawn, within: .serverToUI, class: "\(name)/ui")]
      + rows.distribution(controls, "control_notify", class: name, isControl: true)
      + rows.distribution(
        control.map { $0.nanoseconds(of: .responseTime) }, "control_response", class: name,
        isControl: true)
      + rows.distribution(
        control.map { [history = frames.history] in
          $0.nanoseconds(of: .responseTime) + history.lateness(after: $0.notified)
        }, "control_to_ui", class: name, isControl: true)
      + rows.distribution(sleeperLateness, "sleeper_lateness", class: name, isControl: true)
      + [rows.share(of: controls, within: updates, class: "\(name)/control", isControl: true)]
  }
}

/// The limits of the design document, in nanoseconds.
package enum LatencyTarget: Int64, Sendable {
  case updateToNotify = 1_000_000
  case serverToUI = 20_000_000
}

/// Turns samples into rows.
struct LatencyRows {
  let scenario: String
  let policy: String
  let seed: UInt64

  static let statistics: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  /// One distribution for each stage, and the share of updates within their target.
  func stages(of stamps: [EventStamps], class: String) -> [ResultRow] {
    LatencyStage.allCases.flatMap { stage in
      distribution(stamps.map { $0.nanoseconds(of: stage) }, stage.rawValue, class: `class`)
    } + [
      share(
        of: stamps.map { $0.nanoseconds(of: .updateToNotify) }, within: .updateToNotify,
        class: `class`)
    ]
  }

  func distribution(
    _ samples: [Int64], _ metric: String, class: String, isControl: Bool = false
  ) -> [ResultRow] {
    let distribution = Distribution(samples)
    return Self.statistics.map { statistic in
      row(
        metric, class: `class`, statistic: statistic, value: distribution.value(of: statistic),
        count: distribution.count, isControl: isControl)
    }
  }

  func share(
    of samples: [Int64], within target: LatencyTarget, class: String, isControl: Bool = false
  ) -> ResultRow {
    let met = samples.count { $0 <= target.rawValue }
    return row(
      "share_within_target", class: `class`, statistic: .value,
      value: samples.isEmpty ? nil : .real(Double(met) / Double(samples.count)),
      count: samples.count, isControl: isControl)
  }

  func row(
    _ metric: String, class: String, statistic: Statistic = .value, value: MetricValue?,
    count: Int? = nil, isControl: Bool = false
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: isControl ? "" : policy, seed: seed, class: `class`,
      metric: metric, statistic: statistic.rawValue, value: value, sampleCount: count)
  }
}
