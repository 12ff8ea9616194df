import CacheModel
import RecordingCodec

/// The server's commits, inferred from answers, writes and messages.
extension SessionFromHAR {
  mutating func writeMutations<E: Error>(
    _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    // A state began at the latest with the first answer that contains it.
    var firsts: [UInt64: Int] = [:]
    for (number, one) in evidence.enumerated() {
      shown.forEachSight(of: one) { row, entity, _ in
        let key = UInt64(entity) << 32 | UInt64(inference.state(shownBy: number, row))
        if firsts[key] == nil { firsts[key] = number }
      }
    }
    var begun = [[ChangeInference.Change]](repeating: [], count: evidence.count)
    for change in inference.changes {
      let key = UInt64(change.entity) << 32 | UInt64(change.state)
      begun[firsts[key] ?? change.evidence].append(change)
    }
    var mutations: UInt32 = 0
    for number in evidence.indices {
      let one = evidence[number]
      let changes = begun[number].sorted { ($0.entity, $0.state) < ($1.entity, $1.state) }
      guard one.kind != .query else {
        for change in changes {
          try body(.mutation(mutation(at: one.end, [change])))
          mutations += 1
        }
        continue
      }
      let client = UInt32(timeline.clients[Int(requestOfEvidence[number])])
      for var line in told(by: one, number, changes) {
        if one.kind == .write { line.client = client }
        try body(.mutation(line))
        if one.kind == .event {
          deliveries.append((client, at(one.end), mutations))
        }
        mutations += 1
      }
    }
  }

  private mutating func mutation(
    at end: Int64, _ changes: [ChangeInference.Change]
  ) -> MutationLine {
    var line = MutationLine()
    line.at = at(end)
    line.since = min(line.at, at(changes.map(\.since).min() ?? end))
    for change in changes where stateNumbers[Int(change.entity)][Int(change.state)] == nil {
      let state = newState(Int(change.entity), Int(change.state))
      line.bytes += Int(state.bytes)
      line.items.append(.state(state))
    }
    line.kind = line.items.count == 1 ? .changed : .batch
    return line
  }

  /// Returns the changes in a write or a message: its content and its deletions.
  private mutating func told(
    by one: ChangeInference.Evidence, _ number: Int, _ changes: [ChangeInference.Change]
  ) -> [MutationLine] {
    var line = mutation(at: one.end, changes)
    if one.kind == .write { line.since = min(line.at, at(one.start)) }
    if changes.isEmpty, one.kind == .event { line.since = nil }
    line.bytes = timeline.requests[Int(requestOfEvidence[number])].bytes
    shown.forEachSight(of: one) { row, entity, _ in
      let state = inference.state(shownBy: number, row)
      guard let known = stateNumbers[Int(entity)][Int(state)] else { return }
      let isNew = changes.contains { $0.entity == entity && $0.state == state }
      if !isNew { line.items.append(.known(known)) }
    }
    line.kind =
      line.items.isEmpty ? .infrastructure : line.items.count == 1 ? .changed : .batch
    guard let deleted = one.deletes, let object = objectOfEntity[Int(deleted)] else {
      return [line]
    }
    var deletion = MutationLine()
    (deletion.at, deletion.since, deletion.kind) = (line.at, line.since, .deleted)
    deletion.version = Version(
      clock: UInt64(inference.states[Int(deleted)].count) + 1, device: 1)
    deletion.items = [.deleted(object: object)]
    return line.items.isEmpty ? [deletion] : [line, deletion]
  }
}
