import CacheModel
import NormalizedCache
import Text

/// The text form of steps, one per line.
enum StepLine {
  static func line(_ step: Step) -> CaseLine {
    let verb = step.kind.rawValue
    switch step {
    case .publish(let server, let commit, let event, let telling):
      return publication(verb, server, commit, event, telling)
    case .restart(let server), .lag(let server), .cut(let server), .restore(let server),
      .heartbeat(let server),
      .serveReconcile(let server), .answerReconcile(let server), .failReconcile(let server),
      .tooOld(let server):
      return CaseLine(verb, ("server", "\(server)"))
    case .deliver(let event), .repeat(let event), .lose(let event):
      return CaseLine(verb, ("event", "\(event)"))
    case .serve(let target), .serveStale(let target):
      return CaseLine(verb, ("target", TargetName.text(target)))
    case .answer(let target, let index), .fail(let target, let index):
      return CaseLine(verb, ("target", TargetName.text(target)), ("index", "\(index)"))
    case .read(let key), .observe(let key), .leave(let key), .tag(let key), .untag(let key),
      .invalidate(let key):
      return CaseLine(verb, ("query", QueryName.text(key)))
    case .readEntity(let number):
      return CaseLine(verb, ("note", "\(number)"))
    case .invalidateTag(let tag):
      var line = CaseLine(verb, ("library", LibraryName.text(tag.library)))
      if let type = tag.resourceType {
        line.append("type", type == NoteSchema.taskType ? "task" : "note")
      }
      if let method = tag.method { line.append("method", "\(method.rawValue)") }
      return line
    case .clear(let library):
      return CaseLine(verb, ("library", LibraryName.text(library)))
    case .release(let percent):
      return CaseLine(verb, ("percent", "\(percent)"))
    case .wait(let milliseconds):
      return CaseLine(verb, ("milliseconds", "\(milliseconds)"))
    case .begin(let number, let server, let edits, let timeout):
      return CaseLine(
        verb, ("mutation", "\(number)"), ("server", "\(server)"),
        ("timeout", timeout.map(String.init) ?? "-"), ("edits", EditText.text(edits)))
    case .enqueue(let number, let server, let edits):
      return CaseLine(
        verb, ("mutation", "\(number)"), ("server", "\(server)"),
        ("edits", EditText.text(edits)))
    case .carryOut(let number, let event):
      return CaseLine(verb, ("mutation", "\(number)"), ("event", "\(event)"))
    case .rollBack(let number), .confirm(let number), .loseAnswer(let number),
      .reject(let number):
      return CaseLine(verb, ("mutation", "\(number)"))
    case .online(let isOnline):
      return CaseLine(verb, ("now", text(isOnline)))
    case .flush, .store, .written:
      return CaseLine(verb)
    case .refuse(let fault):
      return CaseLine(verb, ("fault", fault.rawValue))
    case .relaunch(let isWritten, let pause):
      return CaseLine(verb, ("written", text(isWritten)), ("milliseconds", "\(pause)"))
    }
  }

  private static func publication(
    _ verb: String, _ server: Int, _ commit: Commit, _ event: Int, _ telling: Telling
  ) -> CaseLine {
    var line = CaseLine(
      verb, ("server", "\(server)"), ("event", "\(event)"), ("told", text(telling)))
    switch commit {
    case .change(let writes):
      line.append("notes", NoteText.text(writes))
    case .delete(let numbers):
      line.append("notes", numbers.map(String.init).joined(separator: ","))
    case .bulk(let writes, let token):
      line.append("token", "\(token)")
      line.append("notes", NoteText.text(writes))
    case .partlyDecoded(let writes, let undecodable):
      line.append("undecodable", "\(undecodable)")
      line.append("notes", NoteText.text(writes))
    case .infrastructure:
      break
    }
    return line
  }

  // MARK: Reading

  static func step(_ line: CaseLine) throws(CaseError) -> Step {
    guard let kind = StepKind(rawValue: line.verb) else {
      throw line.error(
        "\"\(line.verb.excerpt)\" is no step",
        "steps are \(StepKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var line = line
    let step = try step(kind, &line)
    try line.end()
    return step
  }

  private static func step(_ kind: StepKind, _ line: inout CaseLine) throws(CaseError) -> Step {
    switch kind {
    case .change, .batch, .delete, .bulk, .partlyDecoded, .infrastructure:
      try publication(kind, &line)
    case .restart: .restart(server: try server(&line))
    case .cut: .cut(server: try server(&line))
    case .restore: .restore(server: try server(&line))
    case .heartbeat: .heartbeat(server: try server(&line))
    case .serveReconcile: .serveReconcile(server: try server(&line))
    case .answerReconcile: .answerReconcile(server: try server(&line))
    case .failReconcile: .failReconcile(server: try server(&line))
    case .tooOld: .tooOld(server: try server(&line))
    case .deliver: .deliver(event: try event(&line))
    case .repeat: .repeat(event: try event(&line))
    case .lose: .lose(event: try event(&line))
    case .serve: .serve(try target(&line))
    case .lag: .lag(server: try server(&line))
    case .serveStale: .serveStale(try target(&line))
    case .answer: .answer(try target(&line), index: try line.number("index", in: 0...1_000))
    case .fail: .fail(try target(&line), index: try line.number("index", in: 0...1_000))
    case .read: .read(try query(&line))
    case .observe: .observe(try query(&line))
    case .leave: .leave(try query(&line))
    case .tag: .tag(try query(&line))
    case .untag: .untag(try query(&line))
    case .invalidate: .invalidate(try query(&line))
    case .readEntity: .readEntity(try note(&line))
    case .invalidateTag: .invalidateTag(try tag(&line))
    case .clear: .clear(try library(&line))
    case .release: .release(percent: try line.number("percent", in: 0...100))
    case .wait: .wait(milliseconds: try line.number("milliseconds", in: 0...waitLimit))
    case .begin:
      .begin(
        mutation: try mutation(&line), server: try server(&line), try edits(&line),
        timeout: try line.optionalNumber("timeout", in: 0...waitLimit))
    case .enqueue:
      .enqueue(mutation: try mutation(&line), server: try server(&line), try edits(&line))
    case .online:
      .online(try flag("now", &line))
    case .rollBack: .rollBack(mutation: try mutation(&line))
    case .carryOut: .carryOut(mutation: try mutation(&line), event: try event(&line))
    case .confirm: .confirm(mutation: try mutation(&line))
    case .loseAnswer: .loseAnswer(mutation: try mutation(&line))
    case .reject: .reject(mutation: try mutation(&line))
    case .flush: .flush
    case .store: .store
    case .written: .written
    case .refuse: .refuse(try line.choice("fault", StorageFault.self))
    case .relaunch:
      .relaunch(
        isWritten: try flag("written", &line),
        pause: try line.number("milliseconds", in: 0...waitLimit))
    }
  }

  private static func text(_ flag: Bool) -> String { flag ? "yes" : "no" }

  private static func flag(_ name: String, _ line: inout CaseLine) throws(CaseError) -> Bool {
    try line.field(name, as: "yes|no") { ["yes": true, "no": false][$0] }
  }

  /// Smaller than the event numbers after the end of faults.
  private static let eventLimit = 1 << 29
  /// A hundred years.
  private static let waitLimit = 100 * 366 * 24 * 3_600 * 1_000

  private static func publication(
    _ kind: StepKind, _ line: inout CaseLine
  ) throws(CaseError) -> Step {
    let server = try server(&line)
    let number = try event(&line)
    let telling = try line.field("told", as: tellings.map(text).joined(separator: "|")) { name in
      tellings.first { text($0) == name }
    }
    let commit: Commit
    switch kind {
    case .delete:
      commit = .delete(
        try line.field("notes", as: "numbers of notes, separated by commas") { text in
          let numbers = text.split(separator: ",").map { Int($0) ?? -1 }
          return numbers.allSatisfy { NoteWorld.notes.contains($0) } ? numbers : nil
        })
    case .bulk:
      let token = try line.number("token", in: 0...Int.max)
      commit = .bulk(try writes(&line), token: UInt64(token))
    case .partlyDecoded:
      let undecodable = try line.number("undecodable", in: 0...100)
      commit = .partlyDecoded(try writes(&line), undecodable: undecodable)
    case .infrastructure:
      commit = .infrastructure
    default:
      commit = .change(try writes(&line))
    }
    return .publish(server: server, commit, event: number, telling)
  }

  private static func server(_ line: inout CaseLine) throws(CaseError) -> Int {
    try line.number("server", in: 0...2)
  }

  private static func event(_ line: inout CaseLine) throws(CaseError) -> Int {
    try line.number("event", in: 0...eventLimit)
  }

  private static func mutation(_ line: inout CaseLine) throws(CaseError) -> Int {
    try line.number("mutation", in: 0...Int(Int32.max))
  }

  private static func edits(_ line: inout CaseLine) throws(CaseError) -> [NoteEdit] {
    try line.field("edits", as: EditText.form) { EditText.edits($0) }
  }

  private static func note(_ line: inout CaseLine) throws(CaseError) -> Int {
    try line.field("note", as: "the number of a note") { text in
      Int(text).flatMap { NoteWorld.notes.contains($0) ? $0 : nil }
    }
  }

  private static func writes(_ line: inout CaseLine) throws(CaseError) -> [NoteWrite] {
    try line.field("notes", as: "number=folder:title:*|-:length, separated by commas") {
      NoteText.writes($0)
    }
  }

  private static func query(_ line: inout CaseLine) throws(CaseError) -> QueryKey {
    try line.field("query", as: QueryName.all.joined(separator: "|")) { QueryName.query($0) }
  }

  private static func target(_ line: inout CaseLine) throws(CaseError) -> FetchTarget {
    try line.field("target", as: "note:NUMBER|\(QueryName.all.joined(separator: "|"))") {
      TargetName.target($0)
    }
  }

  private static func library(_ line: inout CaseLine) throws(CaseError) -> LibraryID {
    try line.field("library", as: "test|other") { LibraryName.library($0) }
  }

  private static func tag(_ line: inout CaseLine) throws(CaseError) -> InvalidationTag {
    var tag = InvalidationTag(library: try library(&line))
    if let type = line.take("type") {
      tag.resourceType = type == "task" ? NoteSchema.taskType : NoteSchema.noteType
    }
    if let method = line.take("method") {
      guard let number = UInt16(method) else {
        throw line.error("method=\(method.excerpt) cannot be read", "write method=1|2|3|4")
      }
      tag.method = QueryMethod(rawValue: number)
    }
    return tag
  }

  // MARK: Delivery

  private static let tellings: [Telling] = [
    .lost, .sent, .whispered(namesLibrary: true), .whispered(namesLibrary: false), .confirmed,
  ]

  private static func text(_ telling: Telling) -> String {
    switch telling {
    case .lost: "lost"
    case .sent: "sent"
    case .whispered(true): "whispered"
    case .whispered(false): "whispered-anonymously"
    case .confirmed: "confirmed"
    }
  }
}
