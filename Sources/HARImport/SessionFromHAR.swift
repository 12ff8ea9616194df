import CacheModel
package import RecordingCodec
import Text

/// A recording of the content of HAR files, with a summary.
///
/// It has no body, no text and no address: entities, states and queries are numbers. Its lines are created on
/// demand, so that those of a large file are never all in memory.
package struct SessionFromHAR {
  package private(set) var header = RecordingHeader()
  package private(set) var summary = ImportSummary()

  let log: TrafficLog
  let timeline: Timeline
  let options: HARImportOptions
  /// The entity that represents each, if two names of a type are the same.
  private let canonical: [Int32]
  let model: SessionModel
  let shown: ShownRows
  let evidence: [ChangeInference.Evidence]
  /// The number of each request's evidence; −1: none.
  let evidenceOfRequest: [Int32]
  let requestOfEvidence: [Int32]
  let inference: ChangeInference

  private let unknownBytes: [Int]

  // The state of writing.
  var objectOfEntity: [UInt32?] = []
  var stateNumbers: [[UInt32?]] = []
  private var stateCount: UInt32 = 0
  /// The contents of changed entities' parts, by state; looked up, never iterated.
  private var contents: [Int: [[Int64]]] = [:]
  private var firstQuery: [Int32: Int] = [:]
  var deliveries: [(client: UInt32, at: Instant, mutation: UInt32)] = []

  /// Creates a recording of the read files.
  ///
  /// - Throws: ``HARImportError`` if no answer contains an entity, with advice on recording.
  package init(_ reader: consuming HARReader) throws(HARImportError) {
    let requests = reader.takeRequests()
    (log, options) = (reader.log, reader.options)
    timeline = Timeline(consume requests, log, reader.pages, options)
    guard timeline.requests.contains(where: { !$0.rows.isEmpty }) else {
      throw Self.nothing(in: reader)
    }
    guard !timeline.forms.isEmpty else {
      throw HARImportError(
        "there are only writes and events, and no reads",
        "record what a user opens, or name reads with --reads")
    }
    let end = timeline.requests.lazy.map(\.end).max() ?? timeline.begin
    guard end - timeline.begin < Self.longest else {
      throw HARImportError(
        "its entries are more than fifty years apart", "check `startedDateTime` of the entries")
    }
    canonical = Self.canonical(log, timeline)
    shown = ShownRows(log, timeline, canonical)
    model = SessionModel(log, timeline, shown, options)
    (evidence, evidenceOfRequest, requestOfEvidence) = Self.evidence(timeline, canonical, log)
    unknownBytes = Self.unknownBytes(timeline)
    inference = ChangeInference(
      log, evidence, shown, entityCount: log.entities.count + timeline.forms.count)
    setHeader()
    summary = ImportSummary(reader, timeline, inference, model, options)
  }

  /// The maximum duration of a recording.
  private static let longest: Int64 = 50 * 366 * 86_400 * 1_000_000_000

  private static func nothing(in reader: HARReader) -> HARImportError {
    if reader.log.requestCount == 0, reader.log.excluded.isEmpty {
      return HARImportError("there are no entries", "open the network panel before the app")
    }
    if reader.log.requestCount == 0, reader.log.excluded[.hosts] != nil {
      return HARImportError(
        "no request went to \(reader.options.hosts.joined(separator: ", "))",
        "name a host of the file with --only, or leave it out to see which there are")
    }
    if reader.damagedBodies > 0 {
      return HARImportError(
        "no answer holds an entity, and the JSON of \(reader.damagedBodies) is damaged: "
          + reader.firstDamage,
        "export the file again, without compression of bodies")
    }
    if reader.missingBodies > 0 {
      return HARImportError(
        "no answer has its body, so nothing is known of any row", MissingBodies.remedy)
    }
    if reader.log.requestCount == 0 {
      return HARImportError(
        "no request is for data (left out: \(ImportSummary.leftOut(reader.log.excluded)))",
        "record the screens of the app that show data")
    }
    return HARImportError(
      "no answer holds an entity, which is a JSON object with an identity such as `id`",
      "name the host with --only, and its identity with --id")
  }

  // MARK: Rows

  /// Replaces entities of types that only messages name by those with the same identity in answers.
  private static func canonical(_ log: TrafficLog, _ timeline: Timeline) -> [Int32] {
    var isOfAnswers = [Bool](repeating: false, count: log.types.all.count)
    for request in timeline.requests where request.kind != .event {
      for sight in log.rows[request.rows] {
        guard let entity = log.sights[Int(sight)].entity else { continue }
        isOfAnswers[Int(log.entities[Int(entity)].type)] = true
      }
    }
    var byID: [UInt64: Int32] = [:]
    for (number, entity) in log.entities.enumerated() where isOfAnswers[Int(entity.type)] {
      // −1: several.
      byID[entity.id] = byID[entity.id] == nil ? Int32(truncatingIfNeeded: number) : -1
      let name = Print.of(entity.id, Print.of(TypeName.kind(log.types[entity.type])))
      byID[name] = byID[name] == nil ? Int32(truncatingIfNeeded: number) : -1
    }
    return log.entities.enumerated().map { number, entity in
      let own = Int32(truncatingIfNeeded: number)
      guard !isOfAnswers[Int(entity.type)], !entity.isTypeNamed else { return own }
      // Entities of several types may have the same number, unless a name says that the type is the same.
      let name = Print.of(entity.id, Print.of(TypeName.kind(log.types[entity.type])))
      let other = byID[name] ?? (entity.isOpaque ? byID[entity.id] ?? -1 : -1)
      return other >= 0 ? other : own
    }
  }

  private static func evidence(
    _ timeline: Timeline, _ canonical: [Int32], _ log: TrafficLog
  ) -> ([ChangeInference.Evidence], [Int32], [Int32]) {
    let order = timeline.requests.indices.sorted {
      (timeline.requests[$0].end, $0) < (timeline.requests[$1].end, $1)
    }
    var evidence: [ChangeInference.Evidence] = []
    var ofRequest = [Int32](repeating: -1, count: timeline.requests.count)
    var requests: [Int32] = []
    evidence.reserveCapacity(order.count)
    requests.reserveCapacity(order.count)
    // The last request with the content of each query, and the time of the last that had or confirmed it.
    var lastOfQuery = [Int?](repeating: nil, count: timeline.forms.count)
    var lastAsked = [Int64?](repeating: nil, count: timeline.forms.count)
    for index in order {
      let request = timeline.requests[index]
      let query = timeline.queries[index]
      var source = index
      if request.outcome == .unchanged {
        // It confirms the content of the last answer to the same query.
        guard query >= 0, let last = lastOfQuery[query] else { continue }
        source = last
      } else if request.outcome != .answered,
        // The content after a write is unknown, but the write itself is known.
        request.kind != .write || request.outcome != .unknown
      {
        continue
      }
      let own = Int32(truncatingIfNeeded: log.entities.count + max(0, query))
      var one = ChangeInference.Evidence(request, source: source, own: own)
      if request.kind == .query {
        one.asked = lastAsked[query]
      }
      if request.deletion >= 0 {
        let (type, id) = log.deletions[Int(request.deletion)]
        one.deletes = log.entity(type: type, id: id).map { canonical[Int($0)] }
      }
      if query >= 0 { (lastOfQuery[query], lastAsked[query]) = (source, request.start) }
      ofRequest[index] = Int32(evidence.count)
      evidence.append(one)
      requests.append(Int32(index))
    }
    return (evidence, ofRequest, requests)
  }

  // MARK: Lines

  func at(_ wallTime: Int64) -> Instant {
    Instant(nanoseconds: max(wallTime, timeline.begin) - timeline.begin)
  }

  private mutating func setHeader() {
    let ends = timeline.requests.lazy.map(\.end).max() ?? timeline.begin
    header.name = options.name
    header.library = "6861722d-696d-4f72-8000-000000000001"
    header.duration = max(1, ends - timeline.begin + options.viewDuration + 1)
    header.isWithoutEvents = !timeline.requests.contains { $0.kind == .event }
    header.network = network
    header.retention.events = 1_000_000
    header.retention.age = 1_000_000_000_000_000_000
    header.policy = "app"
    header.model = model.recorded
  }

  /// Passes all lines except the header, in order.
  package func forEachLine<E: Error>(
    _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    var writer = self
    writer.objectOfEntity = [UInt32?](repeating: nil, count: inference.states.count)
    writer.stateNumbers = inference.states.map {
      [UInt32?](repeating: nil, count: max(1, $0.count))
    }
    try writer.writeObjects(body)
    try writer.writeInitialStates(body)
    try writer.writeQueries(body)
    try writer.writeMutations(body)
    try writer.writeClients(body)
  }

  private var network: RecordingHeader.Network {
    let times = timeline.requests.lazy.filter {
      $0.outcome == .answered && $0.kind == .query && $0.end > $0.start
    }.map { $0.end - $0.start }.sorted()
    var network = RecordingHeader.Network()
    network.minimumRoundTrip = times.first ?? 50_000_000
    // Long polls would determine the mean.
    let usual = times.prefix(times.count - times.count / 20)
    let mean =
      usual.isEmpty ? 70e6 : usual.reduce(0) { $0 + Double($1) } / Double(usual.count)
    network.meanExtra = max(0, Int64(mean) - network.minimumRoundTrip)
    return network
  }

  private mutating func writeObjects<E: Error>(
    _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    var count: UInt32 = 0
    func append(_ entity: Int, _ type: String) throws(E) {
      guard objectOfEntity[entity] == nil else { return }
      objectOfEntity[entity] = count
      count += 1
      try body(.object(ObjectLine(type: type, id: "\(count)")))
    }
    for query in timeline.forms.indices {
      try append(log.entities.count + query, model.requestType)
    }
    for (number, one) in evidence.enumerated() {
      let query = timeline.queries[Int(requestOfEvidence[number])]
      var entities: [Int32] = []
      shown.forEachSight(of: one) { _, entity, _ in entities.append(entity) }
      if let entity = one.deletes { entities.append(entity) }
      for entity in entities {
        if query >= 0, firstQuery[entity] == nil { firstQuery[entity] = query }
        guard Int(entity) < log.entities.count else { continue }
        let place = model.placeOfType[Int(log.entities[Int(entity)].type)]
        guard let place else { continue }
        try append(Int(entity), model.recorded.types[place].name)
      }
    }
  }

  mutating func newState(_ entity: Int, _ number: Int) -> RecordedState {
    let states = inference.states[entity]
    let isOwn = entity >= log.entities.count
    let query = isOwn ? entity - log.entities.count : firstQuery[Int32(entity)]
    var bytes = number < states.count ? states[number].bytes : 1
    if isOwn, states.isEmpty { bytes = unknownBytes[query ?? 0] }
    var state = RecordedState(
      object: objectOfEntity[entity] ?? 0,
      version: Version(clock: UInt64(number) + 1, device: 1), bytes: Int32(clamping: max(1, bytes)))
    if let query, let object = objectOfEntity[log.entities.count + query] {
      state.fields.append(.init(SessionModel.member, .number(Int64(object))))
    }
    if contents[entity] == nil, states.count > 1 {
      let parts = isOwn ? [:] : model.parts[Int(log.entities[entity].type)]
      contents[entity] = PartContents.of(states, parts)
    }
    if let values = contents[entity], number < values.count {
      for (part, value) in values[number].enumerated() where value > 0 {
        state.fields.append(.init(SessionModel.partName(part), .number(value)))
      }
    }
    stateNumbers[entity][number] = stateCount
    stateCount += 1
    return state
  }

  /// Returns the sizes of answers with unknown rows, by query.
  private static func unknownBytes(_ timeline: Timeline) -> [Int] {
    var bytes = [Int](repeating: 1, count: timeline.forms.count)
    for (index, request) in timeline.requests.enumerated() where timeline.queries[index] >= 0 {
      if request.outcome == .unknown || request.outcome == .served {
        let query = timeline.queries[index]
        bytes[query] = max(bytes[query], request.bytes)
      }
    }
    return bytes
  }

  private mutating func writeInitialStates<E: Error>(
    _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    for entity in objectOfEntity.indices
    where objectOfEntity[entity] != nil && inference.isInitial[entity]
      && (entity >= log.entities.count || !inference.states[entity].isEmpty)
    {
      try body(.state(newState(entity, 0)))
    }
  }

  private func writeQueries<E: Error>(
    _ body: (RecordingLine) throws(E) -> Void
  ) throws(E) {
    var longest = [Int](repeating: 1_000, count: timeline.forms.count)
    for (number, one) in evidence.enumerated() {
      let query = timeline.queries[Int(requestOfEvidence[number])]
      if query >= 0 { longest[query] = max(longest[query], shown.count(of: one) + 1) }
    }
    for query in timeline.forms.indices {
      var line = QueryLine()
      line.name = model.recorded.queries[model.placeOfForm[timeline.forms[query]]].name
      line.subject = objectOfEntity[log.entities.count + query]
      line.limit = UInt32(clamping: longest[query])
      try body(.query(line))
    }
  }

  // MARK: Bytes

  package func bytes<E: Error>(_ write: ([UInt8]) throws(E) -> Void) throws(E) {
    var json = JSONWriter()
    RecordingCodec.write(header, to: &json)
    try forEachLine { (line) throws(E) in
      line.write(into: &json)
      if json.bytes.count > 1 << 20 {
        try write(json.bytes)
        json = JSONWriter()
      }
    }
    try write(json.bytes)
  }
}
