package import CacheModel
package import ResultModel

/// The measurements of a pipeline run.
package struct PipelineResult: Sendable {
  package var plan: PipelinePlan
  /// The stamps of all events after the warm-up.
  package var stamps: [PipelineStamps]
  /// The time from the intended start to the first frame boundary after the notification, as on a punctual
  /// display.
  package var boundary: [Int64]
  package var controlUpdateToNotify: [Int64]
  package var controlResponseTime: [Int64]
  /// The time from the intended start to the screen without a cache: ``controlResponseTime`` and late frames.
  package var controlToUI: [Int64]
  package var sleeperLateness: [Int64]
  /// The latencies of readers; `nil` without reads.
  package var reads: ReaderPair.Samples?

  /// The throughput in events per second at the last observer, over the middle 90% of the run: at its end
  /// some devices finish before others.
  ///
  /// It equals the devices' rate if everything keeps up with them; `nil` for fewer than twenty events.
  package var achievedPerSecond: Double? {
    guard stamps.count >= 20 else { return nil }
    let instants = stamps.map(\.client.notified).sorted()
    let cut = instants.count / 20
    let (first, last) = (instants[cut], instants[instants.count - 1 - cut])
    guard first < last else { return nil }
    return Double(instants.count - 1 - 2 * cut) * 1e9
      / Double(last.nanoseconds - first.nanoseconds)
  }

  /// The rows of the run.
  ///
  /// The class is the transport; `unix/frame-boundary` is a punctual display. The control has no policy.
  package var rows: [ResultRow] {
    let rows = RunRows(
      scenario: PipelinePlan.scenario, policy: plan.policy, seed: plan.devices.seed)
    let name = plan.className
    let totals = stamps.map(\.total)
    return rows.stages(of: stamps, class: name)
      + (reads.map { reads in
        rows.distribution(reads.ofCache, .readLatency, class: name)
          + rows.distribution(
            reads.ofControl, .controlReadLatency, class: name, isControl: true)
      } ?? [])
      + rows.distribution(boundary, .serverToUI, class: name.by(.frameBoundary))
      + [
        rows.share(
          of: stamps.map { $0.client.nanoseconds(of: .updateToNotify) }, within: .updateToNotify,
          class: name),
        rows.share(of: totals, within: .serverToUI, class: name),
        rows.share(
          of: controlUpdateToNotify, within: .updateToNotify, class: name,
          isControl: true),
        rows.share(
          of: controlToUI, within: .serverToUI, class: name, isControl: true),
      ]
      + rows.distribution(controlUpdateToNotify, .controlNotify, class: name, isControl: true)
      + rows.distribution(controlResponseTime, .controlResponse, class: name, isControl: true)
      + rows.distribution(controlToUI, .controlToUI, class: name, isControl: true)
      + rows.distribution(sleeperLateness, .sleeperLateness, class: name, isControl: true)
      + [
        rows.row(
          .achievedEventsPerSecond, achievedPerSecond.map { .real($0) }, class: name,
          count: stamps.count)
      ]
  }
}

extension RunRows {
  /// Returns one distribution for each stage, and for sums of several.
  fileprivate func stages(of stamps: [PipelineStamps], class: ResultClass) -> [ResultRow] {
    let sums: [(Metric, (PipelineStamps) -> Int64)] = [
      (.updateToNotify, { $0.client.nanoseconds(of: .updateToNotify) }),
      (.serviceTime, { $0.client.nanoseconds(of: .serviceTime) }),
      (.responseTime, { $0.client.nanoseconds(of: .responseTime) }),
      (.serverToUI, \.total),
    ]
    return PipelineStage.allCases.flatMap { stage in
      distribution(
        stamps.map { $0.nanoseconds(of: stage) }, stage.metric, class: `class`)
    } + sums.flatMap { metric, value in distribution(stamps.map(value), metric, class: `class`) }
  }
}

/// The timestamps of one event from a device to the screen, in nanoseconds of ``MonotonicClock``.
package struct PipelineStamps: Hashable, Sendable {
  /// The client's stamps of it; `intended` is the send time according to the device's arrival process.
  package var client: EventStamps
  /// The time when the device sent it.
  package var sent: Instant
  /// The time when the server had assigned its position, before encoding and sending it to subscribers.
  package var published: Instant
  /// The start of the frame that drew it.
  package var frameBegan: Instant
  /// The time when that frame had read all its rows.
  package var drawn: Instant

  /// All stamps in order: a stage is between two neighbours.
  private var seams: [Instant] {
    [
      client.intended, sent, published, client.received, client.started, client.decoded,
      client.committed, client.notified, frameBegan, drawn,
    ]
  }

  /// Whether the stamps are in order.
  package var areMonotone: Bool {
    zip(seams, seams.dropFirst()).allSatisfy { $0 <= $1 }
  }

  /// Returns the duration of one stage, in nanoseconds; the stages add up to ``total``.
  package func nanoseconds(of stage: PipelineStage) -> Int64 {
    let seams = seams
    return seams[stage.rawValue + 1].nanoseconds - seams[stage.rawValue].nanoseconds
  }

  /// The time from the intended start to the screen.
  package var total: Int64 { drawn.nanoseconds - client.intended.nanoseconds }
}

/// A stage of an event from a device to the screen, in order.
package enum PipelineStage: Int, Hashable, Sendable, CaseIterable {
  case generatorLateness, uplink, downlink, inboxWait, decode, apply, notify, frameWait, draw

  package var metric: Metric {
    switch self {
    case .generatorLateness: .generatorLateness
    case .uplink: .uplink
    case .downlink: .downlink
    case .inboxWait: .inboxWait
    case .decode: .decode
    case .apply: .apply
    case .notify: .notify
    case .frameWait: .frameWait
    case .draw: .draw
    }
  }
}
