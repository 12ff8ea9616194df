package import CacheModel
import Text

/// A field of a cache policy: what a scenario may write there, and what is true where it writes nothing.
///
/// The axes of a `PolicyComposition` and the settings of a ``DesignPreset`` are such fields.
package struct PolicyField: Sendable {
  package let name: String
  package let form: FieldForm
  /// `nil`: what the preset says.
  package let standard: PolicyValue?
  /// Whether the word `unlimited` is a value.
  package let mayBeUnlimited: Bool
  /// One line, which begins with a small letter.
  package let summary: String

  package init(
    _ name: String, _ form: FieldForm, standard: PolicyValue? = nil, mayBeUnlimited: Bool = false,
    _ summary: String
  ) {
    self.name = name
    self.form = form
    self.standard = standard
    self.mayBeUnlimited = mayBeUnlimited
    self.summary = summary
  }
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
