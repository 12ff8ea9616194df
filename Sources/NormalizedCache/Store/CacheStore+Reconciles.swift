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

  @inlinable mutating func beginReconcile(stream index: Int, attempt: Int) {
    let form: ReconcileForm
    switch composition.gapResponse {
    case .replay: form = .events
    case .selectiveInvalidation: form = .outline
    case .fullInvalidation:
      let library = libraryIndex(of: streams[index].id.library)
      let position = StreamPosition(
        epoch: streams[index].cursor.epoch, sequence: streams[index].known)
      resynchronize(library: library, at: StreamPlace(stream: index, position: position))
      finishReconcile(stream: index, through: position)
      return
    }
    let id = ReconcileID(number: nextNumber())
    statistics.reconciles += 1
    streams[index].gap = .reconciling(id, attempt: attempt)
    actions.append(
      .reconcile(id, stream: streams[index].id, after: streams[index].cursor, form: form))
  }

  /// Whether the answer to a reconcile is awaited.
  package var isReconciling: Bool {
    streams.contains {
      if case .reconciling = $0.gap { true } else { false }
    }
  }

  @inlinable func streamIndex(of id: ReconcileID) -> (index: Int, attempt: Int)? {
    for index in streams.indices {
      if case .reconciling(id, let attempt) = streams[index].gap { return (index, attempt) }
    }
    return nil
  }

  /// The server answered a reconcile.
  ///
  /// An unknown one is ignored.
  @inlinable public mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Payload>, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let (index, attempt) = streamIndex(of: id) else { return }
    let before = streams[index].cursor.sequence
    let library = libraryIndex(of: streams[index].id.library)
    switch response {
    case .events(let events, let through):
      guard through.epoch == streams[index].cursor.epoch else {
        enterEpoch(of: through, stream: index, event: nil)
        return
      }
      let last = events.last.map { sequence(of: $0) } ?? through.sequence
      if isAtHand(through: last, stream: index) { statistics.redundantReconciles += 1 }
      for envelope in events {
        guard let position = envelope.place?.position,
          position.sequence > streams[index].cursor.sequence
        else { continue }
        apply(
          envelope, library: library, at: StreamPlace(stream: index, position: position))
        streams[index].cursor.sequence = position.sequence
      }
      finishReconcile(
        stream: index, through: through, withoutProgress: through.sequence > before ? nil : attempt)
    case .outline(let tags, let through):
      guard through.epoch == streams[index].cursor.epoch else {
        enterEpoch(of: through, stream: index, event: nil)
        return
      }
      if isAtHand(through: through.sequence, stream: index) {
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
        #if PLANTED_DEFECTS
          if plantedDefect == .tooOldIgnored {
            return finishReconcile(stream: index, through: position)
          }
        #endif
        resynchronize(library: library, at: StreamPlace(stream: index, position: position))
        finishReconcile(stream: index, through: position)
      }
    }
  }

  /// Whether every event up to a sequence has come by itself, and only waits for its turn.
  @inlinable func isAtHand(through sequence: UInt64, stream index: Int) -> Bool {
    var reached = streams[index].cursor.sequence
    for envelope in streams[index].waiting where reached < sequence {
      guard let place = envelope.place, place.sequenceBefore <= reached else { break }
      reached = max(reached, place.position.sequence)
    }
    return reached >= sequence
  }

  /// The reconcile came to nothing; it is tried again, each time after twice as long, up to a minute.
  @inlinable public mutating func failReconcile(_ id: ReconcileID, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let (index, attempt) = streamIndex(of: id) else { return }
    backOff(stream: index, attempt: attempt)
  }

  @inlinable mutating func backOff(stream index: Int, attempt: Int) {
    let until = now.advanced(by: BackOff.pause(after: attempt))
    streams[index].gap = .backingOff(until: until, attempt: attempt + 1)
  }

  /// Goes on from where a reconcile has brought the stream.
  ///
  /// An answer that brings nothing, though more is known to exist, counts as a failure: asked again at
  /// once, the server would say the same.
  @inlinable mutating func finishReconcile(
    stream index: Int, through position: StreamPosition, withoutProgress attempt: Int? = nil
  ) {
    streams[index].gap = .none
    streams[index].cursor.sequence = max(streams[index].cursor.sequence, position.sequence)
    streams[index].known = max(streams[index].known, position.sequence)
    drain(stream: index)
    if let attempt, streams[index].cursor.sequence < streams[index].known {
      backOff(stream: index, attempt: attempt)
    } else {
      openGapIfMissing(stream: index)
    }
  }
}
