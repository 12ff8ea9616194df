import CacheModel
import Text

/// One field of the cache section, for those who vary it.
package struct CacheField: Hashable, Sendable {
  package let name: String
  package let summary: String
  /// A quantity can be varied over a range, a choice over its names.
  package let form: FieldForm

  /// Every field, in the order in which help lists them.
  package static let all: [CacheField] = CacheSection.fields.map {
    CacheField(name: $0.name, summary: $0.summary, form: $0.form)
  }

  package static func named(_ name: String) -> CacheField? {
    all.first { $0.name == name }
  }

  package var isNumeric: Bool {
    if case .quantity = form { return true }
    return false
  }

  /// The values of a choice; the known names where another room lists them.
  package func choices(vocabulary: Vocabulary) -> [String] {
    switch form {
    case .choice(let names): names
    case .registered(let names): vocabulary[names] ?? []
    default: []
    }
  }

  /// Values from a lower to an upper bound in equal ratios, rounded to three digits, written so that
  /// the field reads them.
  ///
  /// - Parameters:
  ///   - range: `lower..upper`, such as `1000..20000` or `60 s..10 min`.
  ///   - steps: How many values, at least 2.
  /// - Returns: The values, without repetitions that rounding makes.
  /// - Throws: If the field is no quantity, or a bound is not a value of it.
  package func grid(_ range: String, steps: Int) throws(ScenarioError) -> [String] {
    var reader = ScenarioReader(file: "--vary \(name)=\(range)", vocabulary: .unchecked)
    reader.isOnCommandLine = true
    let parts = range.split(separator: ".", omittingEmptySubsequences: false)
    guard case .quantity(let dimension, let limits) = form else {
      reader.report(nil, "`\(name)` is no quantity", "list its values, separated by commas")
      try reader.throwIfAnyProblem()
      return []
    }
    guard let separator = range.firstRange(of: ".."), steps >= 2, parts.count >= 3 else {
      reader.report(nil, "this is not a range", "write `lower..upper`, with at least 2 steps")
      try reader.throwIfAnyProblem()
      return []
    }
    let bounds = [range[..<separator.lowerBound], range[separator.upperBound...]].map {
      SourceNode(place: nil, content: .scalar(String($0)))
    }
    let isWhole = dimension != .share
    let values = bounds.compactMap { node -> Double? in
      guard isWhole else { return reader.real(node, dimension, in: limits) }
      let whole = Int64(limits.lowerBound)...Int64(limits.upperBound)
      return reader.whole(node, dimension, in: whole).map { Double($0) }
    }
    try reader.throwIfAnyProblem()
    guard values.count == 2, values[0] <= values[1] else {
      reader.report(nil, "the lower bound is above the upper", "swap them")
      try reader.throwIfAnyProblem()
      return []
    }
    var texts: [String] = []
    for step in 0..<steps {
      let share = Double(step) / Double(steps - 1)
      let value = Self.between(values[0], values[1], share: share, isWhole: isWhole)
      let text = dimension.text(of: value)
      if texts.last != text { texts.append(text) }
    }
    return texts
  }

  /// A value in the one way in which reports write it: a quantity with its unit, `10000 entities` for
  /// `10_000`; anything else as it is.
  ///
  /// - Throws: If the field is a quantity and the text is neither one nor a word.
  package func spelling(of text: String) throws(ScenarioError) -> String {
    guard case .quantity(let dimension, let limits) = form,
      text.utf8.contains(where: { (48...57).contains($0) })
    else { return text }
    var reader = ScenarioReader(file: "--vary \(name)=\(text)", vocabulary: .unchecked)
    reader.isOnCommandLine = true
    let node = SourceNode(place: nil, content: .scalar(text))
    let value: Double? =
      if dimension == .share {
        reader.real(node, dimension, in: limits)
      } else {
        reader.whole(
          node, dimension, in: Int64(limits.lowerBound)...Int64(limits.upperBound)
        ).map { Double($0) }
      }
    try reader.throwIfAnyProblem()
    return value.map { dimension.text(of: $0) } ?? text
  }

  /// A point between two values, in equal ratios; in equal steps from zero.
  private static func between(
    _ lower: Double, _ upper: Double, share: Double, isWhole: Bool
  ) -> Double {
    if share == 0 || lower == upper { return lower }
    if share == 1 { return upper }
    let exact =
      lower > 0
      ? lower * PortableMath.exp(share * PortableMath.log(upper / lower))
      : upper * share
    var unit = 1.0
    while exact / unit >= 1_000 { unit *= 10 }
    while !isWhole && exact / unit < 100 { unit /= 10 }
    return (exact / unit).rounded() * unit
  }
}

extension CacheSection {
  /// This section with one field set from text, as `tune --vary` writes it.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - text: Its value; a count may stand without its unit.
  ///   - vocabulary: The known eviction orders.
  /// - Returns: The changed section.
  /// - Throws: If the field is unknown or the text is no value of it.
  package func setting(
    field name: String, to text: String, vocabulary: Vocabulary = .unchecked
  ) throws(ScenarioError) -> CacheSection {
    var reader = ScenarioReader(file: "--vary \(name)=\(text)", vocabulary: vocabulary)
    reader.isOnCommandLine = true
    var copy = self
    if let field = Self.fields.first(where: { $0.name == name }) {
      field.assign(&copy, SourceNode(place: nil, content: .scalar(text)), &reader)
      copy.validate(at: nil, &reader)
    } else {
      reader.report(
        nil, "unknown field `\(name)`", reader.remedy(for: name, among: Self.fields.map(\.name)))
    }
    try reader.throwIfAnyProblem()
    return copy
  }
}
