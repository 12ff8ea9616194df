import CacheModel
import Text

extension RecordingReader {
  mutating func readObject(_ line: inout RecordedLine) throws(RecordingError) {
    guard let id = UniqueID(try line.text("id")) else {
      throw line.failure("`id` is not a UUID", "write it as 8-4-4-4-12 hexadecimal digits")
    }
    let type: ResourceType
    switch try line.required("type") {
    case .string(let name) where !isOfFiles:
      let names = workload.model.types.map(\.name)
      guard let place = names.firstIndex(of: name) else {
        throw line.unknown("type of object", name, among: names)
      }
      type = DataModel.resourceType(ofType: place)
    case _ where !isOfFiles:
      throw line.failure("`type` is not a text", "name a type of the model")
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
    let (revision, words) = try readState(&line)
    guard current[Int(revision.object)] == nil else {
      throw line.failure("the object has two states at time zero", "remove one of them")
    }
    append(revision, words)
    workload.catalog.initialCount += 1
  }

  /// Reads the members of a state and stores its labels, or its references.
  ///
  /// - Returns: the state, and the words of its fields where its type is declared.
  mutating func readState(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> (Revision, words: [UInt64]) {
    guard isOfFiles else { return try readDeclaredState(&line) }
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
    return (revision, [])
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

  /// Adds a state, unless an app has told of it before: an answer may show what an event tells later.
  ///
  /// - Returns: its index in the catalog.
  @discardableResult
  mutating func append(_ revision: Revision, _ words: [UInt64]) -> UInt32 {
    let index = UInt32(truncatingIfNeeded: workload.catalog.revisions.count)
    if version > 1, workload.truth == .observed {
      let name = ObservedResult.Row(object: revision.object, version: revision.version, bytes: 0)
      if let known = told[name] {
        tellings.append(known)
        current[Int(revision.object)] = known
        return known
      }
      told[name] = index
    }
    tellings.append(index)
    if !isOfFiles {
      workload.catalog.valueStarts.append(
        UInt32(truncatingIfNeeded: workload.catalog.values.count))
      workload.catalog.values += words
    }
    current[Int(revision.object)] = index
    workload.catalog.revisions.append(revision)
    return index
  }

  mutating func readQuery(_ line: inout RecordedLine) throws(RecordingError) {
    let method = try line.text("method")
    let names = workload.model.shapes.map(\.name)
    guard let place = names.firstIndex(of: method) else {
      throw line.failure(
        "unknown method `\(ScenarioReader.shortened(method))`",
        "valid here: \(names.joined(separator: ", "))")
    }
    let shape = workload.model.shapes[place]
    var query = QuerySpec(
      kind: DataModel.kind(ofShape: place), subject: 0,
      limit: try line.integer("limit", in: 0...UInt32.max))
    if let type = shape.subjectType {
      let subject = try line.index("subject", of: workload.catalog.objects.count, "object")
      try check(subject, isOfType: type, "subject", line)
      query.subject = UInt64(subject)
    } else if shape.typedField != nil {
      let prefix = try line.text("prefix")
      guard let code = LetterCode.encode(prefix), !prefix.isEmpty else {
        throw line.failure("`prefix` is not one to twelve letters a to z", "shorten it")
      }
      query.subject = code
      query.prefixLength = UInt8(prefix.utf8.count)
    }
    if version > 1, line.optional("after") != nil { query.after = try readCursor(&line, shape) }
    if line.optional("order") != nil { query.order = try readOrder(&line) }
    workload.queries.append(query)
    lines.queries.append(line.number)
  }

  private func readOrder(_ line: inout RecordedLine) throws(RecordingError) -> ListOrder {
    let word = try line.text("order")
    // The order of a declared list is its model's.
    let known = ListOrder.allCases.filter { isOfFiles || $0 == .asShown }
    guard let order = ListOrder(rawValue: word), known.contains(order) else {
      throw line.unknown("order", word, among: known.map(\.rawValue))
    }
    guard order != .asShown || workload.truth == .observed else {
      throw line.failure(
        "the order `as-shown` stands in a session whose truth is known",
        "write `name` or `modified-descending`, or \"truth\":\"observed\" for an app's log")
    }
    return order
  }
}
