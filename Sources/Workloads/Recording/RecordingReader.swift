import CacheModel
import RecordingCodec

/// Builds a workload from the lines of a recording, checking each against earlier ones.
struct RecordingReader {
  var workload: Workload
  private let end: Instant
  var line: Int
  /// The latest state of each object; `nil` if it has none (yet, or any more).
  var current: [UInt32?] = []
  var wasDeleted: [Bool] = []
  private var keys: Set<EntityKey> = []
  /// Names that are not UUIDs; looked up, never iterated.
  private var names: Set<OwnName> = []
  private var queries: Set<QuerySpec> = []
  private let types: [TextKey: Int]
  private let shapes: [TextKey: Int]
  /// The mutations with users' writes, whose lines come later.
  var heardWrites: [HeardWrite] = []
  /// The last line with the author of a write, and the largest such client number.
  var lastAuthor: (client: UInt32, line: Int)?

  private struct OwnName: Hashable {
    var type: Int
    var id: TextKey
  }

  /// A mutation with a user's write, whose line comes later.
  struct HeardWrite {
    var mutation: Int
    var write: UInt32
    var line: Int
  }

  init(_ header: RecordingHeader, line: Int) throws(RecordingError) {
    self.line = line
    guard let truth = Truth(rawValue: header.truth) else {
      throw RecordingError(
        line: line, cause: "`truth` is neither known nor observed",
        remedy: "write \"observed\" for an app's log")
    }
    guard let library = UniqueID(header.library) else {
      throw RecordingError(
        line: line, cause: "`library` is not a UUID",
        remedy: "write it as 8-4-4-4-12 hexadecimal digits")
    }
    let network = NetworkModel(
      minimumRoundTrip: header.network.minimumRoundTrip, meanExtra: header.network.meanExtra,
      bytesPerSecond: header.network.bytesPerSecond, seed: header.network.seed)
    end = Instant(nanoseconds: header.duration)
    let model = try RecordedModelReader.read(header.model, line: line)
    if truth == .known, let shape = model.shapes.first(where: \.order.isEmpty) {
      throw RecordingError(
        line: line, cause: "the query `\(shape.name)` has no order, and the truth is known",
        remedy: "name one field, or two, or write \"truth\":\"observed\" for an app's log")
    }
    workload = Workload(
      name: header.name, seed: header.seed, duration: .nanoseconds(header.duration),
      library: LibraryID(rawValue: library), model: model,
      catalog: Catalog(objects: [], revisions: [], initialCount: 0, labels: []), queries: [],
      mutations: [], items: [], clients: [], network: network,
      retention: ServerRetention(
        events: header.retention.events, age: .nanoseconds(header.retention.age)))
    workload.truth = truth
    workload.warmUp = .nanoseconds(header.warmUp)
    workload.pushesEvents = !header.isWithoutEvents
    workload.saysNotModified = header.saysNotModified
    workload.answeredPolicy = header.policy
    workload.places = header.tellsPlaces ? [] : nil
    workload.restarts = header.serverRestarts
    workload.ownEvents = header.ownEvents.map { events in
      EventTraffic(
        delay: events.delay, jitter: events.jitter,
        loss: Double(events.lossPerBillion) / EventTraffic.billion, activeEnd: events.activeEnd)
    }
    types = Dictionary(
      model.types.enumerated().map { (TextKey($1.name), $0) },
      uniquingKeysWith: { first, _ in first })
    shapes = Dictionary(
      model.shapes.enumerated().map { (TextKey($1.name), $0) },
      uniquingKeysWith: { first, _ in first })
  }

  mutating func read(_ line: RecordingLine, _ number: Int) throws(RecordingError) {
    self.line = number
    switch line {
    case .object(let line): try read(line)
    case .state(let state): try read(state)
    case .query(let line): try read(line)
    case .mutation(let line): try read(line)
    case .write(let line): try read(line)
    case .client(let line): try read(line)
    case .action(let line): try read(line)
    case .delivery(let line): try read(line)
    case .answer(let line): try read(line)
    case .place(let place): try read(place)
    case .gap(let gap):
      try check(gap.at)
      workload.gaps.append(gap)
    }
  }

  /// Throws if anything is missing at the end of the file.
  mutating func finish(atLine number: Int) throws(RecordingError) {
    line = max(1, number)
    guard !workload.clients.isEmpty else {
      throw failure("the recording has no client", "check that the file is whole")
    }
    if let lastAuthor, Int(lastAuthor.client) >= workload.clients.count {
      line = lastAuthor.line
      throw failure(
        "`client` names no client of the \(workload.clients.count) in the recording",
        "numbers count from 0")
    }
    try finishWrites()
  }

  func failure(_ cause: String, _ remedy: String) -> RecordingError {
    RecordingError(line: line, cause: cause, remedy: remedy)
  }

  /// Checks that an element was introduced before.
  @discardableResult
  func check(
    _ number: UInt32?, _ member: String, _ what: String, of count: Int
  ) throws(RecordingError) -> Int {
    guard let number else { throw failure("`\(member)` is missing", "add it") }
    guard Int(number) < count else {
      throw failure(
        "`\(member)` names no \(what) of the \(count) before it",
        "write the \(what)'s own line first; numbers count from 0")
    }
    return Int(number)
  }

  @discardableResult
  func checkObject(_ number: UInt32?, _ member: String = "object") throws(RecordingError) -> Int {
    try check(number, member, "object", of: workload.catalog.objects.count)
  }

  func checkQuery(_ number: UInt32?, _ member: String = "query") throws(RecordingError) -> UInt32 {
    UInt32(truncatingIfNeeded: try check(number, member, "query", of: workload.queries.count))
  }

  func checkClient(_ number: UInt32) throws(RecordingError) -> Int {
    try check(number, "client", "client", of: workload.clients.count)
  }

  func checkState(_ number: UInt32, _ member: String) throws(RecordingError) {
    try check(number, member, "state", of: workload.catalog.revisions.count)
  }

  /// Checks a time, and that it is not before the last of its kind.
  func check(_ at: Instant, after last: Instant? = nil) throws(RecordingError) {
    guard at <= end else {
      throw failure(
        "`at` is out of range", "choose from 0 to \(end.nanoseconds), the header's `duration`")
    }
    guard at >= last ?? .zero else {
      throw failure("`at` is earlier than on the line before it", "write them in order of time")
    }
  }

  /// Reads a word of a vocabulary; if absent, the default.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ text: String?, _ member: String, or blank: Word
  ) throws(RecordingError) -> Word {
    guard let text else { return blank }
    guard let word = Word(rawValue: text) else {
      throw .unknown(
        "word in `\(member)`", text, among: Word.allCases.map(\.rawValue), line: line)
    }
    return word
  }

  // MARK: Objects, states and queries

  func type(named name: String) throws(RecordingError) -> Int {
    guard let place = types[TextKey(name)] else {
      throw .unknown("type", name, among: workload.model.types.map(\.name), line: line)
    }
    return place
  }

  private mutating func read(_ line: ObjectLine) throws(RecordingError) {
    let type = try type(named: line.type)
    let number = UInt64(workload.catalog.objects.count)
    // A name that is not a UUID gets its own number, above those that an app would draw.
    let id = UniqueID(line.id) ?? UniqueID(high: .max - 1, low: number)
    let key = EntityKey(type: DataModel.resourceType(ofType: type), id: id)
    let isNew =
      UniqueID(line.id) != nil || names.insert(OwnName(type: type, id: TextKey(line.id))).inserted
    guard keys.insert(key).inserted, isNew else {
      throw failure("the object occurs twice", "name it by its first number")
    }
    workload.catalog.objects.append(key)
    current.append(nil)
    wasDeleted.append(false)
  }

  private mutating func read(_ state: RecordedState) throws(RecordingError) {
    guard workload.mutations.isEmpty, workload.writes.isEmpty else {
      throw failure(
        "a `state` line is below a mutation or a write", "move it above the first of them")
    }
    guard current[try checkObject(state.object)] == nil else {
      throw failure("the object has two states at time zero", "remove one of them")
    }
    try append(state)
    workload.catalog.initialCount += 1
  }

  /// Adds a state to the catalog.
  @discardableResult
  mutating func append(_ state: RecordedState) throws(RecordingError) -> UInt32 {
    let object = try checkObject(state.object)
    let place = Int(workload.catalog.objects[object].type.rawValue) - 1
    let type = workload.model.types[place]
    var words = workload.model.blankWords(ofType: place)
    var revision = Revision(object: state.object, version: state.version, bytes: state.bytes)
    if let location = state.location {
      try checkObject(location, "location")
      revision.location = location
    }
    for given in state.fields {
      guard let field = type.field(named: given.name) else {
        throw .unknown(
          "field of `\(type.name)`", given.name, among: type.fields.map(\.name), line: line)
      }
      words[field.slot] = try word(given, field, ofObject: object)
    }
    let number = UInt32(truncatingIfNeeded: workload.catalog.revisions.count)
    workload.catalog.valueStarts.append(UInt32(truncatingIfNeeded: workload.catalog.values.count))
    workload.catalog.values += words
    current[object] = number
    workload.catalog.revisions.append(revision)
    return number
  }

  private mutating func word(
    _ given: RecordedState.Field, _ field: ModelField, ofObject object: Int
  ) throws(RecordingError) -> UInt64 {
    switch (field.content, given.value) {
    case (_, .number(let number)) where field.content.isNumber: return OrderedWord.of(number)
    case (.text, .text(let text)):
      guard let code = LetterCode.encode(text) else {
        throw failure(
          "`\(field.name)` is not up to twelve letters a to z", "shorten it, or leave it out")
      }
      return code
    case (.flag, .flag(let isSet)): return isSet ? 1 : 0
    case (.one(let type, _, _), .number(let number)):
      let target = UInt32(exactly: number) ?? Revision.noObject
      try check(target, isOfType: type, field.name)
      return UInt64(target)
    case (.many(let type, _, _), .references(let targets)):
      for target in targets { try check(target, isOfType: type, field.name) }
      return store(targets, field.slot, ofObject: object)
    default:
      throw failure("`\(field.name)` has another kind", "write \(field.content.kind.form)")
    }
  }

  /// Throws unless an object has the expected type.
  private func check(
    _ object: UInt32, isOfType type: Int, _ member: String
  ) throws(RecordingError) {
    let own = workload.catalog.objects[try checkObject(object, member)].type
    guard own == DataModel.resourceType(ofType: type) else {
      throw failure(
        "`\(member)` names an object that is not of type \(workload.model.types[type].name)",
        "name one of that type")
    }
  }

  /// Unchanged references keep their range in the catalog, as they had when they were generated.
  private mutating func store(
    _ list: [UInt32], _ slot: Int, ofObject object: Int
  ) -> UInt64 {
    if let before = current[object] {
      let former = workload.catalog.word(slot, of: before)
      if workload.catalog.labels[LabelRange(word: former).indices].elementsEqual(list) {
        return former
      }
    }
    guard !list.isEmpty else { return 0 }
    let start = UInt32(truncatingIfNeeded: workload.catalog.labels.count)
    workload.catalog.labels += list
    return LabelRange(start: start, count: UInt32(truncatingIfNeeded: list.count)).word
  }

  private mutating func read(_ line: QueryLine) throws(RecordingError) {
    guard let place = shapes[TextKey(line.name)] else {
      throw .unknown(
        "query", line.name, among: workload.model.shapes.map(\.name), line: self.line)
    }
    let shape = workload.model.shapes[place]
    var query = QuerySpec(kind: DataModel.kind(ofShape: place), subject: 0, limit: line.limit)
    if let type = shape.subjectType {
      guard let subject = line.subject else {
        throw failure("`subject` is missing", "name what `\(shape.name)` is asked about")
      }
      try check(subject, isOfType: type, "subject")
      query.subject = UInt64(subject)
    } else if shape.typedField != nil {
      guard let text = line.typed, let code = LetterCode.encode(text), !text.isEmpty else {
        throw failure("`typed` is not one to twelve letters a to z", "shorten it")
      }
      query.subject = code
      query.prefixLength = UInt8(text.utf8.count)
    }
    guard (line.subject == nil) == (shape.subjectType == nil),
      (line.typed == nil) == (shape.subjectType != nil || shape.typedField == nil)
    else {
      throw failure("`\(shape.name)` is about something else", "check `subject` and `typed`")
    }
    if let after = line.after {
      try checkState(after, "after")
      guard shape.isPaged else { throw failure("`\(shape.name)` has no pages", "remove `after`") }
      let object = workload.catalog.revisions[Int(after)].object
      let type = Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
      guard shape.types.contains(type) else {
        throw failure(
          "`after` names a state of what `\(shape.name)` does not list", "name a row of the list")
      }
      query.after = after
    }
    guard queries.insert(query).inserted else {
      throw failure("the query occurs twice", "name it by its first number")
    }
    workload.queries.append(query)
  }
}
