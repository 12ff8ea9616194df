import CacheModel
package import Metrics

/// What a pipeline run saw.
package struct PipelineResult: Sendable {
  package var plan: PipelinePlan
  /// Every event after the warm-up that came live.
  package var stamps: [PipelineStamps]
  /// From the intended start to the first frame boundary after the notification: what a punctual
  /// display would show.
  package var boundary: [Int64]
  package var controlUpdateToNotify: [Int64]
  package var controlResponseTime: [Int64]
  /// As much of ``controlResponseTime`` and of late frames as a change without a cache would have had.
  package var controlToUI: [Int64]
  package var sleeperLateness: [Int64]
  /// Events that came by replay or in an answer, after a connection was lost; they have no stamps.
  package var replayed: Int
  /// From a cut to the cache having caught up; `nil` where nothing was cut.
  package var recovery: Duration?

  /// The rows of the run.
  ///
  /// The class is the transport; `unix/frame-boundary` is a punctual display, `unix/ui` the share
  /// that was drawn in time, `unix/control` the share of the control.
  package var rows: [ResultRow] {
    let rows = LatencyRows(
      scenario: PipelinePlan.scenario, policy: plan.policy, seed: plan.devices.seed)
    let name = plan.className
    func distribution(
      _ metric: String, class: String = "", _ value: (PipelineStamps) -> Int64
    ) -> [ResultRow] {
      rows.distribution(stamps.map(value), metric, class: name + `class`)
    }
    let totals = stamps.map(\.total)
    return PipelineStage.allCases.flatMap { stage in
      distribution(stage.rawValue) { $0.nanoseconds(of: stage) }
    }
      + distribution("update_to_notify", \.updateToNotify)
      + distribution("service_time", \.serviceTime)
      + distribution("response_time", \.responseTime)
      + rows.distribution(totals, "server_to_ui", class: name)
      + rows.distribution(boundary, "server_to_ui", class: "\(name)/frame-boundary")
      + [
        rows.share(of: stamps.map(\.updateToNotify), within: .updateToNotify, class: name),
        rows.share(of: totals, within: .serverToUI, class: "\(name)/ui"),
        rows.share(
          of: controlUpdateToNotify, within: .updateToNotify, class: "\(name)/control",
          isControl: true),
      ]
      + rows.distribution(controlUpdateToNotify, "control_notify", class: name, isControl: true)
      + rows.distribution(controlResponseTime, "control_response", class: name, isControl: true)
      + rows.distribution(controlToUI, "control_to_ui", class: name, isControl: true)
      + rows.distribution(sleeperLateness, "sleeper_lateness", class: name, isControl: true)
      + [rows.row("replayed_events", class: name, value: .integer(Int64(replayed)))]
      + (recovery.map {
        [rows.row("resume_time", class: name, value: .integer($0.wholeNanoseconds))]
      } ?? [])
  }
}

extension PipelinePlan {
  /// By which rows of this run are told from those of others.
  var className: String {
    let files = devices.filesPerMutation
    return files == 1 ? transport.rawValue : "\(transport.rawValue)-batch-\(files)"
  }
}
