import CacheModel
import CacheSimulation
import Text
import Workloads

/// Writes the input of a cache as lines of JSON.
struct TurnLines: Sendable {
  private let workload: Workload
  private let order: VersionOrder
  /// Rows are usually sent repeatedly.
  private var rows = WrittenRows()
  /// Rows with a part only.
  private var parts = WrittenRows()
  /// Whether each line has a member unknown to version 1, as lines of a later version may have.
  var hasUnknownMembers = false

  init(_ workload: Workload) {
    self.workload = workload
    order = VersionOrder(of: workload)
  }

  func hello(_ launch: CacheLaunch) -> [UInt8] {
    let capacity = launch.capacity
    var json = JSONWriter()
    json.line { json in
      json.member("t", "hello")
      json.member("n", 0)
      json.member("at", launch.at.nanoseconds)
      json.member("protocol", 1)
      json.member("scenario", launch.scenario)
      json.member("client", launch.client)
      json.member("seed", launch.seed)
      json.member("membership", launch.membership.rawValue)
      json.array("features") { json in
        for feature in CacheFeature.allCases { json.element(feature.rawValue) }
      }
      json.object("capacity") { json in
        if let entities = capacity.entities { json.member("entities", entities) }
        if let bytes = capacity.bytes { json.member("bytes", bytes) }
        if let memory = capacity.memory { json.member("memory", memory) }
      }
      workload.model.writeDeclaration(&json)
      json.array("lists") { json in
        for query in workload.queries { json.object { write(query, &$0) } }
      }
      if !launch.stored.isEmpty {
        json.array("stored") { json in
          for text in launch.stored {
            json.array { json in
              json.element(text.key)
              json.element(text.value)
            }
          }
        }
      }
      writeUnknownMember(&json)
    }
    return json.bytes
  }

  private func write(_ query: QuerySpec, _ json: inout JSONWriter) {
    guard let shape = workload.model.shape(of: query.kind) else { return }
    json.member("query", shape.name)
    if shape.typedField != nil {
      let letters = LetterCode.decode(query.subject).prefix(Int(query.prefixLength))
      json.member("prefix", String(letters))
    } else if shape.subjectType != nil {
      json.member("subject", query.subject)
    }
    json.member("limit", query.limit)
    if query.after != Revision.noObject { json.member("after", query.after) }
  }

  mutating func line(_ turn: CacheTurn) -> [UInt8] {
    var json = JSONWriter()
    json.line { json in
      json.member("t", Self.word(of: turn.operation))
      json.member("n", turn.number)
      json.member("at", turn.at.nanoseconds)
      write(turn.operation, &json)
      writeUnknownMember(&json)
    }
    return json.bytes
  }

  private func writeUnknownMember(_ json: inout JSONWriter) {
    guard hasUnknownMembers else { return }
    json.object("laterVersion") { $0.array("unknown") { $0.element(1) } }
  }

  func end(turn: Int, at now: Instant) -> [UInt8] {
    var json = JSONWriter()
    json.line { json in
      json.member("t", "end")
      json.member("n", turn)
      json.member("at", now.nanoseconds)
    }
    return json.bytes
  }

  private static func word(of operation: CacheOperation) -> String {
    switch operation {
    case .read: "read"
    case .observe: "observe"
    case .unobserve: "unobserve"
    case .tag: "tag"
    case .open: "open"
    case .event: "event"
    case .heartbeat: "heartbeat"
    case .response: "response"
    case .link: "link"
    case .write: "write"
    case .answer: "response"
    case .wake: "wake"
    }
  }

  private mutating func write(_ operation: CacheOperation, _ json: inout JSONWriter) {
    switch operation {
    case .read(let query), .observe(let query), .unobserve(let query), .tag(let query):
      json.member("q", query)
    case .open(let object): json.member("object", object)
    case .event(let event): write(event, &json)
    case .heartbeat(let position): write(position, &json)
    case .response(let id, let response):
      json.member("id", id)
      write(response, &json)
    case .link(let isUp): json.member("up", isUp ? 1 : 0)
    case .write(let write): self.write(write, &json)
    case .answer(let token, let answer):
      json.member("token", token)
      write(answer, &json)
    case .wake: break
    }
  }

  private func write(_ position: StreamPosition, _ json: inout JSONWriter) {
    json.member("epoch", position.epoch)
    json.member("sequence", position.sequence)
  }

  private mutating func write(_ event: CacheOperation.Event, _ json: inout JSONWriter) {
    if let position = event.position { write(position, &json) }
    if let token = event.token { json.member("token", token) }
    write(event.keys, &json)
    switch event.content {
    case .changed(let rows): write(rows, &json)
    case .deleted(let objects, let version): write(deleted: objects, version, &json)
    case .mayHaveChanged(let type, let location):
      json.object("stale") { json in
        if let type { json.member("type", name(of: type)) }
        if let location { json.member("location", location) }
      }
    case .nothing: break
    }
    write(event.lists, &json)
  }

  private func write(_ lists: [ListChange], _ json: inout JSONWriter) {
    guard !lists.isEmpty else { return }
    json.array("lists") { json in
      for list in lists {
        json.object { json in
          json.member("q", list.query)
          switch list.content {
          case .unknown: json.flag("again")
          case .moved(let left, let entered):
            if !left.isEmpty {
              json.array("left") { json in for object in left { json.element(object) } }
            }
            guard !entered.isEmpty else { return }
            json.array("entered") { json in
              for entry in entered {
                json.array { json in
                  json.element(entry.object)
                  json.element(entry.place)
                }
              }
            }
          }
        }
      }
    }
  }

  private mutating func write(_ response: CacheOperation.Response, _ json: inout JSONWriter) {
    switch response {
    case .rows(let rows, let hasMore, let position):
      write(rows, &json)
      if hasMore { json.flag("more") }
      write(position, &json)
    case .notModified(let position):
      json.flag("notModified")
      write(position, &json)
    case .events(let events, let position):
      json.array("events") { json in for event in events { json.object { write(event, &$0) } } }
      write(position, &json)
    case .tooOld(let position):
      json.flag("tooOld")
      write(position, &json)
    case .unreachable: json.member("error", "unreachable")
    case .refused: json.member("error", "refused")
    }
  }

  private func write(_ write: CacheOperation.Write, _ json: inout JSONWriter) {
    json.member("token", write.token)
    if write.isSentOnce { json.flag("once") }
    json.array("edits") { json in
      for edit in write.edits {
        json.object { json in
          switch edit {
          case .change(let object, let state):
            json.array("change") { self.write(partsOf: state, as: object, order: 0, &$0) }
          case .create(let object, let state):
            json.array("create") { self.write(partsOf: state, as: object, order: 0, &$0) }
          case .delete(let object): json.member("delete", object)
          }
        }
      }
    }
  }

  private mutating func write(_ answer: CacheOperation.Answer, _ json: inout JSONWriter) {
    switch answer {
    case .confirmed(let confirmation):
      json.flag("confirmed")
      write(confirmation.rows, &json)
      if !confirmation.deleted.isEmpty {
        write(deleted: confirmation.deleted, confirmation.deletion, &json)
      }
      write(confirmation.keys, &json)
      write(confirmation.position, &json)
    case .unreachable: json.member("error", "unreachable")
    case .refused: json.member("error", "refused")
    }
  }

  private func write(_ keys: [CacheOperation.Key], _ json: inout JSONWriter) {
    guard !keys.isEmpty else { return }
    json.array("keys") { json in
      for key in keys {
        json.array { json in
          json.element(key.client)
          json.element(key.server)
        }
      }
    }
  }

  private func write(
    deleted objects: [UInt32], _ version: Version, _ json: inout JSONWriter
  ) {
    json.array("deleted") { json in for object in objects { json.element(object) } }
    json.member("order", order.number(of: version))
  }

  private mutating func write(_ rows: [SentRow], _ json: inout JSONWriter) {
    json.array("rows") { json in
      for row in rows {
        let revision = workload.catalog.revisions[Int(row.state)]
        // A server with users' writes may give a state another version.
        guard row.version == revision.version else {
          write(row, of: revision.object, &json)
          continue
        }
        if let text = row.isPart ? parts[row.state] : self.rows[row.state] {
          json.element(written: text)
        } else {
          var text = JSONWriter()
          write(row, of: revision.object, &text)
          json.element(written: text.bytes)
          if row.isPart {
            parts[row.state] = text.bytes[...]
          } else {
            self.rows[row.state] = text.bytes[...]
          }
        }
      }
    }
  }

  private func write(_ row: SentRow, of object: UInt32, _ json: inout JSONWriter) {
    json.array { json in
      let order = order.number(of: row.version)
      if row.isPart {
        write(summaryOf: row, as: object, order: order, &json)
      } else {
        write(partsOf: row.state, as: object, order: order, &json)
      }
    }
  }

  /// Writes a row as for a whole, with the bytes and fields of the part, followed by the view's name.
  private func write(
    summaryOf row: SentRow, as object: UInt32, order: Int, _ json: inout JSONWriter
  ) {
    let type = workload.catalog.objects[Int(object)].type
    let whole = Int(workload.catalog.revisions[Int(row.state)].bytes)
    let place = Int(type.rawValue) - 1
    let entityType =
      workload.model.types.indices.contains(place) ? workload.model.types[place] : nil
    json.element(object)
    json.element(name(of: type))
    json.element(row.served.version)
    json.element(order)
    json.element(entityType?.summary?.bytes(ofWhole: whole) ?? whole)
    json.object { json in
      for field in entityType?.summary?.fields ?? [] {
        guard let field = entityType?.fields[field] else { continue }
        workload.catalog.write(field, of: row.state, into: &json)
      }
    }
    json.element(CacheLaunch.summaryView)
  }

  /// Writes object, type, version, order of the version, bytes, and the fields that are set.
  ///
  /// The object has the client's number until the server has assigned one.
  private func write(
    partsOf state: UInt32, as object: UInt32, order: Int, _ json: inout JSONWriter
  ) {
    let revision = workload.catalog.revisions[Int(state)]
    let type = workload.catalog.objects[Int(revision.object)].type
    json.element(object)
    json.element(name(of: type))
    json.element(state)
    json.element(order)
    json.element(revision.bytes)
    json.object { write(fieldsOf: state, type, &$0) }
  }

  private func name(of type: ResourceType) -> String {
    let place = Int(type.rawValue) - 1
    let types = workload.model.types
    return types.indices.contains(place) ? types[place].name : "\(type.rawValue)"
  }

  private func write(fieldsOf state: UInt32, _ type: ResourceType, _ json: inout JSONWriter) {
    let place = Int(type.rawValue) - 1
    guard workload.model.types.indices.contains(place) else { return }
    for field in workload.model.types[place].fields {
      workload.catalog.write(field, of: state, into: &json)
    }
  }
}
