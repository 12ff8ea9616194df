package import CacheModel
import Text

/// Numbers, times and texts.
extension MemberCoder {
  // MARK: Numbers

  /// Codes a number that is omitted if it equals `blank`, and required without such a value.
  package mutating func number<Number: FixedWidthInteger>(
    _ name: String, _ value: inout Number, in range: ClosedRange<Number>,
    leftOutAt blank: Number? = nil
  ) throws(RecordingError) {
    var given: Number? = value == blank ? nil : value
    try number(name, &given, in: range)
    guard let found = given ?? blank else { throw missing(name) }
    value = found
  }

  package mutating func number<Number: FixedWidthInteger>(
    _ name: String, _ value: inout Number?, in range: ClosedRange<Number>
  ) throws(RecordingError) {
    guard isReading else {
      if let value { json.member(name, value) }
      return
    }
    value = nil
    if let given = optional(name) { value = try number(given, name, in: range) }
  }

  /// Codes the number of an earlier item in the file.
  package mutating func place(_ name: String, _ value: inout UInt32) throws(RecordingError) {
    try number(name, &value, in: 0...UInt32.max - 1)
  }

  package mutating func place(_ name: String, _ value: inout UInt32?) throws(RecordingError) {
    try number(name, &value, in: 0...UInt32.max - 1)
  }

  /// Codes a list of numbers: an empty list differs from a missing one.
  package mutating func places(
    _ name: String, _ values: inout [UInt32]?
  ) throws(RecordingError) {
    guard isReading else {
      if var values { try numbers(name, &values, in: 0...UInt32.max - 1) }
      return
    }
    values = nil
    guard has(name) else { return }
    var read: [UInt32] = []
    try numbers(name, &read, in: 0...UInt32.max - 1)
    values = read
  }

  private mutating func numbers<Number: FixedWidthInteger>(
    _ name: String, _ values: inout [Number], in range: ClosedRange<Number>
  ) throws(RecordingError) {
    guard isReading else {
      return json.array(name) { for value in values { $0.element(value) } }
    }
    values = []
    for element in try elements(name) { values.append(try number(element, name, in: range)) }
  }

  func number<Number: FixedWidthInteger>(
    _ value: JSONValue, _ name: String, in range: ClosedRange<Number>
  ) throws(RecordingError) -> Number {
    guard case .number(let isNegative, let magnitude) = value else {
      throw failure("`\(name)` is not a number", "write a whole number")
    }
    // The magnitude of the smallest number is one more than that of the largest.
    let whole: Number? =
      if !isNegative {
        Number(exactly: magnitude)
      } else if magnitude == Int64.min.magnitude {
        Number(exactly: Int64.min)
      } else {
        Int64(exactly: magnitude).flatMap { Number(exactly: -$0) }
      }
    guard let whole, range.contains(whole) else {
      let fault = isNegative && range.lowerBound >= 0 ? "negative" : "out of range"
      throw failure(
        "`\(name)` is \(fault)", "choose from \(range.lowerBound) to \(range.upperBound)")
    }
    return whole
  }

  // MARK: Times

  /// The latest instant in a file: sums of several do not overflow.
  static var latest: Int64 { Int64.max / 4 }

  package mutating func time(_ name: String, _ value: inout Instant) throws(RecordingError) {
    try number(name, &value.nanoseconds, in: 0...Self.latest)
  }

  package mutating func time(_ name: String, _ value: inout Instant?) throws(RecordingError) {
    var nanoseconds = value?.nanoseconds
    try number(name, &nanoseconds, in: 0...Self.latest)
    value = nanoseconds.map { Instant(nanoseconds: $0) }
  }

  /// Codes instants in order, omitted if there are none.
  package mutating func times(_ name: String, _ values: inout [Instant]) throws(RecordingError) {
    if !isReading, values.isEmpty { return }
    if isReading, !has(name) { return values = [] }
    var nanoseconds = values.map(\.nanoseconds)
    try numbers(name, &nanoseconds, in: 0...Self.latest)
    values = nanoseconds.map { Instant(nanoseconds: $0) }
    guard zip(values, values.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw failure("`\(name)` are out of order", "sort them")
    }
  }

  /// Codes disjoint intervals in order, omitted if there are none.
  package mutating func windows(
    _ name: String, _ values: inout [Range<Instant>]
  ) throws(RecordingError) {
    guard isReading else {
      if values.isEmpty { return }
      return json.array(name) { json in
        for window in values {
          json.array {
            $0.element(window.lowerBound.nanoseconds)
            $0.element(window.upperBound.nanoseconds)
          }
        }
      }
    }
    values = []
    for element in try elements(name, isOptional: true) {
      guard case .array(let bounds) = element, bounds.count == 2 else {
        throw failure("a part of `\(name)` is not a list of two times", "write [from, to]")
      }
      let window = try window(bounds[0], bounds[1], name)
      guard window.lowerBound >= values.last?.upperBound ?? .zero else {
        throw failure("`\(name)` overlap or are out of order", "sort them")
      }
      values.append(window)
    }
  }

  func window(
    _ from: JSONValue, _ to: JSONValue, _ name: String
  ) throws(RecordingError) -> Range<Instant> {
    let lower = Instant(nanoseconds: try number(from, name, in: 0...Self.latest))
    let upper = Instant(nanoseconds: try number(to, name, in: 0...Self.latest))
    guard lower < upper else {
      throw failure("a time in `\(name)` ends before it begins", "write [from, to]")
    }
    return lower..<upper
  }

  // MARK: Texts

  package mutating func text(
    _ name: String, _ value: inout String, atMost limit: Int = .max
  ) throws(RecordingError) {
    var given: String? = value
    try text(name, &given, atMost: limit)
    guard let given else { throw missing(name) }
    value = given
  }

  package mutating func text(
    _ name: String, _ value: inout String?, atMost limit: Int = .max
  ) throws(RecordingError) {
    guard isReading else {
      if let value { json.member(name, value) }
      return
    }
    value = nil
    if let given = optional(name) { value = try text(given, name, atMost: limit) }
  }

  package mutating func texts(
    _ name: String, _ values: inout [String], isOptional: Bool = false
  ) throws(RecordingError) {
    guard isReading else {
      if isOptional, values.isEmpty { return }
      return json.array(name) { for value in values { $0.element(value) } }
    }
    values = []
    for element in try elements(name, isOptional: isOptional) {
      values.append(try text(element, name, atMost: .max))
    }
  }

  private func text(
    _ value: JSONValue, _ name: String, atMost limit: Int
  ) throws(RecordingError) -> String {
    guard case .string(let text) = value else {
      throw failure("`\(name)` is not a text", "write it in quotes")
    }
    guard text.utf8.count <= limit else {
      throw failure("`\(name)` has \(text.utf8.count) bytes", "at most \(limit) are read")
    }
    return text
  }

  /// Codes one of several words; the default is omitted.
  package mutating func word<Word: RawRepresentable<String> & CaseIterable & Equatable>(
    _ name: String, _ value: inout Word, leftOutAt blank: Word? = nil
  ) throws(RecordingError) {
    var given = value == blank ? nil : value
    try word(name, &given)
    guard let found = given ?? blank else { throw missing(name) }
    value = found
  }

  package mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: inout Word?
  ) throws(RecordingError) {
    guard isReading else {
      if let value { json.member(name, value.rawValue) }
      return
    }
    value = nil
    if let given = optional(name) { value = try word(given, name) }
  }

  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ value: JSONValue, _ name: String
  ) throws(RecordingError) -> Word {
    let text = try text(value, name, atMost: .max)
    guard let word = Word(rawValue: text) else {
      throw failure(
        "`\(name)` is `\(text.excerpt)`",
        "valid here: \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// Codes a flag, omitted if it is false.
  package mutating func flag(_ name: String, _ value: inout Bool) throws(RecordingError) {
    guard isReading else {
      if value { json.flag(name) }
      return
    }
    switch optional(name) {
    case nil: value = false
    case .bool(let given): value = given
    default: throw failure("`\(name)` is neither true nor false", "write one of them")
    }
  }

  mutating func position(_ position: inout StreamPosition?) throws(RecordingError) {
    var (epoch, sequence) = (position?.epoch, position?.sequence)
    try number("epoch", &epoch, in: 0...UInt32.max)
    try number("sequence", &sequence, in: 0...UInt64.max / 2)
    guard (epoch == nil) == (sequence == nil) else {
      throw failure("`epoch` and `sequence` go together", "write both, or none")
    }
    position = nil
    if let epoch, let sequence { position = StreamPosition(epoch: epoch, sequence: sequence) }
  }
}
