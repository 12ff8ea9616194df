import CacheModel
package import Workloads

/// A declared form of query over notes, in plain values.
///
/// The servers answer by it as it stands here (`NoteShape+Truth.swift`). The cache under test is given the
/// same as a scenario's ``DataModel``, read by the simulator's schema (``NoteModel``): the two share no code.
package struct NoteShape: Hashable, Sendable {
  /// Which notes it lists: a type for each of two sources of the library.
  package enum Types: String, Hashable, Sendable, CaseIterable {
    case notes, tasks, both
  }

  /// What it is asked about.
  package enum Subject: String, Hashable, Sendable, CaseIterable {
    case nothing
    /// A folder that notes refer to.
    case folder
    /// A folder that is among those that notes refer to.
    case labels
    /// A letter that titles begin with.
    case typed
  }

  /// What rows are compared by.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case number, title, star, length, time
  }

  package struct Bound: Hashable, Sendable {
    package var comparison: QueryShape.Comparison
    package var length: Int
  }

  package struct Order: Hashable, Sendable {
    package var field: Field
    package var isDescending: Bool
  }

  package var types: Types
  package var subject: Subject
  package var star: Bool?
  package var bound: Bound?
  /// One or two.
  package var order: [Order]
  package var rows: Int
  /// Whether all but the first of its queries begin behind a row.
  package var isPaged: Bool
  /// Whether it shows a summary of each note, and not the whole.
  package var showsSummaries = false
}

extension NoteShape {
  /// The queries of a shape: each about something of its own.
  package static let variants = 3
  /// The shapes of a program.
  package static let count = 4
  /// The last has all rows.
  static let windows = [1, 3, 4, 7, 100, 100]

  static let folders = 0..<3
  static let titles = ["a", "b", "c", "d", "e", "f"]
  static let lengths = 0..<6

  /// Draws the shapes of a program.
  static func drawn(seed: UInt64) -> [NoteShape] {
    var random = RandomSource(seed: seed).substream("shapes")
    var levels = RandomSource(seed: seed).substream("levels")
    func one<Value>(of values: [Value]) -> Value { values[random.below(values.count)] }
    return (0..<count).map { _ in
      let first = Order(field: one(of: Field.allCases), isDescending: random.chance(0.5))
      let second = Order(field: one(of: Field.allCases), isDescending: random.chance(0.5))
      var shape = NoteShape(
        types: one(of: Types.allCases), subject: one(of: Subject.allCases),
        star: random.chance(0.3) ? random.chance(0.5) : nil,
        bound: random.chance(0.3)
          ? Bound(comparison: one(of: QueryShape.Comparison.allCases), length: random.below(5))
          : nil,
        order: random.chance(0.6) && first.field != second.field ? [first, second] : [first],
        rows: one(of: windows), isPaged: random.chance(0.3))
      shape.showsSummaries = levels.chance(0.4)
      return shape
    }
  }
}
