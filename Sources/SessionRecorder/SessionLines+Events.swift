import CacheModel
import NormalizedCache
import Text

/// What the server tells, in the order in which the app heard it.
extension SessionLines {
  mutating func write(_ event: RecordedEvent, at now: Instant) {
    if let library, let stream = event.place?.stream, stream.library != library {
      return noPlace(at: now)
    }
    if let stream = event.place?.stream { library = library ?? stream.library }
    var place = event.place
    // A stream of which the app hears some only would look as if it had gaps.
    if place?.previous != nil { place = nil }
    if let position = place?.position {
      if event.isAnswer {
        if position == lastPlace.map({ StreamPosition(epoch: $0.epoch, sequence: $0.sequence + 1) })
        {
          lastPlace = position
          answered = position
        } else {
          place = nil
        }
      } else if position == answered {
        // The app knew what this tells, and the file says so.
        return
      } else if position > lastPlace ?? StreamPosition(epoch: 0, sequence: 0) {
        lastPlace = position
      } else {
        // One that comes late, or twice, has no place in a file that tells them in order.
        place = nil
      }
    }
    write(event.kind, place: place, at: now)
  }

  mutating func write(
    _ kind: RecordedEvent.Kind, place: EventPlace?, at now: Instant
  ) {
    switch kind {
    case .changed(let row):
      guard let object = object(row.key) else { return noPlace(at: now) }
      deliver("changed", [(object, row)], place, at: now) { _ in }
    case .batch(let rows, let origin):
      let states = rows.compactMap { row in object(row.key).map { ($0, row) } }
      deliver("batch", states, place, at: now) { json in
        if let origin { json.member("origin", origin.rawValue) }
      }
    case .deleted(let keys, let version):
      let gone = keys.compactMap { object($0) }
      deliver("deleted", [], place, at: now) { json in
        json.member("clock", version.clock)
        json.member("writer", version.device)
        json.array("items") { json in
          for object in gone {
            json.object {
              $0.member("object", object)
              $0.flag("deleted")
            }
          }
        }
      }
    case .bulkNotice(let tag, let token): write(notice: tag, token: token, place: place, at: now)
    case .infrastructure: deliver("infrastructure", [], place, at: now) { _ in }
    }
  }

  mutating func write(
    notice tag: InvalidationTag, token: UInt64?, place: EventPlace?, at now: Instant
  ) {
    guard tag.location == nil, tag.method == nil, tag.library == library ?? tag.library else {
      return noPlace(at: now)
    }
    var type: Int?
    if let own = tag.resourceType {
      // The recorder's own type is the first of the model.
      guard let place = outline.type(own) else { return noPlace(at: now) }
      type = place + 2
    }
    let number = token ?? UInt64(mutations) | 1 << 63
    deliver("bulk-notice", [], place, at: now) { json in
      if let type { json.member("type", type) }
      json.member("token", number)
    }
  }

  mutating func deliver(
    _ kind: String, _ states: [(object: Int, row: RecordedRow)], _ place: EventPlace?,
    at now: Instant, _ more: (inout JSONWriter) -> Void
  ) {
    let time = time(now)
    for (object, row) in states {
      knownVersions.insert(KnownVersion(object: object, version: row.version))
    }
    let number = mutations
    writeMutation(kind, states, place: place, at: time, more)
    line("delivery") { json in
      json.member("client", 0)
      json.member("at", time)
      json.member("mutation", number)
    }
  }
}
