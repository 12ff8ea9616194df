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

  /// Sees to it that every event has told an observer, or came by replay after a connection was cut on
  /// purpose: who is told of those is not seen.
  ///
  /// - Throws: ``PipelineError/notificationsMissing(count:)``, ``PipelineError/disconnected(times:)``.
  func checkNotifications() throws(PipelineError) {
    let lost = source.client.connections - 1
    guard lost == 0 else {
      if plan.fault == nil || plan.fault == .device { throw .disconnected(times: lost) }
      return
    }
    let missing = plan.events - listener.screen.drawnCount
    if missing > 0 { throw .notificationsMissing(count: missing) }
  }

  /// Compares every observed listing with what the server holds: rows, order, versions and values.
  ///
  /// - Throws: ``PipelineError/divergent(directories:first:)``, or what a request throws.
  func compare() async throws {
    try await source.compare(
      listener.cache, plan.devices.library, directories: 0..<plan.observedDirectories)
  }

  /// - Throws: ``PipelineError/stampsOutOfOrder(sequence:)``.
  func result(
    frames: FrameHistory, sleeperLateness: [Int64], recovery: Recovery?, blocks: Int?,
    reads: ReaderPair.Samples?
  ) throws(PipelineError) -> PipelineResult {
    let drawn = listener.screen.drawn
    if let disordered = drawn.first(where: { !$0.stamps.areMonotone }) {
      throw .stampsOutOfOrder(sequence: disordered.sequence)
    }
    func counted(_ isBatch: Bool) -> [PipelineStamps] {
      drawn.filter { $0.sequence > UInt64(plan.warmUp) && isOfIndexer($0.files) == isBatch }
        .map(\.stamps)
    }
    let singles = counted(false)
    let controls = control.samples.filter {
      $0.sequence > UInt64(plan.warmUp) && !isOfIndexer($0.files)
    }
    return PipelineResult(
      plan: plan, stamps: singles, ofIndexer: counted(true),
      boundary: singles.map {
        frames.clock.boundary(after: $0.notified).nanoseconds - $0.intended.nanoseconds
      },
      controlUpdateToNotify: controls.map(\.updateToNotify),
      controlResponseTime: controls.map(\.responseTime),
      controlToUI: controls.map { $0.responseTime + frames.lateness(after: $0.notified) },
      sleeperLateness: sleeperLateness,
      replayed: plan.events - drawn.count, recovery: recovery, blocks: blocks, reads: reads)
  }

  /// Whether an event is of the indexer, whose events have many files.
  private func isOfIndexer(_ files: Int) -> Bool { plan.indexer != nil && files > 1 }
}
