import CacheModel
package import Text

/// A part of a scenario that is written as keys and values.
protocol ScenarioSection: Sendable {
  /// Creates an empty section.
  init()
  /// All keys, described once: for parsing, suggestions and documentation.
  static var fields: [Field<Self>] { get }
  /// Returns the keys for a scenario that declares its data; without a model, those in any file.
  static func fields(of model: DataModel?) -> [Field<Self>]
  /// Whether its check ignores consequences of parts that could not be read.
  static var isCheckedInParts: Bool { get }
  /// Checks rules across several fields.
  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader)
}

extension ScenarioSection {
  static func fields(of model: DataModel?) -> [Field<Self>] { fields }

  static var isCheckedInParts: Bool { false }

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {}
}

/// One key of a section: its name, kind, meaning, and destination.
struct Field<Section>: Sendable {
  let name: String
  let form: FieldForm
  let summary: String
  var isRequired = false
  /// The form of a scalar that it may contain instead of a section.
  var scalarForm: FieldForm?
  /// The form of a scalar that each element of its list, or each named entry, may contain instead of a
  /// section.
  var elementForm: FieldForm?
  /// The keys of its section, or of each element of its list.
  var within: @Sendable () -> [FieldOutline] = { [] }
  /// Whether those keys are in sections, or lists, with names given by the file.
  var holdsNames = false
  /// Returns its value in a section, as in a file; `nil`: none.
  var initial: @Sendable (Section) -> String? = { _ in nil }
  let assign: @Sendable (inout Section, SourceNode, inout ScenarioReader) -> Void

  func required() -> Field {
    var copy = self
    copy.isRequired = true
    return copy
  }

  /// Adds the keys of a section to a node, or of a section for each name, each of which may be a scalar
  /// instead.
  func holding<Held: ScenarioSection>(
    _ section: Held.Type, byName: Bool = false, or elementForm: FieldForm? = nil
  ) -> Field {
    var copy = self
    copy.within = { Held.outlines }
    copy.holdsNames = byName
    copy.elementForm = elementForm
    return copy
  }
}

package enum FieldForm: Hashable, Sendable {
  /// A number with a unit, within a range in the base unit.
  case quantity(Dimension, ClosedRange<Double>)
  /// One of a list of names; empty if another module has the list.
  case choice([String])
  /// One of the names of another module.
  case registered(Vocabulary.Names)
  case text
  /// A word or an expression of this kind.
  case named(String)
  /// One or a list of them.
  case several(String)
  /// Shares by names of this kind, with a sum of 100 %.
  case shares(String)
  case section
  case list
}

/// A key path to a field's destination that can be stored in a table.
typealias FieldPath<Section, Value> = any WritableKeyPath<Section, Value> & Sendable

extension Field {
  static func duration(
    _ name: String, _ path: FieldPath<Section, Duration>, _ range: ClosedRange<Duration>,
    _ summary: String
  ) -> Field {
    whole(
      name, .duration, nanoseconds(range), summary, initial: { $0[keyPath: path].wholeNanoseconds }
    ) { $0[keyPath: path] = .nanoseconds($1) }
  }

  static func duration(
    _ name: String, _ path: FieldPath<Section, Duration?>, _ range: ClosedRange<Duration>,
    _ summary: String
  ) -> Field {
    whole(
      name, .duration, nanoseconds(range), summary, initial: { $0[keyPath: path]?.wholeNanoseconds }
    ) { $0[keyPath: path] = .nanoseconds($1) }
  }

  static func count(
    _ name: String, of plural: String, _ path: FieldPath<Section, Int>, _ range: ClosedRange<Int64>,
    _ summary: String
  ) -> Field {
    whole(name, .count(plural), range, summary, initial: { Int64($0[keyPath: path]) }) {
      $0[keyPath: path] = Int($1)
    }
  }

  static func count(
    _ name: String, of plural: String, _ path: FieldPath<Section, Int?>,
    _ range: ClosedRange<Int64>, _ summary: String
  ) -> Field {
    whole(name, .count(plural), range, summary, initial: { $0[keyPath: path].map { Int64($0) } }) {
      $0[keyPath: path] = Int($1)
    }
  }

  static func size(
    _ name: String, _ path: FieldPath<Section, Int?>, _ range: ClosedRange<Int64>, _ summary: String
  ) -> Field {
    whole(name, .size, range, summary, initial: { $0[keyPath: path].map { Int64($0) } }) {
      $0[keyPath: path] = Int($1)
    }
  }

  static func bandwidth(
    _ name: String, _ path: FieldPath<Section, Int?>, _ range: ClosedRange<Int64>, _ summary: String
  ) -> Field {
    whole(name, .bandwidth, range, summary, initial: { $0[keyPath: path].map { Int64($0) } }) {
      $0[keyPath: path] = Int($1)
    }
  }

  static func rate(
    _ name: String, _ path: FieldPath<Section, Double>, _ range: ClosedRange<Double>,
    _ summary: String
  ) -> Field {
    real(name, .rate, path, range, summary)
  }

  static func share(
    _ name: String, _ path: FieldPath<Section, Double>, _ summary: String
  ) -> Field {
    real(name, .share, path, 0...1, summary)
  }

  /// Returns a field for the mean of a count, which need not be whole.
  static func mean(
    _ name: String, of plural: String, _ path: FieldPath<Section, Double>,
    _ range: ClosedRange<Double>, _ summary: String
  ) -> Field {
    real(name, .count(plural), path, range, summary)
  }

  static func real(
    _ name: String, _ dimension: Dimension, _ path: FieldPath<Section, Double>,
    _ range: ClosedRange<Double>, _ summary: String
  ) -> Field {
    Field(
      name: name, form: .quantity(dimension, range), summary: summary,
      initial: { dimension.inWords($0[keyPath: path]) }
    ) {
      if let value = $2.real($1, dimension, in: range) { $0[keyPath: path] = value }
    }
  }

  static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: FieldPath<Section, Value>, _ summary: String
  ) -> Field {
    let names = Value.allCases.map(\.rawValue)
    return Field(
      name: name, form: .choice(names), summary: summary, initial: { $0[keyPath: path].rawValue }
    ) {
      if let chosen = $2.word($1, ofKey: name, among: names),
        let value = Value(rawValue: chosen)
      {
        $0[keyPath: path] = value
      }
    }
  }

  /// Returns a field for a name of letters, digits and hyphens, suitable for a file name and a CSV cell.
  static func identifier(
    _ name: String, _ path: FieldPath<Section, String>, _ summary: String
  ) -> Field {
    Field(name: name, form: .text, summary: summary, initial: { $0[keyPath: path] }) {
      guard let text = $2.scalar($1) else { return }
      let isPlain = text.utf8.allSatisfy {
        $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: "-")
      }
      guard isPlain, !text.isEmpty, text.utf8.count <= 64 else {
        $2.report(
          $1.place, "`\(ScenarioReader.shortened(text))` is not a name",
          "use up to 64 lower-case letters, digits and hyphens")
        return
      }
      $0[keyPath: path] = text
    }
  }

  static func text(_ name: String, _ path: FieldPath<Section, String>, _ summary: String) -> Field {
    Field(name: name, form: .text, summary: summary, initial: { $0[keyPath: path] }) {
      if let text = $2.scalar($1) { $0[keyPath: path] = text }
    }
  }

  static func flag(_ name: String, _ path: FieldPath<Section, Bool>, _ summary: String) -> Field {
    Field(
      name: name, form: .choice(["yes", "no"]), summary: summary,
      initial: { $0[keyPath: path] ? "yes" : "no" }
    ) {
      if let word = $2.word($1, ofKey: name, among: ["yes", "no"]) {
        $0[keyPath: path] = word == "yes"
      }
    }
  }

  static func section<Value: ScenarioSection>(
    _ name: String, _ path: FieldPath<Section, Value>, _ summary: String
  ) -> Field {
    Field(name: name, form: .section, summary: summary, within: { Value.outlines }) {
      $2.read($1, into: &$0[keyPath: path])
    }
  }

  static func section<Value: ScenarioSection>(
    _ name: String, _ path: FieldPath<Section, Value?>, startingFrom start: Value,
    _ summary: String
  ) -> Field {
    Field(name: name, form: .section, summary: summary, within: { Value.outlines }) {
      var value = start
      $2.read($1, into: &value)
      $0[keyPath: path] = value
    }
  }

  static func list<Value: ScenarioSection>(
    _ name: String, _ path: FieldPath<Section, [Value]>, startingFrom start: Value, limit: Int,
    _ summary: String
  ) -> Field {
    Field(name: name, form: .list, summary: summary, within: { Value.outlines }) {
      guard case .sequence(let nodes) = $1.content else {
        $2.report($1.place, "a list is expected here, not \($1.kindName)", "begin each with `- `")
        return
      }
      guard nodes.count <= limit else {
        $2.report($1.place, "\(nodes.count) entries, the limit is \(limit)", "remove some")
        return
      }
      $0[keyPath: path] = []
      for node in nodes {
        var value = start
        $2.read(node, into: &value)
        $0[keyPath: path].append(value)
      }
    }
  }

  static func whole(
    _ name: String, _ dimension: Dimension, _ range: ClosedRange<Int64>, _ summary: String,
    initial: @escaping @Sendable (Section) -> Int64? = { _ in nil },
    _ store: @escaping @Sendable (inout Section, Int64) -> Void
  ) -> Field {
    let bounds = Double(range.lowerBound)...Double(range.upperBound)
    return Field(
      name: name, form: .quantity(dimension, bounds), summary: summary,
      initial: { initial($0).flatMap { range.contains($0) ? dimension.inWords(Double($0)) : nil } }
    ) {
      if let value = $2.whole($1, dimension, in: range) { store(&$0, value) }
    }
  }

  private static func nanoseconds(_ range: ClosedRange<Duration>) -> ClosedRange<Int64> {
    range.lowerBound.wholeNanoseconds...range.upperBound.wholeNanoseconds
  }
}

extension Duration {
  static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
  static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
  static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
