package import CacheModel
import Text

/// A field of a cache policy: the values that a scenario may set, and the default.
///
/// The axes of a `CachePolicy` and the settings of a ``DesignPreset`` are such fields.
package struct PolicyField: Sendable {
  package let name: String
  package let form: FieldForm
  /// `nil`: the preset's value.
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
  /// One of the words of a choice, including `yes` and `no`, or a name.
  case word(String)
  case methods([QueryMethod])

  package var number: Int64? { if case .number(let number) = self { number } else { nil } }
  package var word: String? { if case .word(let word) = self { word } else { nil } }

  /// Returns the value as in documents.
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
/// Scenarios, `--vary`, `explain`, fuzzing with its case files, and the documentation's table are derived
/// from it. It is for reading, printing and drawing values: a running cache reads the policy itself.
package struct PolicyAxis: Sendable {
  /// Its key in a scenario, its values, and its meaning.
  ///
  /// With a default it is one of the limits and times given to all presets of a comparison; without one, a
  /// scenario's value replaces the choice of every preset except the bounds.
  package let field: PolicyField
  /// The values from which fuzzing draws uniformly; empty if it draws several axes together, or skips the
  /// axis.
  package let drawn: [PolicyValue]
  /// Returns the value of a policy; `nil` if the policy lacks the part with the axis.
  package let read: @Sendable (CachePolicy) -> PolicyValue?
  /// Sets a policy's value; a value of another kind has no effect.
  package let write: @Sendable (inout CachePolicy, PolicyValue) -> Void

  package var name: String { field.name }

  /// Whether its value is given to all presets of a comparison, whether or not they use it.
  package var isShared: Bool { field.standard != nil }

  /// The default if a scenario says nothing; `nil`: the preset's, since they differ.
  var usual: PolicyValue? {
    if let standard = field.standard { return standard }
    let values = Preset.all.filter { !PolicyEntry.bounds.contains($0.name) }.map {
      read($0.composition(CacheSection().allowance(for: DataModel(types: [], shapes: []))))
    }
    return values.first.flatMap { one in values.allSatisfy { $0 == one } ? one : nil }
  }

  package static func named(_ name: String) -> PolicyAxis? { all.first { $0.name == name } }

  /// Creates an axis of an optional part of a policy.
  ///
  /// `write` sets a value of the axis's own type; `unlimited` is `nil` if that is optional.
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

  /// Creates an axis that every policy has, at a key path.
  ///
  /// `standard` is given to all presets if a scenario says nothing.
  init<Value: AxisContent>(
    _ name: String, _ path: FieldPath<CachePolicy, Value>, _ form: FieldForm,
    mayBeUnlimited: Bool = false, _ summary: String, standard: Value? = nil, drawn: [Value] = []
  ) {
    self.init(
      name, form, mayBeUnlimited: mayBeUnlimited, summary, read: { $0[keyPath: path] },
      write: { $0[keyPath: path] = $1 }, standard: standard, drawn: drawn)
  }

  /// Creates a choice among the cases of an enumeration, drawn uniformly unless `drawn` says otherwise.
  init<Value: AxisContent & RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: FieldPath<CachePolicy, Value>, _ summary: String,
    drawn: [Value] = Array(Value.allCases)
  ) {
    self.init(name, path, .words(of: Value.self), summary, drawn: drawn)
  }
}

// MARK: Types of axes

/// A property of a policy that can be the value of an axis.
protocol AxisContent: Sendable {
  /// `nil` for a value of another kind.
  static func read(_ value: PolicyValue) -> Self?
  var policyValue: PolicyValue { get }
}

extension Int: AxisContent {
  static func read(_ value: PolicyValue) -> Int? { value.number.map { Int($0) } }
  var policyValue: PolicyValue { .number(Int64(self)) }
}

/// Without a limit the value is ``unending``.
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

/// Without a limit the value is `nil`.
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
