import CacheModel
import Text

extension RecordingReader {
  mutating func readObject(_ line: inout RecordedLine) throws(RecordingError) {
    guard let id = UniqueID(try line.text("id")) else {
      throw line.failure("`id` is not a UUID", "write it as 8-4-4-4-12 hexadecimal digits")
    }
    let type: ResourceType
    switch try line.required("type") {
    case .string(let name):
      guard let kind = EntityKind.allCases.first(where: { $0.name == name }) else {
        throw line.failure(
          "unknown type of object `\(ScenarioReader.shortened(name))`",
          "valid here: \(EntityKind.allCases.map(\.name).joined(separator: ", ")), or a number")
      }
      type = kind.resourceType
    case let value:
      type = ResourceType(rawValue: try line.integer(value, "type", in: 0...UInt16.max))
    }
    let key = EntityKey(type: type, id: id)
    guard keys.insert(key).inserted else {
      throw line.failure("the object occurs twice", "name it by its first number")
    }
    workload.catalog.objects.append(key)
    current.append(nil)
    wasDeleted.append(false)
  }

  mutating func readInitialState(_ line: inout RecordedLine) throws(RecordingError) {
    guard workload.mutations.isEmpty else {
      throw line.failure(
        "a state of time zero stands after a mutation", "move it before the first mutation")
    }
    let revision = try readState(&line)
    guard current[Int(revision.object)] == nil else {
      throw line.failure("the object has two states at time zero", "remove one of them")
    }
    append(revision)
    workload.catalog.initialCount += 1
  }

  /// Reads the members of a state and stores its labels.
  mutating func readState(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> Revision {
    let count = workload.catalog.objects.count
    func object(_ name: String) throws(RecordingError) -> UInt32 {
      guard let value = line.optional(name) else { return Revision.noObject }
      return try line.index(value, name, of: count, "object")
    }
    let number = try line.index("object", of: count, "object")
    var revision = Revision(
      object: number,
      version: Version(
        clock: try line.integer("clock", in: 0...UInt64.max),
        device: try line.integer("device", in: 0...UInt64.max)),
      parent: try object("parent"), location: try object("location"), name: 0,
      modified: try line.integer(
        "modified", in: Int64.min / 4...Int64.max / 4, default: 0),
      isMedia: try line.flag("media"), bytes: try line.integer("bytes", in: 0...Int32.max),
      labelStart: 0, labelCount: 0)
    if line.optional("name") != nil {
      guard let name = LetterCode.encode(try line.text("name")) else {
        throw line.failure(
          "`name` is not up to twelve letters a to z", "shorten it, or leave it out")
      }
      revision.name = name
    }
    if line.optional("labels") != nil {
      let labels = try line.array("labels").map { value throws(RecordingError) in
        try line.index(value, "labels", of: count, "object")
      }
      (revision.labelStart, revision.labelCount) = store(labels, of: number)
    }
    return revision
  }

  /// Labels that did not change keep their place in the catalog, as they had when they were drawn.
  private mutating func store(
    _ labels: [UInt32], of object: UInt32
  ) -> (start: UInt32, count: UInt32) {
    if let before = current[Int(object)] {
      let revision = workload.catalog.revisions[Int(before)]
      if workload.catalog.labels(of: revision).elementsEqual(labels) {
        return (revision.labelStart, revision.labelCount)
      }
    }
    guard !labels.isEmpty else { return (0, 0) }
    let start = UInt32(truncatingIfNeeded: workload.catalog.labels.count)
    workload.catalog.labels += labels
    return (start, UInt32(truncatingIfNeeded: labels.count))
  }

  mutating func append(_ revision: Revision) {
    current[Int(revision.object)] = UInt32(truncatingIfNeeded: workload.catalog.revisions.count)
    workload.catalog.revisions.append(revision)
  }

  mutating func readQuery(_ line: inout RecordedLine) throws(RecordingError) {
    let method = try line.text("method")
    guard let kind = QueryKind.allCases.first(where: { $0.methodName == method }) else {
      let names = QueryKind.allCases.map(\.methodName)
      throw line.failure(
        "unknown method `\(ScenarioReader.shortened(method))`",
        "valid here: \(names.joined(separator: ", "))")
    }
    var query = QuerySpec(
      kind: kind, subject: 0, limit: try line.integer("limit", in: 0...UInt32.max))
    switch kind {
    case .directory, .album, .tag:
      query.subject = UInt64(
        try line.index("subject", of: workload.catalog.objects.count, "object"))
    case .search:
      let prefix = try line.text("prefix")
      guard let code = LetterCode.encode(prefix), !prefix.isEmpty else {
        throw line.failure("`prefix` is not one to twelve letters a to z", "shorten it")
      }
      query.subject = code
      query.prefixLength = UInt8(prefix.utf8.count)
    default: break
    }
    if line.optional("order") != nil { query.order = try readOrder(&line) }
    workload.queries.append(query)
    lines.queries.append(line.number)
  }

  private func readOrder(_ line: inout RecordedLine) throws(RecordingError) -> ListOrder {
    let word = try line.text("order")
    guard let order = ListOrder(rawValue: word) else {
      throw line.unknown("order", word, among: ListOrder.allCases.map(\.rawValue))
    }
    guard order != .asShown || workload.truth == .observed else {
      throw line.failure(
        "the order `as-shown` stands in a session whose truth is known",
        "write `name` or `modified-descending`, or \"truth\":\"observed\" for an app's log")
    }
    return order
  }
}
