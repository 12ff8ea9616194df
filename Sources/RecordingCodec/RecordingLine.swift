package import CacheModel
package import Text

/// A line of a recording after its header.
///
/// Lines refer to each other by number: the first `object` line is object 0, and so on for states (including
/// those of mutations and writes), queries, mutations, writes and clients.
package enum RecordingLine: Hashable, Sendable {
  case object(ObjectLine)
  case state(RecordedState)
  case query(QueryLine)
  case mutation(MutationLine)
  case write(WriteLine)
  case client(ClientLine)
  case action(ActionLine)
  case delivery(DeliveryLine)
  case answer(AnswerLine)
  case place(ListedPlace)
  case gap(RecordingGap)

  enum Kind: String, CaseIterable {
    case object, state, query, mutation, write, client, action, delivery, answer, place, gap
  }

  package func write(into json: inout JSONWriter) {
    func write(_ kind: Kind, _ members: some RecordedMembers) {
      MemberCoder.write(Line(kind: kind, members: members), to: &json)
      json.endLine()
    }
    switch self {
    case .object(let line): write(.object, line)
    case .state(let line): write(.state, line)
    case .query(let line): write(.query, line)
    case .mutation(let line): write(.mutation, line)
    case .write(let line): write(.write, line)
    case .client(let line): write(.client, line)
    case .action(let line): write(.action, line)
    case .delivery(let line): write(.delivery, line)
    case .answer(let line): write(.answer, line)
    case .place(let line): write(.place, line)
    case .gap(let line): write(.gap, line)
    }
  }

  init(reading json: JSONValue, line: Int) throws(RecordingError) {
    func read<Members>(_ kind: Kind) throws(RecordingError) -> Members
    where Members: RecordedMembers {
      let line: Line<Members> = try MemberCoder.read(
        json, line: line, "a line of type \(kind.rawValue)")
      return line.members
    }
    var coder = try MemberCoder(reading: json, line: line)
    var kind = Kind.object
    try coder.word("line", &kind)
    switch kind {
    case .object: self = .object(try read(kind))
    case .state: self = .state(try read(kind))
    case .query: self = .query(try read(kind))
    case .mutation: self = .mutation(try read(kind))
    case .write: self = .write(try read(kind))
    case .client: self = .client(try read(kind))
    case .action: self = .action(try read(kind))
    case .delivery: self = .delivery(try read(kind))
    case .answer: self = .answer(try read(kind))
    case .place: self = .place(try read(kind))
    case .gap: self = .gap(try read(kind))
    }
  }

  /// The members of a line with its kind.
  private struct Line<Members: RecordedMembers>: RecordedMembers {
    var kind = Kind.object
    var members = Members()

    mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
      try coder.word("line", &kind)
      try members.code(&coder)
    }
  }
}

package struct ObjectLine: RecordedMembers {
  package var type = ""
  /// A UUID, or any other text that is unique within its type.
  package var id = ""

  package init() {}
  package init(type: String, id: String) {
    self.type = type
    self.id = id
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.text("type", &type)
    try coder.text("id", &id, atMost: 1_024)
    guard !id.isEmpty else {
      throw coder.failure("`id` is empty", "write what tells it from others")
    }
  }
}

/// A state of an object: its own line at time zero, otherwise an item of a mutation or a write.
package struct RecordedState: RecordedMembers {
  package var object: UInt32 = 0
  package var version = Version.none
  /// The object whose tree contains it, the location in bulk notices.
  package var location: UInt32?
  package var bytes: Int32 = 0
  /// The fields with a value, in the order of the type.
  package var fields: [Field] = []

  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }

    package func write(into json: inout JSONWriter) {
      switch value {
      case .number(let number): json.member(name, number)
      case .text(let text): json.member(name, text)
      case .flag(true): json.flag(name)
      case .flag(false): break
      case .references(let objects):
        json.array(name) { for object in objects { $0.element(object) } }
      }
    }
  }

  package enum Value: Hashable, Sendable {
    /// An integer, milliseconds of an instant, or the number of an object.
    case number(Int64)
    case text(String)
    case flag(Bool)
    case references([UInt32])
  }

  package init() {}
  package init(object: UInt32, version: Version, bytes: Int32) {
    self.object = object
    self.version = version
    self.bytes = bytes
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.place("object", &object)
    try codeContent(&coder)
  }

  mutating func codeContent(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.number("clock", &version.clock, in: 0...UInt64.max)
    try coder.number("device", &version.device, in: 0...UInt64.max)
    try coder.place("location", &location)
    try coder.number("bytes", &bytes, in: 0...Int32.max)
    try coder.value("fields", &fields, isLeftOut: fields.isEmpty, Self.write, read: Self.read)
  }

  private static func write(_ fields: [Field], _ json: inout JSONWriter) {
    json.object { for field in fields { field.write(into: &$0) } }
  }

  private static func read(
    _ value: JSONValue, _ coder: MemberCoder
  ) throws(RecordingError) -> [Field] {
    guard case .object(let members) = value else {
      throw coder.failure("`fields` is \(value.kindName)", "write an object")
    }
    return try members.map { member throws(RecordingError) in
      switch member.value {
      case .number:
        let most = Int64.max / 4
        return Field(
          member.name, .number(try coder.number(member.value, member.name, in: -most...most)))
      case .string(let text): return Field(member.name, .text(text))
      case .bool(let isSet): return Field(member.name, .flag(isSet))
      case .array(let objects):
        return Field(
          member.name,
          .references(
            try objects.map { object throws(RecordingError) in
              try coder.number(object, member.name, in: 0...UInt32.max - 1)
            }))
      case .null, .real, .object:
        throw coder.failure(
          "`\(member.name.excerpt)` is \(member.value.kindName)",
          "write a number, a text, true, or a list of objects")
      }
    }
  }
}

package struct QueryLine: RecordedMembers {
  package var name = ""
  package var subject: UInt32?
  package var typed: String?
  package var limit: UInt32 = 0
  /// The state after which a page begins.
  package var after: UInt32?

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.text("name", &name)
    try coder.place("subject", &subject)
    try coder.text("typed", &typed)
    try coder.number("limit", &limit, in: 0...UInt32.max)
    try coder.place("after", &after)
  }
}
