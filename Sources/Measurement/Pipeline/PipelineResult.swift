import CacheModel
package import Metrics

/// What a pipeline run saw.
package struct PipelineResult: Sendable {
  package var plan: PipelinePlan
  /// Every event after the warm-up that came live.
  package var stamps: [PipelineStamps]
  /// Those of the indexer's batches; empty where there was none.
  package var ofIndexer: [PipelineStamps] = []
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
  /// How the client came back; `nil` where it was not cut off.
  package var recovery: Recovery?
  /// How often the stalled observer blocked the cache; `nil` where there was none.
  package var blocks: Int?
  /// What readers waited for listings; `nil` where nobody read.
  package var reads: ReaderPair.Samples?

  /// Events per second at the last observer, over the middle nine tenths of the run: at its end some
  /// devices are done before others.
  ///
  /// What the devices sent where everything kept up with them; `nil` for fewer than twenty events.
  package var achievedPerSecond: Double? {
    guard stamps.count >= 20 else { return nil }
    let instants = stamps.map(\.notified).sorted()
    let cut = instants.count / 20
    let (first, last) = (instants[cut], instants[instants.count - 1 - cut])
    guard first < last else { return nil }
    return Double(instants.count - 1 - 2 * cut) * 1e9
      / Double(last.nanoseconds - first.nanoseconds)
  }

  /// The rows of the run.
  ///
  /// The class is the transport; `unix/frame-boundary` is a punctual display, `unix/ui` the share
  /// that was drawn in time, `unix/control` and `unix/control-ui` the shares of the control.
  package var rows: [ResultRow] {
    let rows = LatencyRows(
      scenario: PipelinePlan.scenario, policy: plan.policy, seed: plan.devices.seed)
    let name = plan.className
    let totals = stamps.map(\.total)
    return rows.stages(of: stamps, class: name)
      + (ofIndexer.isEmpty ? [] : rows.stages(of: ofIndexer, class: "\(name)/batches"))
      + (reads.map { reads in
        rows.distribution(reads.ofCache, .readLatency, class: name)
          + rows.distribution(
            reads.ofControl, .controlReadLatency, class: name, isControl: true)
      } ?? [])
      + rows.distribution(boundary, .serverToUI, class: "\(name)/frame-boundary")
      + [
        rows.share(of: stamps.map(\.updateToNotify), within: .updateToNotify, class: name),
        rows.share(of: totals, within: .serverToUI, class: "\(name)/ui"),
        rows.share(
          of: controlUpdateToNotify, within: .updateToNotify, class: "\(name)/control",
          isControl: true),
        rows.share(
          of: controlToUI, within: .serverToUI, class: "\(name)/control-ui", isControl: true),
      ]
      + rows.distribution(controlUpdateToNotify, .controlNotify, class: name, isControl: true)
      + rows.distribution(controlResponseTime, .controlResponse, class: name, isControl: true)
      + rows.distribution(controlToUI, .controlToUI, class: name, isControl: true)
      + rows.distribution(sleeperLateness, .sleeperLateness, class: name, isControl: true)
      + [
        rows.row(
          .achievedEventsPerSecond, class: name, value: achievedPerSecond.map { .real($0) },
          count: stamps.count),
        rows.row(.replayedEvents, class: name, value: .integer(Int64(replayed))),
      ]
      + (recovery.map { rows.rows(of: $0, class: name) } ?? [])
      + (blocks.map {
        [rows.row(.observerBlocks, class: name, value: .integer(Int64($0)))]
      } ?? [])
  }
}

extension LatencyRows {
  /// One distribution for each stage, and for what several of them make together.
  fileprivate func stages(of stamps: [PipelineStamps], class: String) -> [ResultRow] {
    let sums: [(Metric, (PipelineStamps) -> Int64)] = [
      (.updateToNotify, \.updateToNotify), (.serviceTime, \.serviceTime),
      (.responseTime, \.responseTime), (.serverToUI, \.total),
    ]
    return PipelineStage.allCases.flatMap { stage in
      distribution(
        stamps.map { $0.nanoseconds(of: stage) }, stage.metric, class: `class`)
    } + sums.flatMap { metric, value in distribution(stamps.map(value), metric, class: `class`) }
  }

  /// How long it took to come back; what a killed client was behind by, and had to fetch.
  fileprivate func rows(of recovery: Recovery, class: String) -> [ResultRow] {
    let time = row(
      .resumeTime, class: `class`, value: .integer(recovery.duration.wholeNanoseconds))
    guard let resumption = recovery.resumption else { return [time] }
    let name = "\(`class`)/killed-client"
    return [
      time,
      row(
        .replayedEvents, class: name,
        value: .integer(Int64(resumption.reached) - Int64(resumption.stored))),
      row(.resumedEvents, class: name, value: .integer(Int64(resumption.stored))),
      row(.refetchedListings, class: name, value: .integer(Int64(resumption.fetches))),
    ]
  }
}
