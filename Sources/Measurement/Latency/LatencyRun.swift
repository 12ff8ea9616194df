import CacheModel
package import Metrics
import NormalizedCache

/// Measures how long an update takes from its arrival to its observers, on the real actor in real
/// time.
///
/// Open loop: events are sent at instants drawn beforehand, whether or not earlier ones are done, so
/// that a pause of the cache is felt by every event that falls into it. In each phase four lanes run
/// side by side with a sleeper: a cache observed by callbacks, a cache observed by streams, a cache
/// that a 60 Hz display draws, and a control that decodes the same bytes and has no cache. Before and
/// after the phases the control runs alone: beside the lanes it also waits for what they take, which is
/// no noise of the machine.
package struct LatencyRun: Sendable {
  private let plan: LatencyPlan
  private let clock = ContinuousCacheClock()
  private let progress: @Sendable (String) -> Void

  /// How long after the last preparation a phase begins.
  private static let lead = Duration.milliseconds(50)

  package init(plan: LatencyPlan, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.plan = plan
    self.progress = progress
  }

  /// Runs every phase.
  ///
  /// - Throws: ``LatencyRunError``, `CompositionError`, or `CancellationError`.
  package func run() async throws -> [ResultRow] {
    var alone = try await controlAlone(0)
    var rows: [ResultRow] = []
    for (index, phase) in plan.phases.enumerated() {
      progress(
        "latency \(index + 1)/\(plan.phases.count): \(phase.samples) \(phase.eventClass.rawValue) "
          + "events per lane, \(phase.rate) per second")
      let result = try await run(phase)
      rows += result.rows(of: plan)
    }
    alone += try await controlAlone(1)
    guard !alone.isEmpty else { return rows }
    return rows
      + LatencyRows(scenario: plan.scenario, policy: plan.policy, seed: plan.seed)
      .distribution(
        alone.map { $0.nanoseconds(of: .updateToNotify) }, "control_notify",
        class: "\(EventClass.single.rawValue)/alone", isControl: true)
  }

  /// Half of the control's events beside which nothing runs.
  private func controlAlone(_ half: UInt64) async throws -> [EventStamps] {
    guard let phase = plan.phases.first(where: { $0.eventClass == .single }) else { return [] }
    let count = plan.aloneSamples / 2 + phase.warmUp
    progress("latency: the control alone")
    let lane = Lane(
      name: "single/alone",
      script: try EventScript(library: plan.library, eventClass: .single, count: count),
      arrivals: ArrivalProcess(
        count: count, perSecond: phase.rate,
        random: RandomSource(seed: plan.seed).substream("arrivals-alone", half)),
      warmUp: phase.warmUp, clock: clock)
    return try await ControlLane(lane: lane).run(from: clock.now.advanced(by: Self.lead))
  }

  private func run(_ phase: LatencyPlan.Phase) async throws -> LatencyResult {
    let script = try EventScript(
      library: plan.library, eventClass: phase.eventClass,
      count: max(phase.samples, phase.frameSamples) + phase.warmUp)
    func lane(_ name: String, _ index: UInt64, frames: Bool = false) -> Lane {
      Lane(
        name: "\(phase.eventClass.rawValue)/\(name)", script: script,
        arrivals: ArrivalProcess(
          count: (frames ? phase.frameSamples : phase.samples) + phase.warmUp,
          perSecond: frames ? phase.frameRate : phase.rate,
          random: RandomSource(seed: plan.seed).substream("arrivals", index)),
        warmUp: phase.warmUp, clock: clock)
    }
    let callbackLane = try await CallbackLane(
      lane: lane("callback", 0), cache: makeCache(), library: plan.library)
    let streamLane = try await StreamLane(
      lane: lane("stream", 1), cache: makeCache(), library: plan.library)
    let frameLane = try await FrameLane(
      lane: lane("frames", 2, frames: true), cache: makeCache(), library: plan.library)
    let controlLane = ControlLane(lane: lane("control", 3))

    let start = clock.now.advanced(by: Self.lead)
    let sleeper = Task { [clock] in await Sleeper.lateness(clock: clock, from: start) }
    defer { sleeper.cancel() }
    async let callbacks = callbackLane.run(from: start)
    async let streams = streamLane.run(from: start)
    async let frames = frameLane.run(from: start)
    async let control = controlLane.run(from: start)
    let lanes = try await (callbacks, streams, frames, control)
    sleeper.cancel()
    return LatencyResult(
      eventClass: phase.eventClass, callbacks: lanes.0, streams: lanes.1, frames: lanes.2,
      control: lanes.3, sleeperLateness: await sleeper.value)
  }

  private func makeCache() throws -> NormalizedCache<MeasurementSchema> {
    try NormalizedCache(
      composition: plan.composition, schema: MeasurementSchema(),
      source: LibraryServer(library: plan.library), clock: clock)
  }
}
