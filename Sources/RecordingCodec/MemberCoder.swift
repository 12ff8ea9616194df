package import Text

/// A line of a recording, or an object in one, whose members are coded in order.
///
/// One function both writes and reads, so that they always have the same members.
package protocol RecordedMembers: Hashable, Sendable {
  /// Creates a value for reading.
  init()
  /// Writes each member, or reads it by its name.
  mutating func code(_ coder: inout MemberCoder) throws(RecordingError)
}

/// Writes the members of an object in the order of calls, or reads each by its name.
///
/// Values that are read are within the caller's bounds: the numbers of a hostile file fit into their types,
/// and no list is longer than its line.
package struct MemberCoder {
  /// The output; empty while reading.
  var json = JSONWriter()
  /// The input; `nil` while writing.
  private var members: [JSONMember]?
  /// A bit for each member that was read.
  private var known: UInt64 = 0
  /// The line number in the file, from 1.
  package let line: Int

  /// Creates a coder for writing.
  private init() { line = 0 }

  /// Creates a coder for reading the members of an object.
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
  /// Values are not checked: bounds are for reading.
  static func write(_ value: some RecordedMembers, _ name: String? = nil, to json: inout JSONWriter)
  {
    json.object(name) { json in
      var (coder, value) = (MemberCoder(), value)
      swap(&json, &coder.json)
      try? value.code(&coder)
      swap(&json, &coder.json)
    }
  }

  /// Reads an object, and throws if it has an unknown member, which would otherwise be ignored silently.
  static func read<Value: RecordedMembers>(
    _ json: JSONValue, line: Int, _ what: String
  ) throws(RecordingError) -> Value {
    var (coder, value) = (try MemberCoder(reading: json, line: line), Value())
    try value.code(&coder)
    try coder.finish(what)
    return value
  }

  /// Former names of members, with their present ones.
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

  package mutating func object<Value: RecordedMembers>(
    _ name: String, _ value: inout Value
  ) throws(RecordingError) {
    guard isReading else { return Self.write(value, name, to: &json) }
    value = try Self.read(try required(name), line: line, "`\(name)`")
  }

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

  /// Codes a value with the caller's own functions.
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
