import CacheModel
import RecordingCodec

/// Reads the commits of the server, and the writes of users.
extension RecordingReader {
  mutating func read(_ line: MutationLine) throws(RecordingError) {
    try check(line.at, after: workload.mutations.last?.at)
    if let position = line.position {
      try check(position)
    } else if workload.truth == .known {
      throw failure("the mutation has no place in the stream", "write `epoch` and `sequence`")
    }
    guard line.since == nil && line.client == nil || workload.truth == .observed else {
      throw failure(
        "`since` and `client` say what an app could not know, and the truth is known",
        "remove them")
    }
    let kind = try kind(of: line)
    let first = workload.items.count
    if let write = line.write {
      heardWrites.append(
        HeardWrite(mutation: workload.mutations.count, write: write, line: self.line))
    }
    for item in line.items { try read(item, kind: kind, deletion: line.version) }
    let count = workload.items.count - first
    if line.write == nil, kind == .changed, count != 1 {
      throw failure("`changed` has other than one item", "write `batch` for several")
    }
    if kind == .infrastructure, count != 0 {
      throw failure("`infrastructure` has items", "remove them")
    }
    guard line.origin == nil || kind == .batchChanged else {
      throw failure("`origin` is not of a batch", "remove it, or write `batch`")
    }
    guard line.carries == nil || kind == .changed || kind == .batchChanged else {
      throw failure(
        "`carries` is not of new states", "remove it, or write `changed` or `batch`")
    }
    if let author = line.client, author >= lastAuthor?.client ?? 0 {
      lastAuthor = (author, self.line)
    }
    var mutation = Mutation(
      at: line.at, device: line.device,
      position: line.position ?? workload.mutations.last?.position
        ?? StreamPosition(epoch: 0, sequence: 0),
      kind: kind, items: first..<workload.items.count, bytes: line.bytes, version: line.version,
      origin: line.origin ?? (kind == .batchChanged ? .watcher : nil))
    mutation.isPlaced = line.position != nil
    mutation.carries = line.carries ?? .whole
    (mutation.since, mutation.author, mutation.write) = (line.since, line.client, line.write)
    workload.mutations.append(mutation)
  }

  private func check(_ position: StreamPosition) throws(RecordingError) {
    guard position.sequence >= 1 else {
      throw failure("`sequence` is out of range", "a stream begins with 1")
    }
    guard let last = workload.mutations.last?.position else { return }
    let follows =
      position.epoch > last.epoch
      || position.epoch == last.epoch
        && (workload.truth == .known
          ? position.sequence == last.sequence + 1 : position.sequence > last.sequence)
    guard follows else {
      throw failure(
        "the position does not follow the last one (epoch \(last.epoch), sequence \(last.sequence))",
        "write mutations in the order of the stream")
    }
  }

  private func kind(of line: MutationLine) throws(RecordingError) -> Mutation.Kind {
    switch line.kind {
    case .changed: return .changed
    case .batch: return .batchChanged
    case .deleted: return .deleted
    case .infrastructure, .bulkNotice:
      guard line.write == nil else {
        throw failure(
          "a mutation of this kind cannot have `write`", "write `changed`, `batch` or `deleted`")
      }
      guard line.kind == .bulkNotice else { return .infrastructure }
      if let location = line.location { try checkObject(location, "location") }
      guard let token = line.token else { throw failure("`token` is missing", "add it") }
      var type: ResourceType?
      if let name = line.type { type = DataModel.resourceType(ofType: try self.type(named: name)) }
      return .bulkNotice(location: line.location, resourceType: type, token: token)
    }
  }

  private mutating func read(
    _ item: RecordedItem, kind: Mutation.Kind, deletion: Version
  ) throws(RecordingError) {
    if case .deleted = item {
      guard kind == .deleted else { throw mixedItems }
    } else if kind == .deleted {
      throw mixedItems
    }
    switch item {
    case .deleted(let object):
      let number = try checkObject(object)
      guard current[number] != nil || workload.truth == .observed else {
        throw failure("object \(object) does not exist at this point", "remove the deletion")
      }
      try checkOrder(of: number, deletion)
      workload.items.append(MutationItem(object: object, revision: MutationItem.deleted))
      current[number] = nil
      wasDeleted[number] = true
    case .known(let state):
      try checkState(state, "state")
      let revision = workload.catalog.revisions[Int(state)]
      try checkOrder(of: Int(revision.object), revision.version)
      workload.items.append(MutationItem(object: revision.object, revision: state))
      current[Int(revision.object)] = state
    case .state(let state):
      try checkOrder(of: try checkObject(state.object), state.version)
      workload.items.append(MutationItem(object: state.object, revision: try append(state)))
    }
  }

  private var mixedItems: RecordingError {
    failure("deletions and states do not mix", "put deletions into a mutation of kind deleted")
  }

  /// With a known ground truth, a deleted object stays deleted and versions increase.
  private func checkOrder(of object: Int, _ version: Version) throws(RecordingError) {
    guard workload.truth == .known else { return }
    guard !wasDeleted[object] else {
      throw failure("object \(object) was deleted before", "give what is new a new object")
    }
    if let before = current[object], workload.catalog.revisions[Int(before)].version >= version {
      throw failure(
        "the version of object \(object) does not grow", "check `clock` and the device")
    }
  }

  /// Adds an item of a user's write: the server assigns a state's version on arrival.
  mutating func readWritten(_ item: RecordedItem) throws(RecordingError) {
    switch item {
    case .deleted(let object):
      try checkObject(object)
      workload.items.append(MutationItem(object: object, revision: MutationItem.deleted))
    case .known: throw failure("a user's write has a state of before", "write the new one")
    case .state(let state):
      guard state.version == .none else {
        throw failure(
          "a state that a user wrote has a version", "write `clock` and `device` as 0")
      }
      let former = current[try checkObject(state.object)]
      workload.items.append(MutationItem(object: state.object, revision: try append(state)))
      current[Int(state.object)] = former
    }
  }
}
