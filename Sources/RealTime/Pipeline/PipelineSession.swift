import CacheModel
import NormalizedCache

/// What the tasks of one run have in common, and what comes of it.
struct PipelineSession: Sendable {
  let plan: PipelinePlan
  let source: SyncSource
  let listener: CacheListener
  let control: ControlListener

  /// How far the cache has come, without a gap; 0 before the first event.
  var position: UInt64 {
    get async {
      let stream = StreamID(library: plan.devices.library.library)
      return await listener.cache.cursor(of: stream)?.sequence ?? 0
    }
  }

  /// Sees to it that every event has told an observer.
  ///
  /// - Throws: ``PipelineError/notificationsMissing(count:)``.
  func checkNotifications() throws(PipelineError) {
    let missing = plan.devices.mutations - listener.screen.drawnCount
    if missing > 0 { throw .notificationsMissing(count: missing) }
  }

  /// Compares every observed listing with what the server holds: rows, order, versions and values.
  ///
  /// - Throws: ``PipelineError/divergent(directories:first:)``, or what a request throws.
  func compare() async throws {
    let library = plan.devices.library
    var divergent: [Int] = []
    for directory in 0..<plan.observedDirectories {
      let held = try await source.files(
        ofDirectory: library.directoryIDs[directory], library: library.library)
      let shown = await listener.cache.rows(of: library.queryKey(ofDirectory: directory))
      if shown != held.entities { divergent.append(directory) }
    }
    if let first = divergent.first {
      throw PipelineError.divergent(directories: divergent.count, first: first)
    }
  }

  /// - Throws: ``PipelineError/stampsOutOfOrder(sequence:)``.
  func result(
    frames: FrameHistory, sleeperLateness: [Int64], reads: ReaderPair.Samples?
  ) throws(PipelineError) -> PipelineResult {
    let drawn = listener.screen.drawn
    if let disordered = drawn.first(where: { !$0.stamps.areMonotone }) {
      throw .stampsOutOfOrder(sequence: disordered.sequence)
    }
    let warmUp = UInt64(plan.warmUp)
    let counted = drawn.filter { $0.sequence > warmUp }.map(\.stamps)
    let controls = control.samples.filter { $0.sequence > warmUp }
    return PipelineResult(
      plan: plan, stamps: counted,
      boundary: counted.map {
        frames.clock.boundary(after: $0.client.notified).nanoseconds
          - $0.client.intended.nanoseconds
      },
      controlUpdateToNotify: controls.map(\.updateToNotify),
      controlResponseTime: controls.map(\.responseTime),
      controlToUI: controls.map { $0.responseTime + frames.lateness(after: $0.notified) },
      sleeperLateness: sleeperLateness, reads: reads)
  }
}
