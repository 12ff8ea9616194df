package import CacheModel
package import NormalizedCache
package import Workloads

/// The smallest app with all features that a cache must support: notes in folders, with titles for their
/// order, stars as a filter, and a text of some length.
package struct Note: Hashable, Sendable {
  package var folder: Int
  package var title: String
  package var isStarred: Bool
  package var text: String
  /// Whether only the length of its text is known, as in lists of summaries.
  package private(set) var isSummary = false

  package init(folder: Int, title: String, isStarred: Bool = false, text: String = "") {
    self.folder = folder
    self.title = title
    self.isStarred = isStarred
    self.text = text
  }

  package var summary: Note {
    var summary = self
    summary.isSummary = true
    return summary
  }

  var content: Note {
    var content = self
    content.isSummary = false
    return content
  }
}

package enum NoteQuery: Hashable, Sendable {
  /// The notes in a folder, by title, then key.
  case folder(Int)
  /// All starred notes, by title, then key, at most `limit`.
  case starred(limit: Int)
  /// Notes by a criterion that only the server can evaluate.
  case opaque
  /// A query that is never cached.
  case live
  /// A query of a declared shape; see ``NoteShape``.
  case declared(shape: Int, variant: Int)

  package static let folderMethod = QueryMethod(rawValue: 1)
  package static let starredMethod = QueryMethod(rawValue: 2)
  package static let opaqueMethod = QueryMethod(rawValue: 3)
  package static let liveMethod = QueryMethod(rawValue: 4)
  package static let methods = [folderMethod, starredMethod, opaqueMethod, liveMethod]
  /// The method of the first declared shape.
  private static let firstDeclaredMethod: UInt16 = 11

  package func key(in library: LibraryID = .test) -> QueryKey {
    switch self {
    case .folder(let folder):
      QueryKey(library: library, method: Self.folderMethod, input: Array("\(folder)".utf8))
    case .starred(let limit):
      QueryKey(library: library, method: Self.starredMethod, input: Array("\(limit)".utf8))
    case .opaque: QueryKey(library: library, method: Self.opaqueMethod, input: [])
    case .live: QueryKey(library: library, method: Self.liveMethod, input: [])
    case .declared(let shape, let variant):
      QueryKey(
        library: library,
        method: QueryMethod(rawValue: Self.firstDeclaredMethod + UInt16(shape)),
        input: Array("\(variant)".utf8))
    }
  }

  package init(_ key: QueryKey) {
    let number = Int(String(decoding: key.input, as: UTF8.self)) ?? 0
    self =
      switch key.method {
      case Self.folderMethod: .folder(number)
      case Self.starredMethod: .starred(limit: number)
      case Self.opaqueMethod: .opaque
      case Self.liveMethod: .live
      default:
        .declared(shape: Int(key.method.rawValue) - Int(Self.firstDeclaredMethod), variant: number)
      }
  }

  /// Returns whether a note is a member, if the app can evaluate that.
  package func lists(_ note: Note) -> Bool? {
    switch self {
    case .folder(let folder): note.folder == folder
    case .starred: note.isStarred
    case .opaque, .live, .declared: nil
    }
  }

  package var limit: Int? {
    if case .starred(let limit) = self { limit } else { nil }
  }
}

package enum NoteChange: Hashable, Sendable {
  case title(String)
  case folder(Int)
  case star(Bool)

  package func applied(to note: Note) -> Note {
    var note = note
    switch self {
    case .title(let title): note.title = title
    case .folder(let folder): note.folder = folder
    case .star(let isStarred): note.isStarred = isStarred
    }
    return note
  }
}

package typealias NoteMutation = ClientMutation<Note, NoteChange>
package typealias NoteEdit = NoteMutation.Edit

extension MutationToken {
  package static func mutation(_ number: Int) -> MutationToken {
    MutationToken(rawValue: UniqueID(high: 2, low: UInt64(number)))
  }
}

/// A declared shape of queries over notes, as a value.
///
/// The servers evaluate it directly (`NoteRules.swift`). The cache under test gets it as a scenario's
/// ``DataModel``, interpreted by the simulator's schema (``NoteModel``): the two share no code.
package struct NoteShape: Hashable, Sendable {
  /// The types of listed notes, one for each of two sources of the library.
  package enum Types: String, Hashable, Sendable, CaseIterable {
    case notes, tasks, both
  }

  package enum Subject: String, Hashable, Sendable, CaseIterable {
    case nothing
    case folder
    /// A folder among those that notes reference.
    case labels
    /// A prefix of titles, of one letter.
    case typed
  }

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
  /// One or two fields.
  package var order: [Order]
  package var rows: Int
  /// Whether its queries, except for the first, begin after a given row.
  package var isPaged: Bool
  /// Whether it shows summaries instead of full notes.
  package var showsSummaries = false
}

extension NoteShape {
  /// The number of queries of a shape, each with its own argument.
  package static let variants = 3
  package static let count = 4
  /// Window sizes; the last includes all rows.
  static let windows = [1, 3, 4, 7, 100, 100]

  static let folders = 0..<3
  static let titles = ["a", "b", "c", "d", "e", "f"]
  static let lengths = 0..<6

  /// Returns the random shapes of a program.
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
