package import CacheModel
import Text

/// A field of a cache policy: what a scenario may write there, and what is true where it writes nothing.
///
/// The axes of a `CachePolicy` and the settings of a ``DesignPreset`` are such fields.
package struct PolicyField: Sendable {
  package let name: String
  package let form: FieldForm
  /// `nil`: what the preset says.
  package var standard: PolicyValue?
  /// Whether the word `unlimited` is a value.
  package var mayBeUnlimited = false
  /// One line, which begins with a small letter.
  package let summary: String
}

package enum PolicyValue: Hashable, Sendable {
  /// Bytes, or a count.
  case number(Int64)
  case duration(Duration)
  /// A fraction of one.
  case share(Double)
  case unlimited
  /// One of the words of a choice, `yes` and `no` among them, or a name.
  case word(String)
  case methods([QueryMethod])

  package var number: Int64? { if case .number(let number) = self { number } else { nil } }
  package var word: String? { if case .word(let word) = self { word } else { nil } }

  /// As documents say it.
  func inWords(_ form: FieldForm) -> String? {
    switch (self, form) {
    case (.number(let number), .quantity(let dimension, _)): dimension.inWords(Double(number))
    case (.duration(let duration), _): Words.duration(duration)
    case (.share(let share), _): Words.share(share)
    case (.unlimited, _): "unlimited"
    case (.word(let word), _): word
    case (.number, _), (.methods, _): nil
    }
  }
}

extension FieldForm {
  static let flag = FieldForm.choice(["yes", "no"])
  static let share = FieldForm.quantity(.share, 0...1)

  static func duration(_ range: ClosedRange<Duration>) -> FieldForm {
    whole(.duration, range.lowerBound.wholeNanoseconds...range.upperBound.wholeNanoseconds)
  }

  static func size(_ range: ClosedRange<Int64>) -> FieldForm { whole(.size, range) }

  static func count(_ plural: String, _ range: ClosedRange<Int64>) -> FieldForm {
    whole(.count(plural), range)
  }

  static func words<Value: RawRepresentable<String> & CaseIterable>(of: Value.Type) -> FieldForm {
    .choice(Value.allCases.map(\.rawValue))
  }

  private static func whole(_ dimension: Dimension, _ range: ClosedRange<Int64>) -> FieldForm {
    .quantity(dimension, Double(range.lowerBound)...Double(range.upperBound))
  }
}

/// One axis of a ``CachePolicy``, declared once in ``all``.
///
/// Scenarios, `--vary`, `explain`, the search for faults with its case files, and the table in the
/// documentation follow from it. It is for reading, printing and drawing: a running cache takes its
/// choices from the composition itself.
package struct PolicyAxis: Sendable {
  /// Its key in a scenario, what it may have there, and what it means.
  ///
  /// With a standard it is one of the limits and times that all presets of a comparison are given;
  /// without one, a scenario that says it replaces the choice of every preset but the bounds.
  package let field: PolicyField
  /// What the search for faults draws from, each as likely as the next; empty if it draws several
  /// axes together, or leaves one alone.
  package let drawn: [PolicyValue]
  /// The value of a composition; `nil` if it lacks the part that would have one.
  package let read: @Sendable (CachePolicy) -> PolicyValue?
  /// Puts a value in the place of a composition's own; one of another kind changes nothing.
  package let write: @Sendable (inout CachePolicy, PolicyValue) -> Void

  package var name: String { field.name }

  /// Whether all presets of a comparison are given its value, to use or not.
  package var isShared: Bool { field.standard != nil }

  /// What is true where a scenario says nothing; `nil`: what the preset says, since they differ.
  var usual: PolicyValue? {
    if let standard = field.standard { return standard }
    let values = Preset.all.filter { !PolicyEntry.bounds.contains($0.name) }.map {
      read($0.composition(CacheSection().allowance(for: DataModel(types: [], shapes: []))))
    }
    return values.first.flatMap { one in values.allSatisfy { $0 == one } ? one : nil }
  }

  package static func named(_ name: String) -> PolicyAxis? { all.first { $0.name == name } }

  /// An axis of a part that a composition may lack.
  ///
  /// `write` puts in a value of the axis's own type; of `unlimited`, where that is optional, `nil`.
  init<Value: AxisContent>(
    _ name: String, _ form: FieldForm, mayBeUnlimited: Bool = false, _ summary: String,
    read: @escaping @Sendable (CachePolicy) -> Value?,
    write: @escaping @Sendable (inout CachePolicy, Value) -> Void,
    standard: Value? = nil, drawn: [Value] = []
  ) {
    field = PolicyField(
      name: name, form: form, standard: standard?.policyValue, mayBeUnlimited: mayBeUnlimited,
      summary: summary)
    self.drawn = drawn.map(\.policyValue)
    self.read = { read($0)?.policyValue }
    self.write = { if let value = Value.read($1) { write(&$0, value) } }
  }

  /// An axis that every composition has, at a path.
  ///
  /// `standard` is what all presets are given where a scenario says nothing.
  init<Value: AxisContent>(
    _ name: String, _ path: FieldPath<CachePolicy, Value>, _ form: FieldForm,
    mayBeUnlimited: Bool = false, _ summary: String, standard: Value? = nil, drawn: [Value] = []
  ) {
    self.init(
      name, form, mayBeUnlimited: mayBeUnlimited, summary, read: { $0[keyPath: path] },
      write: { $0[keyPath: path] = $1 }, standard: standard, drawn: drawn)
  }

  /// A choice among the cases of an enumeration, of which each is drawn alike unless `drawn` says
  /// otherwise.
  init<Value: AxisContent & RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: FieldPath<CachePolicy, Value>, _ summary: String,
    drawn: [Value] = Array(Value.allCases)
  ) {
    self.init(name, path, .words(of: Value.self), summary, drawn: drawn)
  }
}

// MARK: Types of axes

/// What a property of a composition may be, as the value of an axis.
protocol AxisContent: Sendable {
  /// `nil` for a value of another kind.
  static func read(_ value: PolicyValue) -> Self?
  var policyValue: PolicyValue { get }
}

extension Int: AxisContent {
  static func read(_ value: PolicyValue) -> Int? { value.number.map { Int($0) } }
  var policyValue: PolicyValue { .number(Int64(self)) }
}

/// Without a limit it is ``unending``.
extension Duration: AxisContent {
  static func read(_ value: PolicyValue) -> Duration? {
    if case .duration(let duration) = value {
      duration
    } else {
      value == .unlimited ? .unending : nil
    }
  }
  var policyValue: PolicyValue { self >= .unending ? .unlimited : .duration(self) }
}

extension Double: AxisContent {
  static func read(_ value: PolicyValue) -> Double? {
    if case .share(let share) = value { share } else { nil }
  }
  var policyValue: PolicyValue { .share(self) }
}

extension Bool: AxisContent {
  static func read(_ value: PolicyValue) -> Bool? { value.word.map { $0 == "yes" } }
  var policyValue: PolicyValue { .word(self ? "yes" : "no") }
}

extension String: AxisContent {
  static func read(_ value: PolicyValue) -> String? { value.word }
  var policyValue: PolicyValue { .word(self) }
}

extension Array: AxisContent where Element == QueryMethod {
  static func read(_ value: PolicyValue) -> [QueryMethod]? {
    if case .methods(let methods) = value { methods } else { nil }
  }
  var policyValue: PolicyValue { .methods(self) }
}

/// Without a limit it is `nil`.
extension Optional: AxisContent where Wrapped: AxisContent {
  static func read(_ value: PolicyValue) -> Wrapped?? {
    value == .unlimited ? .some(nil) : Wrapped.read(value).map { .some($0) }
  }
  var policyValue: PolicyValue { self?.policyValue ?? .unlimited }
}

extension AxisContent where Self: RawRepresentable<String> {
  static func read(_ value: PolicyValue) -> Self? { value.word.flatMap { Self(rawValue: $0) } }
  var policyValue: PolicyValue { .word(rawValue) }
}

extension LimitKind: AxisContent {}
extension Retention: AxisContent {}
extension ReleaseBuffer.Reads: AxisContent {}
extension Freshness.Start: AxisContent {}
extension EventAdmission: AxisContent {}
extension Membership: AxisContent {}
extension GapResponse: AxisContent {}
extension NetworkSection.Events: AxisContent {}
