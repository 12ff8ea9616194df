package import CacheModel
package import ResultModel

/// What a pipeline run saw.
package struct PipelineResult: Sendable {
  package var plan: PipelinePlan
  /// Every event after the warm-up.
  package var stamps: [PipelineStamps]
  /// From the intended start to the first frame boundary after the notification: what a punctual
  /// display would show.
  package var boundary: [Int64]
  package var controlUpdateToNotify: [Int64]
  package var controlResponseTime: [Int64]
  /// As much of ``controlResponseTime`` and of late frames as a change without a cache would have had.
  package var controlToUI: [Int64]
  package var sleeperLateness: [Int64]
  /// What readers waited for listings; `nil` if nothing was read.
  package var reads: ReaderPair.Samples?

  /// Events per second at the last observer, over the middle nine tenths of the run: at its end some
  /// devices are done before others.
  ///
  /// What the devices sent where everything kept up with them; `nil` for fewer than twenty events.
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
  /// One distribution for each stage, and for what several of them make together.
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

/// The life of one event from a device to the screen, in nanoseconds of ``MonotonicClock``.
package struct PipelineStamps: Hashable, Sendable {
  /// What the client saw of it; intended is when the arrival process of the device wanted it sent.
  package var client: EventStamps
  /// When the device sent it.
  package var sent: Instant
  /// When the server had given it its place; encoding it and telling subscribers comes after.
  package var published: Instant
  /// When the frame that drew it began to.
  package var frameBegan: Instant
  /// When that frame had read every row that it draws.
  package var drawn: Instant

  /// Every seam in order: a stage lies between two neighbours.
  private var seams: [Instant] {
    [
      client.intended, sent, published, client.received, client.started, client.decoded,
      client.committed, client.notified, frameBegan, drawn,
    ]
  }

  /// Whether no stamp precedes the one before it.
  package var areMonotone: Bool {
    zip(seams, seams.dropFirst()).allSatisfy { $0 <= $1 }
  }

  /// The time that one stage took, in nanoseconds; the stages add up to ``total``.
  package func nanoseconds(of stage: PipelineStage) -> Int64 {
    let seams = seams
    return seams[stage.rawValue + 1].nanoseconds - seams[stage.rawValue].nanoseconds
  }

  /// From the intended start to the screen.
  package var total: Int64 { drawn.nanoseconds - client.intended.nanoseconds }
}

/// A part of an event's way from a device to the screen, in order.
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
