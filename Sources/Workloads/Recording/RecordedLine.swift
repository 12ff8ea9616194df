import Text

/// One line of a recording while it is read: its members by name, and which have been asked for.
struct RecordedLine {
  let number: Int
  private let members: [JSONMember]
  /// A bit for each member that was asked for.
  private var known: UInt64 = 0

  init(_ value: JSONValue, line number: Int) throws(RecordingError) {
    guard case .object(let members) = value else {
      throw RecordingError(
        line: number, cause: "the line holds \(value.kindName)", remedy: "write one object a line")
    }
    self.number = number
    self.members = members
  }

  func failure(_ cause: String, _ remedy: String) -> RecordingError {
    RecordingError(line: number, cause: cause, remedy: remedy)
  }

  /// The failure of a word that is none of some.
  func unknown(_ what: String, _ word: String, among known: [String]) -> RecordingError {
    failure(
      "unknown \(what) `\(ScenarioReader.shortened(word))`",
      NearestName.suggestion(for: word, among: known).map { "did you mean `\($0)`?" }
        ?? "valid here: \(known.joined(separator: ", "))")
  }

  /// Fails if a member was not asked for: it would have been ignored without a word.
  func finish(_ what: String) throws(RecordingError) {
    for (index, member) in members.enumerated() where known >> UInt64(index) & 1 == 0 {
      throw failure(
        "\(what) has no `\(ScenarioReader.shortened(member.name))`", "remove it")
    }
  }

  mutating func optional(_ name: String) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
    known |= 1 << UInt64(index)
    return members[index].value
  }

  mutating func required(_ name: String) throws(RecordingError) -> JSONValue {
    guard let value = optional(name) else { throw failure("`\(name)` is missing", "add it") }
    return value
  }

  mutating func text(_ name: String) throws(RecordingError) -> String {
    guard case .string(let text) = try required(name) else {
      throw failure("`\(name)` is not a text", "write it in quotes")
    }
    return text
  }

  /// Whether a member is true; absent is false.
  mutating func flag(_ name: String) throws(RecordingError) -> Bool {
    switch optional(name) {
    case nil: return false
    case .bool(let value): return value
    default: throw failure("`\(name)` is neither true nor false", "write one of them")
    }
  }

  mutating func array(_ name: String) throws(RecordingError) -> [JSONValue] {
    guard case .array(let values) = try required(name) else {
      throw failure("`\(name)` is not a list", "write it in brackets")
    }
    return values
  }

  mutating func integer<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(RecordingError) -> Number {
    try integer(try required(name), name, in: range)
  }

  mutating func integer<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>, default value: Number
  ) throws(RecordingError) -> Number {
    guard let given = optional(name) else { return value }
    return try integer(given, name, in: range)
  }

  /// A number that names something introduced before.
  mutating func index(
    _ name: String, of count: Int, _ what: String
  ) throws(RecordingError) -> UInt32 {
    try index(try required(name), name, of: count, what)
  }

  func index(
    _ value: JSONValue, _ name: String, of count: Int, _ what: String
  ) throws(RecordingError) -> UInt32 {
    guard case .number(false, let magnitude) = value, magnitude < UInt64(count) else {
      throw failure(
        "`\(name)` names no \(what) of the \(count) before it",
        "write the \(what)'s own line first; numbers count from 0")
    }
    return UInt32(truncatingIfNeeded: magnitude)
  }

  func integer<Number: FixedWidthInteger>(
    _ value: JSONValue, _ name: String, in range: ClosedRange<Number>
  ) throws(RecordingError) -> Number {
    guard case .number(let isNegative, let magnitude) = value else {
      throw failure("`\(name)` is not a number", "write a whole number")
    }
    let number: Number? =
      if isNegative {
        // The magnitude of the lowest number is one more than the highest number's.
        Int64(exactly: magnitude).flatMap { Number(exactly: -$0) }
          ?? (magnitude == Int64.min.magnitude ? Number(exactly: Int64.min) : nil)
      } else {
        Number(exactly: magnitude)
      }
    guard let number, range.contains(number) else {
      let fault = isNegative && range.lowerBound >= 0 ? "negative" : "out of range"
      throw failure(
        "`\(name)` is \(fault)", "choose from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
