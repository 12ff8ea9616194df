import CacheModel
import Text

extension SessionRecording {
  /// Whether all that happens in a workload can be written down.
  package static func canHold(_ workload: Workload) -> Bool {
    workload.clients.allSatisfy { $0.relaunches.isEmpty && $0.storageFaults.isEmpty }
      && workload.writes.isEmpty
  }

  /// The workload as bytes of JSON Lines, equal for equal workloads.
  package static func write(_ workload: Workload) -> [UInt8] {
    var json = JSONWriter()
    writeHeader(workload, &json)
    for key in workload.catalog.objects { writeObject(key, &json) }
    for revision in workload.catalog.revisions.prefix(workload.catalog.initialCount) {
      json.line {
        $0.member("line", "state")
        writeState(revision, workload.catalog, &$0)
      }
    }
    for query in workload.queries { writeQuery(query, &json) }
    for mutation in workload.mutations { writeMutation(mutation, workload, &json) }
    for (index, client) in workload.clients.enumerated() {
      writeClient(client, index, workload, &json)
    }
    return json.bytes
  }

  private static func writeHeader(_ workload: Workload, _ json: inout JSONWriter) {
    json.line { json in
      json.member("format", formatName)
      json.member("version", formatVersion)
      json.member("truth", workload.truth.rawValue)
      json.member("name", workload.name)
      json.member("seed", workload.seed)
      json.member("duration", workload.duration.wholeNanoseconds)
      if workload.warmUp > .zero { json.member("warmUp", workload.warmUp.wholeNanoseconds) }
      if !workload.pushesEvents { json.flag("withoutEvents") }
      if workload.saysNotModified { json.flag("notModified") }
      json.member("library", workload.library.rawValue.description)
      json.object("network") { json in
        json.member("minimumRoundTrip", workload.network.minimumRoundTrip)
        json.member("meanExtra", workload.network.meanExtra)
        if let rate = workload.network.bytesPerSecond { json.member("bytesPerSecond", rate) }
        json.member("seed", workload.network.seed)
      }
      json.object("retention") { json in
        json.member("events", workload.retention.events)
        json.member("age", workload.retention.age.wholeNanoseconds)
      }
    }
  }

  private static func writeObject(_ key: EntityKey, _ json: inout JSONWriter) {
    json.line { json in
      json.member("line", "object")
      if let kind = EntityKind(rawValue: key.type.rawValue) {
        json.member("type", kind.name)
      } else {
        json.member("type", key.type.rawValue)
      }
      json.member("id", key.id.description)
    }
  }

  /// The members of a state; those that say nothing are left out.
  private static func writeState(
    _ revision: Revision, _ catalog: Catalog, _ json: inout JSONWriter
  ) {
    json.member("object", revision.object)
    json.member("clock", revision.version.clock)
    json.member("device", revision.version.device)
    if revision.parent != Revision.noObject { json.member("parent", revision.parent) }
    if revision.location != Revision.noObject { json.member("location", revision.location) }
    if revision.name != 0 { json.member("name", LetterCode.decode(revision.name)) }
    if revision.modified != 0 { json.member("modified", revision.modified) }
    if revision.isMedia { json.flag("media") }
    json.member("bytes", revision.bytes)
    if revision.labelCount > 0 {
      json.array("labels") { for label in catalog.labels(of: revision) { $0.element(label) } }
    }
  }

  private static func writeQuery(_ query: QuerySpec, _ json: inout JSONWriter) {
    json.line { json in
      json.member("line", "query")
      json.member("method", query.kind.methodName)
      switch query.kind {
      case .directory, .album, .tag: json.member("subject", query.subject)
      case .search:
        let name = LetterCode.decode(query.subject)
        json.member("prefix", String(name.prefix(Int(query.prefixLength))))
      default: break
      }
      json.member("limit", query.limit)
      if let order = query.order { json.member("order", order.rawValue) }
    }
  }

  private static func writeMutation(
    _ mutation: Mutation, _ workload: Workload, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "mutation")
      json.member("at", mutation.at.nanoseconds)
      json.member("device", mutation.device)
      json.member("epoch", mutation.position.epoch)
      json.member("sequence", mutation.position.sequence)
      json.member("kind", mutation.kind.name)
      json.member("bytes", mutation.bytes)
      if mutation.version != .none {
        json.member("clock", mutation.version.clock)
        json.member("writer", mutation.version.device)
      }
      if case .bulkNotice(let location, let resourceType, let token) = mutation.kind {
        if let location { json.member("location", location) }
        if let resourceType { json.member("type", resourceType.rawValue) }
        json.member("token", token)
      }
      json.array("items") { json in
        for item in workload.items[mutation.items] {
          json.object {
            if item.revision == MutationItem.deleted {
              $0.member("object", item.object)
              $0.flag("deleted")
            } else {
              writeState(workload.catalog.revisions[Int(item.revision)], workload.catalog, &$0)
            }
          }
        }
      }
    }
  }

  private static func writeWindows(
    _ name: String, _ windows: [Range<Instant>], _ json: inout JSONWriter
  ) {
    json.array(name) { json in
      for window in windows {
        json.array {
          $0.element(window.lowerBound.nanoseconds)
          $0.element(window.upperBound.nanoseconds)
        }
      }
    }
  }

  private static func writeClient(
    _ client: ClientScript, _ index: Int, _ workload: Workload, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "client")
      json.member("name", client.name)
      writeWindows("partitions", client.partitions, &json)
      if !client.errors.isEmpty { writeWindows("errors", client.errors, &json) }
      if client.reaction != .none { json.member("reaction", client.reaction.rawValue) }
    }
    for (number, action) in client.actions.enumerated() {
      json.line { json in
        json.member("line", "action")
        json.member("client", index)
        json.member("at", action.at.nanoseconds)
        switch action.kind {
        case .read(let query): writeAction("read", query: query, &json)
        case .redraw(let query): writeAction("redraw", query: query, &json)
        case .observe(let query): writeAction("observe", query: query, &json)
        case .unobserve(let query): writeAction("unobserve", query: query, &json)
        case .tag(let query): writeAction("tag", query: query, &json)
        case .open(let object, let view):
          json.member("do", "open")
          json.member("object", object)
          if let view { json.member("query", view) }
        case .write: preconditionFailure("a recording has no place for writes, see `canHold`")
        }
        let read = ObservedRead(client: index, action: number)
        if let outcome = workload.recordedOutcomes[read] {
          json.member("outcome", outcome.rawValue)
        }
        if let result = workload.observedResults[read] { writeResult(result, &json) }
      }
    }
    for delivery in client.deliveries {
      json.line { json in
        json.member("line", "delivery")
        json.member("client", index)
        json.member("at", delivery.at.nanoseconds)
        if let sent = delivery.sentAt { json.member("sent", sent.nanoseconds) }
        if delivery.isOvertaken { json.flag("overtaken") }
        switch delivery.content {
        case .event(let mutation): json.member("mutation", mutation)
        case .heartbeat(let position):
          json.member("epoch", position.epoch)
          json.member("sequence", position.sequence)
        }
      }
    }
  }

  private static func writeAction(
    _ verb: String, query: UInt32, _ json: inout JSONWriter
  ) {
    json.member("do", verb)
    json.member("query", query)
  }

  private static func writeResult(_ result: ObservedResult, _ json: inout JSONWriter) {
    json.array("result") { json in
      for row in result.rows {
        json.array {
          $0.element(row.object)
          $0.element(row.version.clock)
          $0.element(row.version.device)
          $0.element(row.bytes)
        }
      }
    }
  }
}

extension EntityKind {
  /// The name in recordings.
  var name: String {
    switch self {
    case .file: "file"
    case .directory: "directory"
    case .album: "album"
    case .tag: "tag"
    case .location: "location"
    }
  }
}

extension Mutation.Kind {
  /// The name in recordings.
  var name: String {
    switch self {
    case .changed: "changed"
    case .batchChanged: "batch"
    case .deleted: "deleted"
    case .bulkNotice: "bulk-notice"
    case .infrastructure: "infrastructure"
    }
  }
}
