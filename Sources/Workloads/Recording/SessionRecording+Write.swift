import CacheModel
import Text

extension SessionRecording {
  /// The first version that has a place for all that a workload holds.
  static func version(for workload: Workload) -> Int {
    let isPlain = workload.clients.allSatisfy {
      $0.relaunches.isEmpty && $0.storageFaults.isEmpty && $0.answers.isEmpty
        && !$0.actions.contains { if case .upkeep = $0.kind { true } else { false } }
    }
    let isWhole =
      workload.gaps.isEmpty && workload.places == nil && workload.mutations.allSatisfy(\.isPlaced)
    return isPlain && isWhole && workload.model == .fileLibrary && workload.writes.isEmpty ? 1 : 2
  }

  /// The workload as bytes of JSON Lines, equal for equal workloads.
  package static func write(_ workload: Workload) -> [UInt8] {
    var json = JSONWriter()
    writeHeader(workload, &json)
    for key in workload.catalog.objects { writeObject(key, workload.model, &json) }
    for revision in 0..<workload.catalog.initialCount {
      json.line {
        $0.member("line", "state")
        writeState(revision, workload, &$0)
      }
    }
    let version = version(for: workload)
    // A cursor names a state, which may be a mutation's.
    if version == 1 { for query in workload.queries { writeQuery(query, workload, &json) } }
    for mutation in workload.mutations { writeMutation(mutation, workload, &json) }
    for write in workload.writes { writeWrite(write, workload, &json) }
    if version > 1 { for query in workload.queries { writeQuery(query, workload, &json) } }
    for (index, client) in workload.clients.enumerated() {
      writeClient(client, index, workload, &json)
    }
    for place in workload.places ?? [] { writePlace(place, workload, &json) }
    for gap in workload.gaps {
      json.line { json in
        json.member("line", "gap")
        json.member("at", gap.at.nanoseconds)
        json.member("lines", gap.lines)
        json.member("why", gap.cause.rawValue)
      }
    }
    return json.bytes
  }

  private static func writeHeader(_ workload: Workload, _ json: inout JSONWriter) {
    json.line { json in
      json.member("format", formatName)
      let version = version(for: workload)
      json.member("version", version)
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
      guard version > 1 else { return }
      if let policy = workload.answeredPolicy { json.member("policy", policy) }
      if workload.places != nil { json.flag("places") }
      RecordedModel.write(workload.model, &json)
      if !workload.restarts.isEmpty {
        json.array("restarts") { for at in workload.restarts { $0.element(at.nanoseconds) } }
      }
      guard let events = workload.ownEvents else { return }
      json.object("ownEvents") { json in
        json.member("delay", events.delay)
        json.member("jitter", events.jitter)
        json.member("lossPerBillion", Int((events.loss * billion).rounded()))
        json.member("activeEnd", events.activeEnd)
      }
    }
  }

  /// Numbers of a recording are whole: a share is one of so many parts.
  static let billion = 1e9

  private static func writeObject(
    _ key: EntityKey, _ model: DataModel, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "object")
      if model != .fileLibrary {
        json.member("type", model.types[Int(key.type.rawValue) - 1].name)
      } else if let kind = EntityKind(rawValue: key.type.rawValue) {
        json.member("type", kind.name)
      } else {
        json.member("type", key.type.rawValue)
      }
      json.member("id", key.id.description)
    }
  }

  /// The members of a state; those that say nothing are left out.
  private static func writeState(
    _ number: Int, _ workload: Workload, _ json: inout JSONWriter
  ) {
    let catalog = workload.catalog
    let revision = catalog.revisions[number]
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
    if workload.model != .fileLibrary {
      json.object("fields") { writeFields(number, workload, &$0) }
    }
  }

  /// The fields of a declared type; those that are as nothing was set are left out.
  private static func writeFields(
    _ number: Int, _ workload: Workload, _ json: inout JSONWriter
  ) {
    let catalog = workload.catalog
    let object = Int(catalog.revisions[number].object)
    let type = Int(catalog.objects[object].type.rawValue) - 1
    for field in workload.model.types[type].fields {
      guard case .value = field.storage else { continue }
      catalog.write(field, of: UInt32(number), into: &json)
    }
  }

  private static func writeQuery(
    _ query: QuerySpec, _ workload: Workload, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "query")
      let shape = workload.model.shape(of: query.kind)
      json.member("method", shape?.name ?? query.kind.methodName)
      if shape?.hasSubject == true {
        json.member("subject", query.subject)
      } else if shape?.typedField != nil {
        let name = LetterCode.decode(query.subject)
        json.member("prefix", String(name.prefix(Int(query.prefixLength))))
      }
      json.member("limit", query.limit)
      if query.after != Revision.noObject { json.member("after", query.after) }
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
      if mutation.isPlaced {
        json.member("epoch", mutation.position.epoch)
        json.member("sequence", mutation.position.sequence)
      }
      json.member("kind", mutation.kind.name)
      json.member("bytes", mutation.bytes)
      if let origin = mutation.origin, origin != .watcher {
        json.member("origin", origin.rawValue)
      }
      if mutation.version != .none {
        json.member("clock", mutation.version.clock)
        json.member("writer", mutation.version.device)
      }
      if case .bulkNotice(let location, let resourceType, let token) = mutation.kind {
        if let location { json.member("location", location) }
        if let resourceType { json.member("type", resourceType.rawValue) }
        json.member("token", token)
      }
      if let write = mutation.write {
        json.member("write", write)
      } else {
        writeItems(mutation.items, workload, &json)
      }
    }
  }

  private static func writeItems(
    _ items: Range<Int>, _ workload: Workload, _ json: inout JSONWriter
  ) {
    json.array("items") { json in
      for item in workload.items[items] {
        json.object {
          if item.revision == MutationItem.deleted {
            $0.member("object", item.object)
            $0.flag("deleted")
          } else {
            writeState(Int(item.revision), workload, &$0)
          }
        }
      }
    }
  }

  private static func writeWrite(
    _ write: UserWrite, _ workload: Workload, _ json: inout JSONWriter
  ) {
    json.line { json in
      json.member("line", "write")
      json.member("client", write.client)
      if write.isCreation { json.flag("creation") }
      if write.isRefused { json.flag("refused") }
      writeItems(write.items, workload, &json)
    }
  }

  private static func writePlace(
    _ place: ListedPlace, _ workload: Workload, _ json: inout JSONWriter
  ) {
    let state = workload.catalog.revisions[Int(place.state)]
    json.line { json in
      json.member("line", "place")
      json.member("at", place.at.nanoseconds)
      json.member("query", place.query)
      json.member("object", state.object)
      json.member("clock", state.version.clock)
      json.member("device", state.version.device)
      if place.belonging != .listed { json.member("is", place.belonging.rawValue) }
      if let after = place.after { json.member("after", after) }
      if let before = place.before { json.member("before", before) }
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
