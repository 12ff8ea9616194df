import CacheModel
package import RecordingCodec
package import Text

struct RecordingWriter {
  private let workload: Workload
  private let types: [String]
  private(set) var json = JSONWriter()
  /// The number of states written so far: they are numbered in that order.
  private var told = 0

  init(_ workload: Workload) {
    self.workload = workload
    types = workload.model.types.map(\.name)
  }

  mutating func write() {
    RecordingCodec.write(header, to: &json)
    for key in workload.catalog.objects {
      write(.object(ObjectLine(type: types[Int(key.type.rawValue) - 1], id: key.id.description)))
    }
    for number in 0..<workload.catalog.initialCount { write(.state(state(number))) }
    told = workload.catalog.initialCount
    for mutation in workload.mutations { write(mutation) }
    for write in workload.writes {
      var line = WriteLine()
      line.client = write.client
      (line.isCreation, line.isRefused) = (write.isCreation, write.isRefused)
      line.items = items(write.items)
      self.write(.write(line))
    }
    // A cursor refers to a state, which may be a mutation's.
    for query in workload.queries { write(query) }
    for (number, client) in workload.clients.enumerated() { write(client, number) }
    for place in workload.places ?? [] { write(.place(place)) }
    for gap in workload.gaps { write(.gap(gap)) }
  }

  private mutating func write(_ line: RecordingLine) { line.write(into: &json) }

  private var header: RecordingHeader {
    var header = RecordingHeader()
    header.truth = workload.truth.rawValue
    header.name = workload.name
    header.seed = workload.seed
    header.duration = workload.duration.wholeNanoseconds
    header.warmUp = workload.warmUp.wholeNanoseconds
    header.isWithoutEvents = !workload.pushesEvents
    header.saysNotModified = workload.saysNotModified
    header.library = workload.library.rawValue.description
    header.network.minimumRoundTrip = workload.network.minimumRoundTrip
    header.network.meanExtra = workload.network.meanExtra
    header.network.bytesPerSecond = workload.network.bytesPerSecond
    header.network.seed = workload.network.seed
    header.retention.events = workload.retention.events
    header.retention.age = workload.retention.age.wholeNanoseconds
    header.policy = workload.answeredPolicy
    header.tellsPlaces = workload.places != nil
    header.model = RecordedModel(workload.model)
    header.serverRestarts = workload.restarts
    header.ownEvents = workload.ownEvents.map { events in
      var own = RecordingHeader.OwnEvents()
      (own.delay, own.jitter) = (events.delay, events.jitter)
      own.lossPerBillion = Int((events.loss * EventTraffic.billion).rounded())
      own.activeEnd = events.activeEnd
      return own
    }
    return header
  }

  private func state(_ number: Int) -> RecordedState {
    let catalog = workload.catalog
    let revision = catalog.revisions[number]
    var state = RecordedState(
      object: revision.object, version: revision.version, bytes: revision.bytes)
    if revision.location != Revision.noObject { state.location = revision.location }
    let type = Int(catalog.objects[Int(revision.object)].type.rawValue) - 1
    state.fields = workload.model.types[type].fields.compactMap {
      catalog.recorded($0, of: UInt32(number))
    }
    return state
  }

  private mutating func items(_ range: Range<Int>) -> [RecordedItem] {
    workload.items[range].map { item in
      if item.revision == MutationItem.deleted { return .deleted(object: item.object) }
      guard Int(item.revision) >= told else { return .known(item.revision) }
      told += 1
      return .state(state(Int(item.revision)))
    }
  }

  private mutating func write(_ query: QuerySpec) {
    var line = QueryLine()
    let shape = workload.model.shape(of: query.kind)
    line.name = shape?.name ?? ""
    if shape?.hasSubject == true {
      line.subject = UInt32(truncatingIfNeeded: query.subject)
    } else if shape?.typedField != nil {
      line.typed = String(LetterCode.decode(query.subject).prefix(Int(query.prefixLength)))
    }
    line.limit = query.limit
    if query.after != Revision.noObject { line.after = query.after }
    write(.query(line))
  }

  private mutating func write(_ mutation: Mutation) {
    var line = MutationLine()
    (line.at, line.since, line.device) = (mutation.at, mutation.since, mutation.device)
    line.position = mutation.isPlaced ? mutation.position : nil
    line.kind = mutation.kind.recorded
    if case .bulkNotice(let location, let type, let token) = mutation.kind {
      (line.location, line.token) = (location, token)
      line.type = type.map { types[Int($0.rawValue) - 1] }
    }
    line.bytes = mutation.bytes
    line.origin = mutation.origin == .watcher ? nil : mutation.origin
    line.carries = mutation.carries == .whole ? nil : mutation.carries
    (line.version, line.client, line.write) = (mutation.version, mutation.author, mutation.write)
    if mutation.write == nil { line.items = items(mutation.items) }
    write(.mutation(line))
  }

  // MARK: Clients

  private mutating func write(_ client: ClientScript, _ number: Int) {
    var line = ClientLine()
    line.name = client.name
    (line.partitions, line.errors) = (client.partitions, client.errors)
    line.reaction = client.reaction == .none ? nil : client.reaction.rawValue
    let usual = WriteHandling()
    if client.writing.through != usual.through {
      line.writesThrough = client.writing.through.rawValue
    }
    if client.writing.shown != usual.shown { line.writesShown = client.writing.shown.rawValue }
    (line.silences, line.appRestarts) = (client.silences, client.relaunches)
    line.storageFaults = client.storageFaults
    write(.client(line))
    let client32 = UInt32(truncatingIfNeeded: number)
    for answer in client.answers { write(.answer(AnswerLine(client: client32, answer))) }
    for (action, what) in client.actions.enumerated() {
      let name = ObservedRead(client: number, action: action)
      var line = ActionLine(what)
      line.client = client32
      line.outcome = workload.recordedOutcomes[name]
      line.result = workload.observedResults[name]
      write(.action(line))
    }
    for delivery in client.deliveries {
      var line = DeliveryLine()
      line.client = client32
      (line.at, line.sent, line.isOvertaken) = (delivery.at, delivery.sentAt, delivery.isOvertaken)
      switch delivery.content {
      case .event(let mutation): line.mutation = mutation
      case .heartbeat(let position): line.position = position
      }
      write(.delivery(line))
    }
  }
}

extension ActionLine {
  fileprivate init(_ action: SessionAction) {
    self.init()
    at = action.at
    switch action.kind {
    case .read(let query): (verb, self.query) = (.read, query)
    case .redraw(let query): (verb, self.query) = (.redraw, query)
    case .observe(let query): (verb, self.query) = (.observe, query)
    case .unobserve(let query): (verb, self.query) = (.unobserve, query)
    case .tag(let query): (verb, self.query) = (.pin, query)
    case .open(let object, let view): (verb, self.object, query) = (.open, object, view)
    case .write(let write): (verb, self.write) = (.write, write)
    case .maintenance(.untag(let query)): (verb, self.query) = (.unpin, query)
    case .maintenance(.invalidate(let query)): (verb, self.query) = (.invalidate, query)
    case .maintenance(.take(let query, let longer)):
      (verb, self.query, from) = (.take, query, longer)
    case .maintenance(.clear): verb = .clear
    case .maintenance(.release(let billionths)): (verb, self.billionths) = (.release, billionths)
    }
  }
}

extension Mutation.Kind {
  fileprivate var recorded: MutationLine.Kind {
    switch self {
    case .changed: .changed
    case .batchChanged: .batch
    case .deleted: .deleted
    case .bulkNotice: .bulkNotice
    case .infrastructure: .infrastructure
    }
  }

  /// The word in recordings.
  package var name: String { recorded.rawValue }
}

extension EventTraffic {
  /// Numbers of a recording are whole: shares are in billionths.
  static let billion = 1e9
}

extension DataModel {
  package func writeDeclaration(_ json: inout JSONWriter) { RecordedModel(self).write(into: &json) }
}

extension RecordedModel {
  init(_ model: DataModel) {
    self.init()
    types = model.types.map { type in
      var recorded = RecordedType()
      recorded.name = type.name
      recorded.fields = type.fields.map { RecordedField($0, model) }
      recorded.views = type.summary.map { [RecordedView($0, of: type)] } ?? []
      return recorded
    }
    queries = model.shapes.map { RecordedQuery($0, model) }
  }
}

extension RecordedField {
  fileprivate init(_ field: ModelField, _ model: DataModel) {
    self.init()
    name = field.name
    holds = Holding(field.content)
    to = field.target.map { model.types[$0].name }
    if case .one(_, _, true) = field.content { cascades = true }
  }
}

extension RecordedField.Holding {
  init(_ content: ModelField.Content) {
    switch content {
    case .integer: self = .integer
    case .time: self = .time
    case .text: self = .text
    case .flag: self = .flag
    case .one: self = .reference
    case .many: self = .references
    }
  }
}

extension RecordedView {
  /// The name of a type's only view in a model.
  static let summary = "summary"

  fileprivate init(_ summary: EntitySummary, of type: EntityType) {
    self.init()
    name = Self.summary
    shows = summary.fields.map { type.fields[$0].name }
    switch summary.size {
    case .fixed(let size): bytes = size
    case .share(let share): millionths = share
    }
  }
}

extension RecordedQuery {
  fileprivate init(_ shape: QueryShape, _ model: DataModel) {
    self.init()
    name = shape.name
    lists = shape.types.map { model.types[$0].name }
    conditions = shape.conditions.map { RecordedCondition($0, isAboutMe: shape.isAboutMe) }
    order = shape.order.map { ordering in
      var order = RecordedOrder()
      (order.field, order.isDescending) = (ordering.member.name, ordering.isDescending)
      return order
    }
    rows = shape.rows
    isPaged = shape.isPaged
    cachedFrom = shape.cachedFrom
    shows = shape.showsSummaries ? RecordedView.summary : nil
    reportClass = shape.reportClass == shape.name ? nil : shape.reportClass
  }
}

extension RecordedCondition {
  fileprivate init(_ condition: QueryShape.Condition, isAboutMe: Bool) {
    self.init()
    let subject = isAboutMe ? "me" : "subject"
    switch condition {
    case .isSubject(let member): (field, isWord) = (member.name, subject)
    case .includesSubject(let member): (field, includes) = (member.name, subject)
    case .isSubjectItself: id = subject
    case .beginsWithTyped(let member): (field, begins) = (member.name, "typed")
    case .flag(let member, let isSet): (field, isWord) = (member.name, isSet ? "set" : "unset")
    case .compares(let member, let comparison, let constant):
      (field, compares, to) = (member.name, comparison.rawValue, constant)
    }
  }
}

/// Recordings of workloads, to be stored, exchanged and simulated again.
///
/// `Documentation/RecordingFormat.md` describes the format; ``RecordingCodec`` implements its bytes.
package enum SessionRecording {
  /// Reads a recording.
  ///
  /// Every number is checked against earlier lines, so that the simulation need not. O(bytes) in time and
  /// memory.
  package static func read(_ bytes: [UInt8]) throws(RecordingError) -> Workload {
    var reader: RecordingReader?
    let last = try RecordingCodec.read(bytes) { header, number throws(RecordingError) in
      reader = try RecordingReader(header, line: number)
    } next: { line, number throws(RecordingError) in
      try reader?.read(line, number)
    }
    guard var reader else { preconditionFailure("a recording that was read has a header") }
    try reader.finish(atLine: last)
    return reader.workload
  }

  /// Returns the workload as bytes of JSON Lines, equal for equal workloads.
  package static func write(_ workload: Workload) -> [UInt8] {
    var writer = RecordingWriter(workload)
    writer.write()
    return writer.json.bytes
  }
}
