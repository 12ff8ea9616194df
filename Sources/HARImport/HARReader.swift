import Text

/// Reads HAR files into a ``TrafficLog``, one entry at a time.
package struct HARReader {
  let options: HARImportOptions
  private(set) var log = TrafficLog()
  private(set) var pages: [HARPage] = []
  private var splitter = HARSplitter()
  private var file: Int32 = 0
  private var pageNumbers: [UInt64: Int32] = [:]
  /// The number of missing bodies, if the file has any body.
  private(set) var missingBodies = 0
  private(set) var tooLargeBodies = 0
  /// The number of invalid JSON bodies, and the location of the first.
  private(set) var damagedBodies = 0
  private(set) var firstDamage = ""
  /// The number of server-sent event streams without recorded messages.
  private(set) var silentStreams = 0

  package init(_ options: HARImportOptions) { self.options = options }

  /// Processes the next bytes of a file.
  package mutating func consume(_ bytes: [UInt8]) throws(HARImportError) {
    var splitter = splitter
    try splitter.consume(bytes) { part throws(HARImportError) in
      switch part {
      case .entry(let bytes, let isCut): try read(bytes, isCut: isCut)
      case .pages(let bytes): try readPages(bytes)
      }
    }
    self.splitter = splitter
  }

  /// Ends a file; the next bytes belong to another.
  package mutating func finishFile() throws(HARImportError) {
    try splitter.finish()
    splitter = HARSplitter()
    pageNumbers = [:]
    log.entryCount = 0
    file += 1
  }

  /// Returns the requests, after all files were read.
  mutating func takeRequests() -> [LoggedRequest] { log.takeRequests() }

  private mutating func readPages(_ bytes: [UInt8]) throws(HARImportError) {
    let json: JSONValue
    do throws(JSONParser.Failure) {
      json = try JSONParser.parse(bytes[...], within: HAREntry.bounds)
    } catch {
      throw HARImportError("`log.pages` is damaged: \(error.cause)", "export the file again")
    }
    for page in json.elements ?? [] {
      guard let id = page["id"]?.text else { continue }
      let number = number(ofPage: id)
      pages[Int(number)].start = page["startedDateTime"]?.text.flatMap { WallTime.nanoseconds($0) }
    }
  }

  private mutating func number(ofPage id: String) -> Int32 {
    let print = Print.of(id)
    if let number = pageNumbers[print] { return number }
    let number = Int32(truncatingIfNeeded: pages.count)
    pageNumbers[print] = number
    pages.append(HARPage(file: file, start: nil))
    return number
  }

  private mutating func read(_ bytes: [UInt8], isCut: Bool) throws(HARImportError) {
    log.entryCount += 1
    guard let entry = try HAREntry.read(bytes, number: log.entryCount, isCut: isCut) else {
      return exclude(.foreign)
    }
    if entry.isImage, options.countsImages {
      return try log.append(request(entry, RequestIdentity(isWrite: false)))
    }
    if let exclusion = entry.exclusion { return exclude(exclusion, entry) }
    if !options.hosts.isEmpty, !options.hosts.contains(where: { entry.address.isOf($0) }) {
      return exclude(.hosts)
    }
    if entry.status == 101 || entry.resourceType == "websocket"
      || entry.mimeType == "text/event-stream" || entry.resourceType == "eventsource"
      || !entry.messages.isEmpty
    {
      return try readMessages(of: entry)
    }
    for read in options.reads where read.matches(entry.method, entry.address.path) {
      log.usedOptions.insert(read.option)
    }
    let identities = RequestIdentity.all(of: entry, reads: options.reads)
    guard !identities.isEmpty else { return exclude(.unreadable) }
    if entry.isBodyless, entry.isBeacon { return exclude(.beacons, entry) }
    try read(entry, identities)
  }

  private mutating func exclude(_ reason: HAREntry.Exclusion, _ entry: HAREntry? = nil) {
    log.excluded[reason, default: 0] += 1
    if let entry { log.excludedAddresses.insert(Print.of(entry.address.text)) }
  }

  // MARK: Requests

  private mutating func read(
    _ entry: HAREntry, _ identities: [RequestIdentity]
  ) throws(HARImportError) {
    var answer: JSONValue?
    if case .text(let bytes) = entry.body {
      let json = Self.json(in: bytes)
      do throws(JSONParser.Failure) {
        answer = try JSONParser.parse(json, within: Self.bodyBounds)
      } catch {
        // An incomplete body is useless, and only JSON is supported.
        if !entry.isJSON, entry.isSuccess { return exclude(.other, entry) }
        if entry.isJSON { noteDamage(error, in: entry, at: json.startIndex + error.offset) }
      }
    } else if case .none = entry.body, entry.isSuccess, entry.method == "GET", !entry.isJSON,
      ![204, 205, 304].contains(entry.status), entry.redirect == nil, !entry.mimeType.isEmpty
    {
      return exclude(.other, entry)
    } else if case .missing = entry.body, !entry.isJSON, !entry.mimeType.isEmpty,
      entry.mimeType != "x-unknown"
    {
      return exclude(.other, entry)
    }
    if let answer { log.noteWords(in: answer) }
    for (place, identity) in identities.enumerated() {
      var request = request(entry, identity)
      var own = answer
      if identities.count > 1 {
        own = answer?.elements.flatMap { place < $0.count ? $0[place] : nil }
      }
      try note(own, of: entry, identity, isWhole: answer != nil || entry.isBodyless, &request)
      try log.append(request)
    }
  }

  private mutating func noteDamage(_ error: JSONParser.Failure, in entry: HAREntry, at byte: Int) {
    damagedBodies += 1
    if firstDamage.isEmpty {
      firstDamage = "entry \(entry.number) at byte \(byte + 1) of its body: \(error.cause)"
    }
  }

  /// Returns a body without a byte order mark, and without the prefix that some servers use against script
  /// inclusion.
  private static func json(in body: [UInt8]) -> ArraySlice<UInt8> {
    let body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body[3...] : body[...]
    let text = body.drop { $0 <= 0x20 }
    for guardText in [")]}',", ")]}'", "])}while(1);</x>", "while(1);", "for(;;);"]
    where text.starts(with: guardText.utf8) {
      return text.dropFirst(guardText.utf8.count)
    }
    return body
  }

  /// The limits of a body, with fewer values than an entry, since both are in memory.
  static let bodyBounds = JSONParser.Bounds.lenient(depth: 64, values: 1_000_000)

  private mutating func note(
    _ answer: JSONValue?, of entry: HAREntry, _ identity: RequestIdentity, isWhole: Bool,
    _ request: inout LoggedRequest
  ) throws(HARImportError) {
    request.showsJSON = answer != nil
    let isGraphQL = identity.operation != nil
    if entry.redirect != nil {
      request.outcome = .redirected
    } else if !entry.isSuccess {
      request.outcome = .failed
      if let answer, isGraphQL, GraphQLAnswer.asksForText(answer) {
        request.outcome = .askedForText
      }
    } else if let answer, isGraphQL, GraphQLAnswer.asksForText(answer) {
      request.outcome = .askedForText
    } else if let answer, isGraphQL, GraphQLAnswer.isFailure(answer) {
      request.outcome = .failed
    } else if entry.status == 304, answer == nil {
      request.outcome = .unchanged
    } else if entry.isFromCache {
      request.outcome = .served
    } else if answer == nil, !isWhole || request.kind == .query && !entry.isBodyless {
      request.outcome = .unknown
      request.isBodyMissing = true
    }
    switch entry.body {
    case .missing where request.outcome == .unknown: missingBodies += 1
    case .tooLarge where request.outcome == .unknown: tooLargeBodies += 1
    default: break
    }
    if entry.method == "DELETE", request.outcome == .answered || request.outcome == .unknown,
      !isGraphQL,
      let id = entry.address.path.last,
      let type = TypeName.ofPath(entry.address.path, id: id)
    {
      request.deletion = Int32(log.deletions.count)
      log.deletions.append((type, id))
    }
    guard let answer, request.outcome == .answered else { return }
    (request.rows, request.own) = try log.note(
      EntityExtraction(
        of: answer, path: entry.address.path, operation: identity.operation, isGraphQL: isGraphQL,
        isJSONAPI: entry.mimeType == "application/vnd.api+json", options: options))
  }

  private mutating func request(_ entry: HAREntry, _ identity: RequestIdentity) -> LoggedRequest {
    var request = LoggedRequest()
    request.kind = identity.isWrite == true ? .write : .query
    (request.file, request.entry) = (file, Int32(truncatingIfNeeded: entry.number))
    request.page = entry.page.map { number(ofPage: $0) } ?? -1
    (request.start, request.end) = (entry.start, entry.end)
    request.host = log.hosts.number(of: entry.address.host)
    request.method = log.methods.number(of: entry.method)
    request.path = log.number(ofPath: entry.address.path)
    request.isHead = entry.method == "HEAD"
    request.body = identity.body
    request.bytes = entry.bytes
    request.address = Print.of(entry.address.text)
    if let redirect = entry.redirect {
      request.redirect = Print.of(entry.address.resolving(redirect))
    }
    if entry.isImage { request.outcome = .unknown }
    if let operation = identity.operation {
      request.operation = log.number(of: operation, isWrite: identity.isWrite)
      request.variables = operation.variables
    } else {
      let first = log.parameters.count
      for parameter in entry.address.parameters {
        log.parameters.append(
          (
            log.parameterNames.number(of: parameter.name), Print.of(parameter.value),
            CacheBuster.isClock(parameter.value, at: entry.start)
          ))
      }
      request.parameters = first..<log.parameters.count
    }
    return request
  }

  // MARK: Messages

  private mutating func readMessages(of entry: HAREntry) throws(HARImportError) {
    var messages = entry.messages
    if messages.isEmpty, case .text(let body) = entry.body {
      messages = SocketMessage.events(inBody: body)
    }
    guard !messages.isEmpty else {
      let isStream =
        entry.mimeType == "text/event-stream" || entry.resourceType == "eventsource"
      // Status 204 tells the browser not to reconnect.
      if isStream, entry.status == 200 { silentStreams += 1 }
      return exclude(.sockets)
    }
    let before = log.requestCount
    defer { if log.requestCount == before { exclude(.sockets) } }
    var begun: [String: (identity: RequestIdentity, at: Int64)] = [:]
    var latest = entry.start
    for message in messages {
      // Messages in a body have no times: each arrived between the beginning and the end.
      let at = max(message.at ?? entry.end, latest)
      let since = message.at == nil ? entry.start : at
      latest = at
      guard
        let json = try? JSONParser.parse(Array(message.text.utf8)[...], within: Self.bodyBounds)
      else { continue }
      switch GraphQLSocket.meaning(of: json) {
      case .nothing: break
      case .begun(let id, let payload):
        if let identity = RequestIdentity.operation(payload, isAtGraphQL: true) {
          begun[id] = (identity, at)
        }
      case .failed(let id):
        // No subscription is a read.
        guard let operation = begun.removeValue(forKey: id),
          let kind = operation.identity.operation?.text?.operations.first?.kind,
          kind != .subscription
        else { continue }
        try note(.null, operation.identity, entry, from: operation.at, to: at, hasFailed: true)
      case .result(let id, let payload):
        let operation = begun[id]
        let kind = operation?.identity.operation?.text?.operations.first?.kind
        if kind == .query || kind == .mutation { begun[id] = nil }
        let isEvent = kind != .query && kind != .mutation
        try note(
          payload, operation?.identity ?? RequestIdentity(isWrite: false), entry,
          from: isEvent ? since : operation?.at ?? at, to: at,
          hasFailed: GraphQLAnswer.isFailure(payload), isEvent: isEvent)
      case .other(let json):
        guard !message.isSent else { continue }
        try note(
          json, RequestIdentity(isWrite: false), entry, from: since, to: at, hasFailed: false,
          isEvent: true, isData: false)
      }
    }
  }

  /// Returns the subject of an app's own event by its name: `task.updated`, `taskUpdated`, `TASK_UPDATED`.
  private static func topic(of event: JSONValue) -> [String] {
    let members = ["type", "event", "topic", "channel", "kind", "action"]
    guard let text = members.lazy.compactMap({ event[$0]?.text }).first else { return [] }
    let bytes = Array(text.utf8)
    let isLoud = !bytes.contains { (0x61...0x7A).contains($0) }
    let end =
      bytes.indices.first { index in
        let isCapital = (0x41...0x5A).contains(bytes[index])
        let isLetter = isCapital || (0x61...0x7A).contains(bytes[index])
        return !isLetter || index > 0 && isCapital && !isLoud
      } ?? bytes.count
    return [String(decoding: bytes[..<end], as: UTF8.self).lowercased()]
  }

  private mutating func note(
    _ answer: JSONValue, _ identity: RequestIdentity, _ entry: HAREntry, from start: Int64,
    to end: Int64, hasFailed: Bool, isEvent: Bool = false, isData: Bool = true
  ) throws(HARImportError) {
    if isEvent, hasFailed { return }
    var request = request(entry, identity)
    (request.start, request.end) = (start, end)
    if isEvent { request.kind = .event }
    if hasFailed {
      request.outcome = .failed
    } else {
      log.noteWords(in: answer)
      let shown = EntityExtraction(
        of: answer, path: isData ? [] : Self.topic(of: answer), operation: identity.operation,
        isGraphQL: isData, options: options)
      // A message without entities is no event.
      if isEvent, shown.entities.isEmpty { return }
      request.outcome = .answered
      (request.rows, request.own) = try log.note(shown)
      request.bytes = shown.entities.reduce(2) { $0 + $1.bytes }
    }
    request.showsJSON = true
    try log.append(request)
  }
}

/// A page of a file: a navigation, or a tab.
struct HARPage: Hashable {
  var file: Int32
  /// Its start, if the file has it.
  var start: Int64?
}

extension HAREntry {
  /// Whether the answer should have no body.
  fileprivate var isBodyless: Bool { if case .none = body { true } else { false } }
}
