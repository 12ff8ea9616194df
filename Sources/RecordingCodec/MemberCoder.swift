package import Text

/// A line of a recording, or an object in one: its members pass through a coder, in their order.
///
/// One function writes and reads, so that neither can know a member that the other does not.
package protocol RecordedMembers: Hashable, Sendable {
  /// A value to read into.
  init()
  /// Writes each member, or reads it by its name.
  mutating func code(_ coder: inout MemberCoder) throws(RecordingError)
}

/// Writes the members of an object in the order in which it is called for them, or reads each by its name.
///
/// Whatever is read is within the bounds that the caller names: the numbers of a hostile file fit into what
/// they are kept in, and no list is longer than its line.
package struct MemberCoder {
  /// What is written; empty while reading.
  var json = JSONWriter()
  /// What is read; `nil` while writing.
  private var members: [JSONMember]?
  /// A bit for each member that was asked for.
  private var known: UInt64 = 0
  /// The line of the file, from 1.
  package let line: Int

  /// A coder that writes.
  private init() { line = 0 }

  /// A coder that reads the members of an object.
  package init(reading value: JSONValue, line: Int) throws(RecordingError) {
    guard case .object(let members) = value else {
      throw RecordingError(
        line: line, cause: "expected an object, found \(value.kindName)",
        remedy: "write one object a line, and nothing else")
    }
    self.members = members
    self.line = line
  }

  package var isReading: Bool { members != nil }

  package func failure(_ cause: String, _ remedy: String) -> RecordingError {
    RecordingError(line: line, cause: cause, remedy: remedy)
  }

  // MARK: Objects

  /// Writes a value as an object, or as a member that is one.
  ///
  /// Nothing is refused that is written: bounds are for what is read.
  static func write(_ value: some RecordedMembers, _ name: String? = nil, to json: inout JSONWriter)
  {
    json.object(name) { json in
      var (coder, value) = (MemberCoder(), value)
      swap(&json, &coder.json)
      try? value.code(&coder)
      swap(&json, &coder.json)
    }
  }

  /// Reads an object, and fails if it has a member that was not asked for: it would have been ignored
  /// without a word.
  static func read<Value: RecordedMembers>(
    _ json: JSONValue, line: Int, _ what: String
  ) throws(RecordingError) -> Value {
    var (coder, value) = (try MemberCoder(reading: json, line: line), Value())
    try value.code(&coder)
    try coder.finish(what)
    return value
  }

  /// Names that members once had, with those that they have now.
  private static let renamed = [
    "owner": "cascade", "itself": "id", "relaunches": "appRestarts", "restarts": "serverRestarts",
  ]

  func finish(_ what: String) throws(RecordingError) {
    for (index, member) in (members ?? []).enumerated() where known >> UInt64(index) & 1 == 0 {
      throw failure(
        "\(what) has no `\(member.name.excerpt)`",
        Self.renamed[member.name].map { "it is now `\($0)`" } ?? "remove it")
    }
  }

  /// A member that is an object.
  package mutating func object<Value: RecordedMembers>(
    _ name: String, _ value: inout Value
  ) throws(RecordingError) {
    guard isReading else { return Self.write(value, name, to: &json) }
    value = try Self.read(try required(name), line: line, "`\(name)`")
  }

  /// A member that may be left out.
  package mutating func object<Value: RecordedMembers>(
    _ name: String, _ value: inout Value?
  ) throws(RecordingError) {
    guard isReading else {
      if let value { Self.write(value, name, to: &json) }
      return
    }
    value = nil
    if let given = optional(name) { value = try Self.read(given, line: line, "`\(name)`") }
  }

  /// A list of objects.
  package mutating func objects<Value: RecordedMembers>(
    _ name: String, _ values: inout [Value], atMost limit: Int = .max, isOptional: Bool = false
  ) throws(RecordingError) {
    guard isReading else {
      if isOptional, values.isEmpty { return }
      return json.array(name) { for value in values { Self.write(value, to: &$0) } }
    }
    values = []
    for element in try elements(name, atMost: limit, isOptional: isOptional) {
      values.append(try Self.read(element, line: line, "an entry of `\(name)`"))
    }
  }

  // MARK: Any value

  /// A value whose form the caller knows.
  mutating func value<Value>(
    _ name: String, _ value: inout Value, isLeftOut: Bool,
    _ write: (Value, inout JSONWriter) -> Void,
    read: (JSONValue, MemberCoder) throws(RecordingError) -> Value
  ) throws(RecordingError) {
    guard isReading else {
      if !isLeftOut {
        json.name(name)
        write(value, &json)
      }
      return
    }
    if let given = optional(name) { value = try read(given, self) }
  }

  func has(_ name: String) -> Bool { members?.contains { $0.name == name } ?? false }

  mutating func optional(_ name: String) -> JSONValue? {
    guard let members, let index = members.firstIndex(where: { $0.name == name }) else {
      return nil
    }
    known |= 1 << UInt64(index)
    return members[index].value
  }

  mutating func required(_ name: String) throws(RecordingError) -> JSONValue {
    guard let value = optional(name) else { throw missing(name) }
    return value
  }

  func missing(_ name: String) -> RecordingError { failure("`\(name)` is missing", "add it") }

  mutating func elements(
    _ name: String, atMost limit: Int = .max, isOptional: Bool = false
  ) throws(RecordingError) -> [JSONValue] {
    guard let value = optional(name) else {
      if isOptional { return [] }
      throw missing(name)
    }
    guard case .array(let values) = value else {
      throw failure("`\(name)` is not a list", "write it in brackets")
    }
    guard values.count <= limit else {
      throw failure("`\(name)` has \(values.count) entries", "at most \(limit) are read")
    }
    return values
  }
}
