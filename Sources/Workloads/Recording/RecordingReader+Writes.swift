import CacheModel
import Text

/// A mutation that tells of a user's write, whose line stands below it.
struct HeardWrite {
  var mutation: Int
  var write: UInt32
  var line: Int
}

/// What users write: version 2 of the format.
///
/// A write carries whole states, and others hear of it by a mutation that names it. Mutations stand before
/// writes, so that a state has the number that it had when it was drawn.
extension RecordingReader {
  /// The write that a mutation tells of; `nil`: none of a user's.
  mutating func readHeardWrite(
    _ line: inout RecordedLine, _ kind: Mutation.Kind
  ) throws(RecordingError) -> UInt32? {
    guard line.optional("write") != nil else { return nil }
    let write: UInt32 = try line.integer("write", in: 0...UInt32.max - 1)
    switch kind {
    case .changed, .batchChanged, .deleted: break
    case .bulkNotice, .infrastructure:
      throw line.failure(
        "a mutation of this kind tells of no write", "write `changed`, `batch` or `deleted`")
    }
    heardWrites.append(
      HeardWrite(mutation: workload.mutations.count, write: write, line: line.number))
    return write
  }

  mutating func readWrite(_ line: inout RecordedLine) throws(RecordingError) {
    guard workload.truth == .known, !isOfFiles else {
      throw line.failure(
        "what users write is replayed where the truth is known and the model is the app's own",
        "leave writes out of the log of an app: what they changed stands in its mutations")
    }
    let client: UInt32 = try line.integer("client", in: 0...UInt32.max - 1)
    guard client >= workload.writes.last?.client ?? 0 else {
      throw line.failure("writes are not in the order of their clients", "sort them by `client`")
    }
    let isCreation = try line.flag("creation")
    let isRefused = try line.flag("refused")
    let first = workload.items.count
    for value in try line.array("items") {
      var item = try RecordedLine(value, line: line.number)
      try readWrittenItem(&item)
      try item.finish("an item")
    }
    guard workload.items.count > first else {
      throw line.failure("a write has no items", "write what the user changed")
    }
    if isCreation, workload.items[first].revision == MutationItem.deleted {
      throw line.failure("a creation deletes", "remove `creation`")
    }
    if workload.items[first].revision == MutationItem.deleted, workload.items.count > first + 1 {
      throw line.failure(
        "a write deletes one entity, and has several items", "leave the others out")
    }
    workload.writes.append(
      UserWrite(
        client: client, items: first..<workload.items.count, isCreation: isCreation,
        isRefused: isRefused))
  }

  /// The server gives a state its version when it takes it, and nothing is in it before.
  private mutating func readWrittenItem(_ item: inout RecordedLine) throws(RecordingError) {
    if try item.flag("deleted") {
      let object = try item.index("object", of: workload.catalog.objects.count, "object")
      workload.items.append(MutationItem(object: object, revision: MutationItem.deleted))
      return
    }
    let (revision, words) = try readState(&item)
    guard revision.version == .none else {
      throw item.failure(
        "a state that a user wrote has a version", "write `clock` and `device` as 0")
    }
    let former = current[Int(revision.object)]
    workload.items.append(
      MutationItem(
        object: revision.object,
        revision: UInt32(truncatingIfNeeded: workload.catalog.revisions.count)))
    append(revision, words)
    current[Int(revision.object)] = former
  }

  /// The number of a write that a client's user makes: each once, in order.
  func readWriteNumber(
    _ line: inout RecordedLine, ofClient client: Int
  ) throws(RecordingError) -> UInt32 {
    let write = try line.index("write", of: workload.writes.count, "write")
    guard workload.writes[Int(write)].client == UInt32(client) else {
      throw line.failure("the write is of another client", "check `client`")
    }
    let last = workload.clients[client].actions.last { action in
      if case .write = action.kind { true } else { false }
    }
    if case .write(let before)? = last?.kind, before >= write {
      throw line.failure("the write was made before", "make each write once, in their order")
    }
    return write
  }

  func readWriting(_ line: inout RecordedLine) throws(RecordingError) -> WriteHandling {
    var writing = WriteHandling()
    if line.optional("writesThrough") != nil {
      let word = try line.text("writesThrough")
      guard let door = WriteHandling.Door(rawValue: word) else {
        throw line.unknown(
          "way of writing", word, among: WriteHandling.Door.allCases.map(\.rawValue))
      }
      writing.through = door
    }
    if line.optional("writesShown") != nil {
      let word = try line.text("writesShown")
      guard let shown = WriteHandling.Showing(rawValue: word) else {
        throw line.unknown(
          "way of showing", word, among: WriteHandling.Showing.allCases.map(\.rawValue))
      }
      writing.shown = shown
    }
    return writing
  }

  /// What the link does to the events of a client's own writes.
  static func readOwnEvents(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> EventTraffic? {
    guard let value = line.optional("ownEvents") else { return nil }
    var events = try RecordedLine(value, line: line.number)
    let most = Int64.max / 1_024
    let loss: Int = try events.integer("lossPerBillion", in: 0...1_000_000_000)
    let traffic = EventTraffic(
      delay: try events.integer("delay", in: 0...most),
      jitter: try events.integer("jitter", in: 0...most),
      loss: Double(loss) / SessionRecording.billion,
      activeEnd: try events.integer("activeEnd", in: 0...Int64.max / 4))
    try events.finish("the events of own writes")
    return traffic
  }

  /// Gives mutations the items of the writes that they tell of, and checks what named what is below it.
  mutating func finishWrites() throws(RecordingError) {
    var isHeard = [Bool](repeating: false, count: workload.writes.count)
    for heard in heardWrites {
      func failure(_ cause: String, _ remedy: String) -> RecordingError {
        RecordingError(line: heard.line, cause: cause, remedy: remedy)
      }
      guard Int(heard.write) < workload.writes.count else {
        throw failure(
          "`write` names no write of the \(workload.writes.count) in the recording",
          "write its line below the mutation")
      }
      let items = workload.writes[Int(heard.write)].items
      let isDeletion = workload.items[items.lowerBound].revision == MutationItem.deleted
      let kind = workload.mutations[heard.mutation].kind
      let isFit =
        isDeletion ? kind == .deleted : kind == (items.count == 1 ? .changed : .batchChanged)
      guard isFit, !workload.writes[Int(heard.write)].isRefused else {
        throw failure(
          "the mutation is not what write \(heard.write) does", "check its `kind`, and `refused`")
      }
      guard !isHeard[Int(heard.write)] else {
        throw failure("write \(heard.write) is told of twice", "remove one of the mutations")
      }
      isHeard[Int(heard.write)] = true
      workload.mutations[heard.mutation].items = items
    }
    guard let last = workload.writes.last, Int(last.client) >= workload.clients.count else {
      return
    }
    throw RecordingError(
      line: 1,
      cause: "a write is of client \(last.client), and there are \(workload.clients.count)",
      remedy: "check `client` of the lines of type write")
  }
}
