import RecordingCodec

/// The setting that includes bodies in a HAR file.
enum MissingBodies {
  static let remedy =
    "record with bodies: Chrome \"Save all as HAR with content\" right after the session, Firefox with "
    + "devtools.netmonitor.har.includeResponseBodies on, Playwright recordHar {content: \"embed\"}"
}

/// The result of the import of HAR files, in ten lines.
package struct ImportSummary: Hashable, Sendable {
  package private(set) var lines: [String] = []
  package private(set) var reads = 0
  package private(set) var repeated = 0
  package private(set) var forced = 0
  package private(set) var failed = 0
  package private(set) var unknown = 0
  package private(set) var served = 0
  package private(set) var writes = 0
  package private(set) var failedWrites = 0
  package private(set) var events = 0
  package private(set) var changes = 0
  package private(set) var entities = 0

  init() {}

  init(
    _ reader: HARReader, _ timeline: Timeline, _ inference: ChangeInference, _ model: SessionModel,
    _ options: HARImportOptions
  ) {
    let log = reader.log
    // By client: what another user read is no repeat.
    var seen: Set<UInt64> = []
    for (index, request) in timeline.requests.enumerated() {
      switch request.kind {
      case .query:
        reads += 1
        let read = UInt64(timeline.clients[index]) << 40 | UInt64(timeline.queries[index])
        if !seen.insert(read).inserted { repeated += 1 }
        forced += timeline.isForced[index] ? 1 : 0
        failed += request.outcome == .failed ? 1 : 0
        unknown += request.outcome == .unknown ? 1 : 0
        served += request.outcome == .served ? 1 : 0
      case .write:
        writes += 1
        failedWrites += request.outcome == .failed ? 1 : 0
      case .event: events += 1
      }
    }
    changes = inference.changes.filter { $0.state > 0 }.count
    entities = inference.states.prefix(log.entities.count).filter { !$0.isEmpty }.count

    let hosts = options.isAnonymous ? "" : ": \(Self.list(timeline.hosts))"
    let leftOut = Self.leftOut(
      log.excluded.merging([.hosts: timeline.excludedByHost]) { $0 + $1 })
    let count = log.requestCount + log.excluded.reduce(0) { $0 + $1.value }
    lines = [
      "Entries     \(Self.number(count)) read, \(Self.number(timeline.requests.count)) of the app's "
        + "data at \(Self.counted(timeline.hosts.count, "host"))\(hosts)",
      "Clients     \(timeline.clientFiles.count), restarted "
        + "\(Self.counted(timeline.restarts.reduce(0) { $0 + $1.count }, "time"))",
      "Queries     \(Self.number(timeline.forms.count)) in \(Self.counted(timeline.formNames.count, "form"))"
        + (options.isAnonymous
          ? "" : ": \(Self.list(model.recorded.queries.map(\.name)))"),
      types(log, inference, model),
      "Reads       \(Self.number(reads)), \(Self.percent(repeated, of: reads)) repeated, "
        + "\(Self.number(forced)) forced, \(Self.number(failed)) failed\(failed > 0 ? " (in simulations too)" : ""), "
        + "\(Self.number(unknown)) with unknown rows",
      "Writes      \(Self.number(writes)), \(Self.number(failedWrites)) failed; events \(Self.number(events))",
      "Changes     \(Self.number(changes)) of entities"
        + (model.viewCount > 0
          ? "; \(Self.counted(model.viewCount, "partial view"))" : ""),
      ignored(log, timeline, inference, options),
      "Left out    \(leftOut.isEmpty ? "nothing" : leftOut)",
      missing(reader),
    ]
  }

  private func types(
    _ log: TrafficLog, _ inference: ChangeInference, _ model: SessionModel
  ) -> String {
    var sums = [(count: Int, bytes: Int)](repeating: (0, 0), count: model.recorded.types.count)
    for (number, entity) in log.entities.enumerated() {
      guard let state = inference.states[number].last,
        let place = model.placeOfType[Int(entity.type)]
      else { continue }
      sums[place].count += 1
      sums[place].bytes += state.bytes
    }
    let texts = sums.indices.filter { sums[$0].count > 0 }.map { place in
      "\(model.recorded.types[place].name) \(Self.number(sums[place].count)) × "
        + "\(Self.number(sums[place].bytes / sums[place].count)) B"
    }
    return "Entities    \(Self.number(entities)): \(Self.list(texts))"
  }

  /// Returns the fields and parameters that are, or may be, irrelevant, and identities of several types.
  private func ignored(
    _ log: TrafficLog, _ timeline: Timeline, _ inference: ChangeInference,
    _ options: HARImportOptions
  ) -> String {
    func names(_ all: [String]) -> String {
      options.isAnonymous
        ? Self.number(all.count)
        : Self.list(
          all.map { TypeName.isCodePath($0) || $0 == "_" ? $0 : "one without a plain name" })
    }
    var texts: [String] = []
    if !timeline.ignoredParameters.isEmpty {
      texts.append(
        "parameters that never repeat, ignored (--keep-parameter): "
          + names(timeline.ignoredParameters))
    }
    let volatile = inference.repeats.filter {
      $0.value.all >= 3 && $0.value.all == $0.value.different
    }
    // A list that is the whole answer has no name.
    .keys.sorted().map { log.fieldNames[$0.name] }.filter { !$0.isEmpty }
    if !volatile.isEmpty {
      texts.append("fields that differ each time (--ignore-field): \(names(volatile))")
    }
    let shared = Self.sharedTypes(log, inference)
    if !shared.isEmpty {
      texts.append(
        "types that share identities, perhaps one type (--type): "
          + (options.isAnonymous
            ? Self.number(shared.count)
            : Self.list(
              shared.map { pair in
                pair.map { TypeName.isCode($0) ? $0 : "…" }.joined(separator: " and ")
              })))
    }
    texts += Self.doubts(log, timeline, options)
    return "Unclear     " + (texts.isEmpty ? "nothing" : texts.joined(separator: "; "))
  }

  /// Returns pairs of inferred types with a common identity that is not a number.
  private static func sharedTypes(_ log: TrafficLog, _ inference: ChangeInference) -> [[String]] {
    var typeOfID: [UInt64: Int32] = [:]
    var pairs: [[Int32]] = []
    for (number, entity) in log.entities.enumerated()
    where entity.isOpaque && !entity.isTypeNamed && !inference.states[number].isEmpty {
      if let other = typeOfID[entity.id] {
        let pair = [other, entity.type].sorted()
        if other != entity.type, !pairs.contains(pair), pairs.count < 20 { pairs.append(pair) }
      } else {
        typeOfID[entity.id] = entity.type
      }
    }
    return pairs.map { $0.map { log.types[$0] } }
  }

  /// Lists entries that are not the app's requests for data, by their reasons.
  static func leftOut(_ counts: [HAREntry.Exclusion: Int]) -> String {
    HAREntry.Exclusion.allCases.compactMap { reason in
      counts[reason].flatMap { $0 > 0 ? "\(reason.rawValue) \(number($0))" : nil }
    }.joined(separator: "; ")
  }

  private func missing(_ reader: HARReader) -> String {
    var texts: [String] = []
    if reader.missingBodies > 0 {
      texts.append(
        "\(Self.counted(reader.missingBodies, "answer")) without a body (\(MissingBodies.remedy))")
    }
    if reader.tooLargeBodies > 0 {
      texts.append("\(Self.counted(reader.tooLargeBodies, "answer")) too large to read")
    }
    if reader.damagedBodies > 0 {
      texts.append(
        "\(Self.counted(reader.damagedBodies, "answer")) whose JSON is damaged (\(reader.firstDamage))"
      )
    }
    if reader.silentStreams > 0 {
      texts.append(
        "\(Self.counted(reader.silentStreams, "stream")) of server-sent events without their data "
          + "(export HAR with sensitive data)")
    }
    if served > 0 {
      texts.append(
        "\(Self.counted(served, "read")) answered by the browser's cache (record with caches off: "
          + "\"Disable cache\" in the network panel)")
    }
    if repeated == 0 {
      texts.append("no read repeats, so no cache can help: record a longer session")
    }
    texts.append(
      "in every HAR file: reads that the app's own cache served (record with it off), and changes "
        + "that nobody read")
    return "Missing     " + texts.joined(separator: "; ")
  }

  // MARK: Words

  static func list(_ texts: [String]) -> String {
    texts.prefix(6).joined(separator: ", ") + (texts.count > 6 ? ", … (\(texts.count))" : "")
  }

  static func number(_ number: Int) -> String {
    var (digits, text) = (Array(String(number).utf8), "")
    while digits.count > 3 {
      text = "," + String(decoding: digits.suffix(3), as: UTF8.self) + text
      digits.removeLast(3)
    }
    return String(decoding: digits, as: UTF8.self) + text
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(number(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func percent(_ part: Int, of all: Int) -> String {
    all == 0 ? "0 %" : "\(part * 100 / all) %"
  }
}
