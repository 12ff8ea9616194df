import CacheModel
import NormalizedCache
import Text

/// The text format of a case: a header, the policy, and one step per line.
///
/// A line that begins with `#` is a comment. The format has a version, so that a committed case that is no
/// longer valid is rejected rather than misread.
package enum CaseFile {
  /// The maximum size of a file, in bytes.
  package static let sizeLimit = 4 << 20
  static let stepLimit = 100_000
  private static let version = 1

  package static func write(_ faultCase: FaultCase, remarks: [String] = []) -> [UInt8] {
    var lines = [CaseLine("tidemark-case", ("version", "\(version)")).text]
    lines += remarks.flatMap { $0.split(separator: "\n") }.map { "# \($0)" }
    lines.append(CaseLine("run", ("seed", "\(faultCase.seed)")).text)
    lines += CompositionLines.lines(faultCase.composition).map(\.text)
    lines += faultCase.storage.map { [storageLine($0).text] } ?? []
    lines += faultCase.shapes.map { ShapeLine.line($0).text }
    lines += faultCase.steps.map { StepLine.line($0).text }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// Returns a step as a line of the file.
  package static func text(of step: Step) -> String { StepLine.line(step).text }

  package static func read(_ bytes: [UInt8]) throws(CaseError) -> FaultCase {
    guard bytes.count <= sizeLimit else {
      throw CaseError(
        line: 1, cause: "the file is larger than \(sizeLimit) bytes", remedy: "remove steps")
    }
    var lines: [CaseLine] = []
    let text = String(decoding: bytes, as: UTF8.self)
    let first = text.split(separator: "\n").first { !$0.hasPrefix("#") }
    guard first?.hasPrefix("tidemark-case") ?? true else {
      throw CaseError(
        line: 1, cause: "this is not a case", remedy: "name a file that `tidemark check` wrote")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty && !line.hasPrefix("#") {
      lines.append(try CaseLine(line, number: index + 1))
      guard lines.count <= stepLimit else {
        throw CaseError(
          line: index + 1, cause: "the case has more than \(stepLimit) lines",
          remedy: "remove steps")
      }
    }
    var rest = lines[...]
    var header = try next("tidemark-case", &rest)
    let its = try header.number("version", in: 0...Int.max)
    guard its == version else {
      throw header.error(
        "its version is \(its), this program reads \(version)",
        "search again with this program, or replay it with the one that wrote it")
    }
    try header.end()
    var run = try next("run", &rest)
    let seed = try run.field("seed", as: "a whole number") { UInt64($0) }
    try run.end()
    let composition = try CompositionLines.read(&rest)
    let storage = try storage(&rest)
    let shapes = try ShapeLine.shapes(&rest)
    let rules = NoteRules(shapes)
    var steps: [Step] = []
    for line in rest {
      steps.append(try StepLine.step(line))
      try check(steps[steps.count - 1], of: line, against: rules)
    }
    return FaultCase(
      seed: seed, composition: composition, storage: storage, shapes: shapes, steps: steps)
  }

  /// Rejects queries and notes that the case does not declare.
  private static func check(
    _ step: Step, of line: CaseLine, against rules: NoteRules
  ) throws(CaseError) {
    if let query = step.query, !rules.queries.contains(query) {
      let known = rules.queries.map { QueryName.text($0) }
      throw line.error(
        "\(QueryName.text(query)) is no query of this case",
        "write one of \(known.joined(separator: ", "))")
    }
    guard !rules.shapes.isEmpty else { return }
    let isKnown = step.notes.allSatisfy { NoteDeclaration.state(of: $0, at: .note(0)) != nil }
    guard !isKnown else { return }
    throw line.error(
      "a note has what declared shapes do not know",
      "write a folder of 0...2, a title of a...f, and a length of 0...5")
  }

  // MARK: The storage

  private static func storageLine(_ storage: WriteBehind) -> CaseLine {
    CaseLine(
      "storage", ("window", "\(storage.window.wholeNanoseconds / 1_000_000)"),
      ("changes", "\(storage.maximumChanges)"))
  }

  /// Parses the line of the storage, which a client without one does not have.
  private static func storage(
    _ lines: inout ArraySlice<CaseLine>
  ) throws(CaseError) -> WriteBehind? {
    guard var line = lines.first, line.verb == "storage" else { return nil }
    lines.removeFirst()
    let window = try line.number("window", in: 0...Int(Int64.max / 1_000_000))
    let changes = try line.number("changes", in: 1...Int.max)
    try line.end()
    return WriteBehind(window: .milliseconds(window), maximumChanges: changes)
  }

  // MARK: The header

  /// Parses the next line, which must have this verb.
  static func next(
    _ verb: String, _ lines: inout ArraySlice<CaseLine>
  ) throws(CaseError) -> CaseLine {
    guard let line = lines.first, line.verb == verb else {
      throw CaseError(
        line: lines.first?.number ?? 1, cause: "a line \"\(verb) …\" is missing",
        remedy: "add it: a case begins with tidemark-case, run and the lines of the composition")
    }
    lines.removeFirst()
    return line
  }
}

/// One line of a case: a verb, followed by fields `name=value`.
struct CaseLine {
  /// The line number, from 1.
  var number: Int
  var verb: String
  private var fields: [(name: String, value: String)] = []

  /// Creates a line for output.
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

  /// Removes and returns a field; those that remain in the end are unknown.
  mutating func take(_ name: String) -> String? {
    fields.firstIndex { $0.name == name }.map { fields.remove(at: $0).value }
  }

  /// Removes and parses a required field.
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

  /// Removes and parses an integer, or `-` for none.
  mutating func optionalNumber(
    _ name: String, in range: ClosedRange<Int>
  ) throws(CaseError) -> Int? {
    try field(name, as: "- or a whole number from \(range.lowerBound) to \(range.upperBound)") {
      text -> Int?? in
      if text == "-" { return .some(nil) }
      return Int(text).flatMap { range.contains($0) ? .some($0) : nil }
    }
  }

  /// Removes and parses the raw value of an enumeration's case.
  mutating func choice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Value.Type
  ) throws(CaseError) -> Value where Value.RawValue == String {
    try field(name, as: Value.allCases.map(\.rawValue).joined(separator: "|")) {
      Value(rawValue: $0)
    }
  }

  /// Removes and parses the same of an optional field.
  mutating func optionalChoice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Value.Type
  ) throws(CaseError) -> Value? where Value.RawValue == String {
    has(name) ? try choice(name, type) : nil
  }

  func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

  func end() throws(CaseError) {
    guard let field = fields.first else { return }
    throw error(
      "\(verb) has no field called \(field.name.excerpt)", "remove it, or correct its name")
  }
}

package struct CaseError: Error, Hashable, Sendable {
  /// The line number, from 1.
  package var line: Int
  package var cause: String
  package var remedy: String

  /// Returns `file:line: cause; remedy`; the cause may include words of the file.
  package func text(in file: String) -> String {
    "\(file):\(line): \(cause); \(remedy)".legible
  }
}
