import CacheModel
import Text

/// One line of a written case: a verb, and fields `name=value` behind it.
struct CaseLine {
  /// Counted from 1.
  var number: Int
  var verb: String
  private var fields: [(name: String, value: String)] = []

  /// Makes a line to be written.
  init(_ verb: String, _ fields: (name: String, value: String)...) {
    number = 0
    self.verb = verb
    self.fields = fields
  }

  var text: String {
    ([verb] + fields.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
  }

  mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }

  // MARK: Reading

  init(_ text: Substring, number: Int) throws(CaseError) {
    self.number = number
    let words = text.split(separator: " ")
    verb = words.first.map(String.init) ?? ""
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw error("\"\(String(word).excerpt)\" is no field", "write name=value, without spaces")
      }
      fields.append((String(parts[0]), String(parts[1])))
    }
  }

  func error(_ cause: String, _ remedy: String) -> CaseError {
    CaseError(line: number, cause: cause, remedy: remedy)
  }

  /// Takes a field off the line; what is left when all are taken is unknown.
  mutating func take(_ name: String) -> String? {
    fields.firstIndex { $0.name == name }.map { fields.remove(at: $0).value }
  }

  /// A field that must be there, in a form that its reader knows.
  mutating func field<Value>(
    _ name: String, as form: String, _ read: (String) -> Value?
  ) throws(CaseError) -> Value {
    guard let text = take(name) else {
      throw error("\(verb) has no \(name)", "add \(name)=\(form)")
    }
    guard let value = read(text) else {
      throw error("\(name)=\(text.excerpt) cannot be read", "write \(name)=\(form)")
    }
    return value
  }

  mutating func number(_ name: String, in range: ClosedRange<Int>) throws(CaseError) -> Int {
    try field(name, as: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A whole number, or `-` for none.
  mutating func optionalNumber(
    _ name: String, in range: ClosedRange<Int>
  ) throws(CaseError) -> Int? {
    try field(name, as: "- or a whole number from \(range.lowerBound) to \(range.upperBound)") {
      text -> Int?? in
      if text == "-" { return .some(nil) }
      return Int(text).flatMap { range.contains($0) ? .some($0) : nil }
    }
  }

  /// One of the cases of an enumeration, by its raw value.
  mutating func choice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Value.Type
  ) throws(CaseError) -> Value where Value.RawValue == String {
    try field(name, as: Value.allCases.map(\.rawValue).joined(separator: "|")) {
      Value(rawValue: $0)
    }
  }

  /// The same of a field that may be absent.
  mutating func optionalChoice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Value.Type
  ) throws(CaseError) -> Value? where Value.RawValue == String {
    has(name) ? try choice(name, type) : nil
  }

  func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

  /// - Throws: the first field that was not taken.
  func end() throws(CaseError) {
    guard let field = fields.first else { return }
    throw error(
      "\(verb) has no field called \(field.name.excerpt)", "remove it, or correct its name")
  }
}

/// Why a written case cannot be read.
package struct CaseError: Error, Hashable, Sendable {
  /// Counted from 1.
  package var line: Int
  package var cause: String
  package var remedy: String

  /// `file:line: cause; remedy`; the cause may repeat words of the file.
  package func text(in file: String) -> String {
    "\(file):\(line): \(cause); \(remedy)".legible
  }
}
