import CacheModel
import Text

/// What version 2 of the format adds: states of declared types, cursors, the ends of processes, answers.
extension RecordingReader {
  /// Whether the data are the library of files, whose states have members of their own.
  var isOfFiles: Bool { workload.model == .fileLibrary }

  mutating func readDeclaredState(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> (Revision, words: [UInt64]) {
    let object = try line.index("object", of: workload.catalog.objects.count, "object")
    let type = Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
    let revision = Revision(
      object: object,
      version: Version(
        clock: try line.integer("clock", in: 0...UInt64.max),
        device: try line.integer("device", in: 0...UInt64.max)),
      bytes: try line.integer("bytes", in: 0...Int32.max))
    var words = workload.model.blankWords(ofType: type)
    guard let given = line.optional("fields") else { return (revision, words) }
    var fields = try RecordedLine(given, line: line.number)
    for field in workload.model.types[type].fields {
      guard case .value(let slot) = field.storage, let value = fields.optional(field.name) else {
        continue
      }
      words[slot] = try word(value, field, of: object, slot, fields)
    }
    try fields.finish("an entity of type \(workload.model.types[type].name)")
    return (revision, words)
  }

  private mutating func word(
    _ value: JSONValue, _ field: ModelField, of object: UInt32, _ slot: Int, _ line: RecordedLine
  ) throws(RecordingError) -> UInt64 {
    let count = workload.catalog.objects.count
    switch field.content {
    case .integer, .time:
      return OrderedWord.of(
        try line.integer(value, field.name, in: Int64.min / 4...Int64.max / 4))
    case .text:
      guard case .string(let text) = value, let code = LetterCode.encode(text) else {
        throw line.failure(
          "`\(field.name)` is not up to twelve letters a to z", "shorten it, or leave it out")
      }
      return code
    case .flag:
      guard case .bool(let isSet) = value else {
        throw line.failure("`\(field.name)` is neither true nor false", "write one of them")
      }
      return isSet ? 1 : 0
    case .one(let type, _, _):
      let target = try line.index(value, field.name, of: count, "object")
      try check(target, isOfType: type, field.name, line)
      return UInt64(target)
    case .many(let type, _, _):
      guard case .array(let values) = value else {
        throw line.failure("`\(field.name)` is not a list", "write it in brackets")
      }
      let targets = try values.map { value throws(RecordingError) in
        let target = try line.index(value, field.name, of: count, "object")
        try check(target, isOfType: type, field.name, line)
        return target
      }
      return store(targets, of: object, slot: slot)
    }
  }

  /// References that did not change keep their place in the catalog.
  private mutating func store(_ list: [UInt32], of object: UInt32, slot: Int) -> UInt64 {
    if let before = current[Int(object)] {
      let start = Int(workload.catalog.valueStarts[Int(before)])
      let word = workload.catalog.values[start + slot]
      if workload.catalog.labels[LabelRange(word: word).indices].elementsEqual(list) { return word }
    }
    guard !list.isEmpty else { return 0 }
    let start = UInt32(truncatingIfNeeded: workload.catalog.labels.count)
    workload.catalog.labels += list
    return LabelRange(start: start, count: UInt32(truncatingIfNeeded: list.count)).word
  }

  /// Fails where an object of a declared type is not of the type that is wanted.
  func check(
    _ object: UInt32, isOfType type: Int, _ member: String, _ line: RecordedLine
  ) throws(RecordingError) {
    let own = workload.catalog.objects[Int(object)].type
    guard isOfFiles || own == DataModel.resourceType(ofType: type) else {
      throw line.failure(
        "`\(member)` names an object that is no \(workload.model.types[type].name)",
        "name one of that type")
    }
  }

  /// The state behind which a page begins.
  func readCursor(
    _ line: inout RecordedLine, _ shape: QueryShape
  ) throws(RecordingError) -> UInt32 {
    let number = try line.index("after", of: tellings.count, "state")
    let state = tellings[Int(number)]
    guard shape.isPaged else {
      throw line.failure("`\(shape.name)` has no pages", "remove `after`")
    }
    let object = workload.catalog.revisions[Int(state)].object
    let type = Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
    guard shape.types.contains(type) else {
      throw line.failure(
        "`after` names a state of what `\(shape.name)` does not list", "name a row of the list")
    }
    return state
  }

  // MARK: Processes and answers

  func readRelaunches(_ line: inout RecordedLine) throws(RecordingError) -> [Instant] {
    try Self.readInstants(&line, "relaunches", in: 0...end.nanoseconds)
  }

  /// Instants in order; none where the line does not say.
  static func readInstants(
    _ line: inout RecordedLine, _ member: String, in range: ClosedRange<Int64>
  ) throws(RecordingError) -> [Instant] {
    guard line.optional(member) != nil else { return [] }
    var instants: [Instant] = []
    for value in try line.array(member) {
      let at = Instant(nanoseconds: try line.integer(value, member, in: range))
      guard at >= instants.last ?? .zero else {
        throw line.failure("`\(member)` are out of order", "sort them")
      }
      instants.append(at)
    }
    return instants
  }

  func readStorageFaults(
    _ line: inout RecordedLine
  ) throws(RecordingError) -> [StorageRefusal] {
    guard line.optional("storageFaults") != nil else { return [] }
    var refusals: [StorageRefusal] = []
    for value in try line.array("storageFaults") {
      guard case .array(let parts) = value, parts.count == 3, case .string(let word) = parts[2]
      else {
        throw line.failure(
          "a part of `storageFaults` is not two times and a word", "write [from, to, \"full\"]")
      }
      guard let fault = StorageFault(rawValue: word) else {
        throw line.unknown("fault of a storage", word, among: StorageFault.allCases.map(\.rawValue))
      }
      let lower = try line.integer(parts[0], "storageFaults", in: 0...end.nanoseconds)
      let upper = try line.integer(parts[1], "storageFaults", in: 0...end.nanoseconds)
      guard lower < upper else {
        throw line.failure("a time in `storageFaults` ends before it begins", "write [from, to]")
      }
      refusals.append(
        StorageRefusal(
          during: Instant(nanoseconds: lower)..<Instant(nanoseconds: upper), fault: fault))
    }
    return refusals
  }

  mutating func readAnswer(_ line: inout RecordedLine) throws(RecordingError) {
    guard workload.answeredPolicy != nil else {
      throw line.failure(
        "an answer stands in a recording that names no policy",
        "say in the header whose requests were answered: \"policy\":\"my-app\"")
    }
    let client = Int(try line.index("client", of: workload.clients.count, "client"))
    let asked = Instant(nanoseconds: try line.integer("asked", in: 0...end.nanoseconds))
    let at = Instant(
      nanoseconds: try line.integer("at", in: asked.nanoseconds...Int64.max / 4))
    let target: RecordedAnswer.Target =
      if line.optional("object") != nil {
        .object(try line.index("object", of: workload.catalog.objects.count, "object"))
      } else {
        .query(try line.index("query", of: workload.queries.count, "query"))
      }
    var failure: RecordedAnswer.Failure?
    if line.optional("failure") != nil {
      let word = try line.text("failure")
      failure = RecordedAnswer.Failure(rawValue: word)
      if failure == nil {
        throw line.unknown(
          "failure", word, among: RecordedAnswer.Failure.allCases.map(\.rawValue))
      }
    }
    let bytes = failure == nil ? try line.integer("bytes", in: 0...Int.max / 4) : 0
    var answer = RecordedAnswer(
      asked: asked, at: at, target: target, bytes: bytes, failure: failure)
    if failure == nil {
      if line.optional("result") != nil { answer.result = try readResult(&line) }
      answer.hasMore = try line.flag("more")
      answer.isUnchanged = try line.flag("unchanged")
      if line.optional("epoch") != nil {
        answer.place = StreamPosition(
          epoch: try line.integer("epoch", in: 0...UInt32.max),
          sequence: try line.integer("sequence", in: 0...UInt64.max / 2))
      }
    }
    // An app knows an answer when it is there, and others may have been asked for since.
    let others = workload.clients[client].answers
    let place = others.lastIndex { $0.asked <= asked }.map { $0 + 1 } ?? 0
    workload.clients[client].answers.insert(answer, at: place)
  }

  /// What else an app does with its cache; `nil` where the verb names nothing of that.
  func readUpkeep(
    _ line: inout RecordedLine, _ verb: String
  ) throws(RecordingError) -> Upkeep? {
    switch verb {
    case "untag": .untag(query: try line.index("query", of: workload.queries.count, "query"))
    case "invalidate":
      .invalidate(query: try line.index("query", of: workload.queries.count, "query"))
    case "take":
      .take(
        query: try line.index("query", of: workload.queries.count, "query"),
        from: try line.index("from", of: workload.queries.count, "query"))
    case "clear": .clear
    case "release":
      .release(billionths: try line.integer("billionths", in: 0...1_000_000_000))
    default: nil
    }
  }

  /// Where a state stands in a list.
  mutating func readListedPlace(_ line: inout RecordedLine) throws(RecordingError) {
    guard let places = workload.places else {
      throw line.failure(
        "a place stands in a recording that tells none", "write \"places\":true into the header")
    }
    let at = try readTime(&line, after: places.last?.at)
    let query = try line.index("query", of: workload.queries.count, "query")
    let objects = workload.catalog.objects.count
    let row = ObservedResult.Row(
      object: try line.index("object", of: objects, "object"),
      version: Version(
        clock: try line.integer("clock", in: 0...UInt64.max),
        device: try line.integer("device", in: 0...UInt64.max)), bytes: 0)
    guard let state = told[row] else {
      throw line.failure(
        "no line before tells of this state of object \(row.object)", "write the state first")
    }
    var belonging = ListedPlace.Belonging.listed
    if line.optional("is") != nil {
      let word = try line.text("is")
      guard let known = ListedPlace.Belonging(rawValue: word) else {
        throw line.unknown(
          "place", word, among: ListedPlace.Belonging.allCases.map(\.rawValue))
      }
      belonging = known
    }
    var place = ListedPlace(at: at, query: query, state: state, belonging: belonging)
    if line.optional("after") != nil {
      place.after = try line.index("after", of: objects, "object")
    }
    if line.optional("before") != nil {
      place.before = try line.index("before", of: objects, "object")
    }
    workload.places?.append(place)
  }

  /// What the app could not record.
  mutating func readGap(_ line: inout RecordedLine) throws(RecordingError) {
    let word = try line.text("why")
    guard let cause = RecordingGap.Cause(rawValue: word) else {
      throw line.unknown(
        "cause of a gap", word, among: RecordingGap.Cause.allCases.map(\.rawValue))
    }
    workload.gaps.append(
      RecordingGap(
        at: Instant(nanoseconds: try line.integer("at", in: 0...end.nanoseconds)),
        lines: try line.integer("lines", in: 1...Int.max / 4), cause: cause))
  }
}
