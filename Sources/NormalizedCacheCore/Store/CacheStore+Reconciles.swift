public import CacheModel

/// Asking for what was missed, once a gap has stayed open for too long.
extension CacheStore {
  @inlinable mutating func closeOverdueGap(inStream index: Int) {
    switch streams[index].gap {
    case .open(let until) where until <= now:
      statistics.gapsDetected += 1
      beginReconcile(stream: index, attempt: 0)
    case .backingOff(let until, let attempt) where until <= now:
      beginReconcile(stream: index, attempt: attempt)
    default:
      break
    }
  }

  /// The server can be reached: a reconcile that came to nothing waits no longer.
  ///
  /// - Parameters:
  ///   - index: the stream.
  ///   - isFirst: whether the pauses begin at a second again.
  @inlinable mutating func endPause(ofStream index: Int, isFirst: Bool = false) {
    guard case .backingOff(_, let attempt) = streams[index].gap else { return }
    if planted(.reconcileWaitsOutItsPause) { return }
    beginReconcile(stream: index, attempt: isFirst ? 0 : attempt)
  }

  @inlinable mutating func beginReconcile(stream index: Int, attempt: Int) {
    let form: ReconcileForm
    switch composition.gapResponse {
    case .replay: form = .events
    case .selectiveInvalidation: form = .outline
    case .fullInvalidation:
      let library = libraries.index(of: streams[index].id.library)
      let position = StreamPosition(
        epoch: streams[index].cursor.epoch, sequence: streams[index].known)
      resynchronize(library: library, at: StreamPlace(stream: index, position: position))
      finishReconcile(stream: index, through: position)
      return
    }
    let id = ReconcileID(number: fetches.nextNumber())
    statistics.reconciles += 1
    streams[index].gap = .reconciling(id, attempt: attempt)
    actions.append(
      .reconcile(id, stream: streams[index].id, after: streams[index].cursor, form: form))
  }

  /// Whether the answer to this reconcile is awaited; O(streams).
  ///
  /// For oracles and tests.
  package func awaits(_ id: ReconcileID) -> Bool { streams.index(of: id) != nil }

  /// Whether the answer to a reconcile is awaited.
  package var isReconciling: Bool {
    streams.states.contains { $0.isReconciling }
  }

  /// The server answered a reconcile.
  ///
  /// An unknown one is ignored.
  @inlinable public mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Payload>, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let (index, attempt) = streams.index(of: id) else { return }
    let before = streams[index].cursor.sequence
    let library = libraries.index(of: streams[index].id.library)
    switch response {
    case .events(let events, let through):
      guard through.epoch == streams[index].cursor.epoch else {
        enterEpoch(of: through, stream: index, event: nil)
        return
      }
      let last = events.last?.sequence ?? through.sequence
      if streams[index].hasAtHand(through: last) { statistics.redundantReconciles += 1 }
      for var envelope in events {
        guard let position = envelope.place?.position,
          position.sequence > streams[index].cursor.sequence
        else { continue }
        record(
          &envelope, library: library, at: StreamPlace(stream: index, position: position))
        streams[index].cursor.sequence = position.sequence
      }
      finishReconcile(
        stream: index, through: through, withoutProgress: through.sequence > before ? nil : attempt)
    case .outline(let tags, let through):
      guard through.epoch == streams[index].cursor.epoch else {
        enterEpoch(of: through, stream: index, event: nil)
        return
      }
      if streams[index].hasAtHand(through: through.sequence) {
        statistics.redundantReconciles += 1
      }
      let place = StreamPlace(stream: index, position: through)
      for tag in tags { markStale(matching: tag, since: place) }
      finishReconcile(
        stream: index, through: through, withoutProgress: through.sequence > before ? nil : attempt)
    case .tooOld(let position):
      if position.epoch != streams[index].cursor.epoch {
        enterEpoch(of: position, stream: index, event: nil)
      } else {
        if planted(.tooOldIgnored) {
          return finishReconcile(stream: index, through: position)
        }
        resynchronize(library: library, at: StreamPlace(stream: index, position: position))
        finishReconcile(stream: index, through: position)
      }
    }
  }

  /// The reconcile came to nothing; it is tried again, each time after twice as long, up to a minute, and
  /// at once when the server can be reached: ``setOnline(_:at:)``, or a heartbeat that names the gap.
  @inlinable public mutating func failReconcile(_ id: ReconcileID, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let (index, attempt) = streams.index(of: id) else { return }
    streams[index].backOff(at: self.now, attempt: attempt)
  }

  /// Goes on from where a reconcile has brought the stream.
  ///
  /// An answer that brings nothing, though more is known to exist, counts as a failure: asked again at
  /// once, the server would say the same.
  @inlinable mutating func finishReconcile(
    stream index: Int, through position: StreamPosition, withoutProgress attempt: Int? = nil
  ) {
    streams[index].gap = .none
    streams[index].advance(to: position.sequence)
    drain(stream: index)
    if let attempt, streams[index].isSuspect {
      streams[index].backOff(at: now, attempt: attempt)
    } else {
      openGapIfMissing(stream: index)
    }
  }
}
