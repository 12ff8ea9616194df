import CacheModel

extension RecordingReader {
  mutating func readMutation(_ line: inout RecordedLine) throws(RecordingError) {
    let at = try readTime(&line, after: workload.mutations.last?.at)
    let place = try readPlace(&line)
    let kind = try readKind(&line)
    let version = Version(
      clock: try line.integer("clock", in: 0...UInt64.max, default: 0),
      device: try line.integer("writer", in: 0...UInt64.max, default: 0))
    let first = workload.items.count
    let write = self.version > 1 ? try readHeardWrite(&line, kind) : nil
    for value in write == nil ? try line.array("items") : [] {
      var item = try RecordedLine(value, line: line.number)
      try readItem(&item, kind: kind, deletion: version)
      try item.finish("an item")
    }
    if write == nil, kind == .changed, workload.items.count != first + 1 {
      throw line.failure("`changed` has other than one item", "write `batch` for several")
    }
    if kind == .infrastructure, workload.items.count != first {
      throw line.failure("`infrastructure` has items", "remove them")
    }
    var mutation = Mutation(
      at: at, device: try line.integer("device", in: 0...UInt32.max, default: 0),
      position: place ?? workload.mutations.last?.position ?? StreamPosition(epoch: 0, sequence: 0),
      kind: kind, items: first..<workload.items.count,
      bytes: try line.integer("bytes", in: 0...Int.max / 4), version: version,
      origin: try readOrigin(&line, of: kind))
    mutation.isPlaced = place != nil
    mutation.write = write
    workload.mutations.append(mutation)
  }

  /// The place in the stream; `nil` for what an app heard without one, or only saw.
  private func readPlace(_ line: inout RecordedLine) throws(RecordingError) -> StreamPosition? {
    if version > 1, workload.truth == .observed, line.optional("epoch") == nil { return nil }
    let position = StreamPosition(
      epoch: try line.integer("epoch", in: 0...UInt32.max),
      sequence: try line.integer("sequence", in: 1...UInt64.max / 2))
    try checkPosition(position, line)
    return position
  }

  /// What a batch comes from; one that does not say is a watcher's.
  private func readOrigin(
    _ line: inout RecordedLine, of kind: Mutation.Kind
  ) throws(RecordingError) -> EventOrigin? {
    guard line.optional("origin") != nil else { return kind == .batchChanged ? .watcher : nil }
    let name = try line.text("origin")
    guard kind == .batchChanged, let origin = EventOrigin(rawValue: name) else {
      throw line.failure(
        "`origin` is `\(ScenarioReader.shortened(name))`, or not of a batch",
        "give a `batch` one of index, watcher, user")
    }
    return origin
  }

  private func checkPosition(
    _ position: StreamPosition, _ line: RecordedLine
  ) throws(RecordingError) {
    guard let last = workload.mutations.last?.position else { return }
    let follows =
      position.epoch > last.epoch
      || position.epoch == last.epoch
        && (workload.truth == .known
          ? position.sequence == last.sequence + 1 : position.sequence > last.sequence)
    guard follows else {
      throw line.failure(
        "the position does not follow the last one (epoch \(last.epoch), sequence \(last.sequence))",
        "write mutations in the order of the stream")
    }
  }

  private mutating func readKind(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> Mutation.Kind {
    let name = try line.text("kind")
    switch name {
    case "changed": return .changed
    case "batch": return .batchChanged
    case "deleted": return .deleted
    case "infrastructure": return .infrastructure
    case "bulk-notice":
      let count = workload.catalog.objects.count
      let location =
        try line.optional("location") == nil ? nil : line.index("location", of: count, "object")
      let type =
        try line.optional("type") == nil
        ? nil : ResourceType(rawValue: line.integer("type", in: 0...UInt16.max))
      return .bulkNotice(
        location: location, resourceType: type, token: try line.integer("token", in: 0...UInt64.max)
      )
    default:
      throw line.failure(
        "unknown kind of mutation `\(ScenarioReader.shortened(name))`",
        "valid here: changed, batch, deleted, bulk-notice, infrastructure")
    }
  }

  private mutating func readItem(
    _ item: inout RecordedLine, kind: Mutation.Kind, deletion: Version
  ) throws(RecordingError) {
    let isDeletion = try item.flag("deleted")
    guard isDeletion == (kind == .deleted) else {
      throw item.failure(
        "deletions and states do not mix", "put deletions into a mutation of kind deleted")
    }
    let object: UInt32
    let version: Version
    if isDeletion {
      object = try item.index("object", of: workload.catalog.objects.count, "object")
      version = deletion
      guard current[Int(object)] != nil || workload.truth == .observed else {
        throw item.failure("object \(object) does not exist at this point", "remove the deletion")
      }
    } else {
      let (revision, words) = try readState(&item)
      object = revision.object
      version = revision.version
      try checkOrder(of: object, version, item)
      workload.items.append(MutationItem(object: object, revision: append(revision, words)))
      return
    }
    try checkOrder(of: object, version, item)
    workload.items.append(MutationItem(object: object, revision: MutationItem.deleted))
    current[Int(object)] = nil
    wasDeleted[Int(object)] = true
  }

  /// With a known truth, a deleted object stays deleted and versions grow.
  private func checkOrder(
    of object: UInt32, _ version: Version, _ line: RecordedLine
  ) throws(RecordingError) {
    guard workload.truth == .known else { return }
    guard !wasDeleted[Int(object)] else {
      throw line.failure("object \(object) was deleted before", "give what is new a new object")
    }
    if let before = current[Int(object)],
      workload.catalog.revisions[Int(before)].version >= version
    {
      throw line.failure(
        "the version of object \(object) does not grow", "check `clock` and the device")
    }
  }
}
