package import CacheModel
import Text

/// A field of a cache policy: what a scenario may write there, and what is true where it writes nothing.
///
/// The axes of a `PolicyComposition` and the settings of a ``DesignPreset`` are such fields.
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
