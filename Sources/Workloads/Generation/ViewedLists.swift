import CacheModel

/// The lists with a subject that users have opened so far in a history, with their rows.
///
/// Only lists that are ever opened are stored, so that each state costs no more than its lists.
package struct ViewedLists {
  package struct List: Hashable {
    package let shape: Int
    package let subject: Int

    package init(shape: Int, subject: Int) {
      self.shape = shape
      self.subject = subject
    }
  }

  private let shapes: [QueryShape]
  /// The shapes of lists that are opened, by type.
  private let shapesOfType: [[Int]]
  private let views: [(at: Int64, list: List)]
  private var next = 0
  private var opened: Set<List> = []
  /// The latest views of all users, the latest last.
  private var latest: [List] = []
  /// The current and earlier members of each list.
  private var rows: [List: [UInt32]] = [:]

  /// The maximum number of latest views.
  private static let memory = 64

  /// Returns the views of lists with a subject, in order of time.
  package static func views(
    _ actions: [SessionAction], _ queries: [QuerySpec], _ shapes: [QueryShape]
  ) -> [(at: Int64, list: List)] {
    actions.compactMap { action in
      guard case .observe(let query) = action.kind else { return nil }
      let place = Int(queries[Int(query)].kind.rawValue) - 1
      guard shapes[place].hasSubject else { return nil }
      let subject = Int(truncatingIfNeeded: queries[Int(query)].subject)
      return (action.at.nanoseconds, List(shape: place, subject: subject))
    }.sorted { lhs, rhs in
      (lhs.at, lhs.list.shape, lhs.list.subject) < (rhs.at, rhs.list.shape, rhs.list.subject)
    }
  }

  init(_ actions: [SessionAction], _ queries: [QuerySpec], _ model: DataModel) {
    let shapes = model.shapes
    views = Self.views(actions, queries, shapes)
    for (_, list) in views { rows[list] = [] }
    let ever = Set(views.map(\.list.shape))
    self.shapes = shapes
    shapesOfType = model.types.indices.map { type in
      shapes.indices.filter { ever.contains($0) && shapes[$0].types.contains(type) }
    }
  }

  mutating func advance(to instant: Int64) {
    while next < views.count, views[next].at < instant {
      opened.insert(views[next].list)
      latest.append(views[next].list)
      if latest.count > Self.memory { latest.removeFirst() }
      next += 1
    }
  }

  /// Notes the lists that an object enters.
  mutating func note(_ object: UInt32, _ state: EntityStates, besides former: [[Int]]) {
    let now = subjects(of: object, state)
    for (index, shape) in shapesOfType[state.type(of: object)].enumerated() {
      for subject in now[index] where former.isEmpty || !former[index].contains(subject) {
        rows[List(shape: shape, subject: subject)]?.append(object)
      }
    }
  }

  /// Returns the subjects under which an object is currently listed, by the shapes of its type; empty for a
  /// deleted one.
  func subjects(of object: UInt32, _ state: EntityStates) -> [[Int]] {
    guard state.isAlive(object) else { return [] }
    return shapesOfType[state.type(of: object)].map { subjects(of: object, shapes[$0], state) }
  }

  private func subjects(
    of object: UInt32, _ shape: QueryShape, _ state: EntityStates
  ) -> [Int] {
    shape.subjects(
      of: object, word: { state.word($0, of: object) }, references: { state.references($0) })
  }

  /// Returns whether any opened list contains a live object.
  func contain(_ object: UInt32, _ state: EntityStates) -> Bool {
    shapesOfType[state.type(of: object)].contains { shape in
      subjects(of: object, shapes[shape], state).contains {
        opened.contains(List(shape: shape, subject: $0))
      }
    }
  }

  /// Draws a row of a type from one of the latest lists, later ones likelier; `nil` if the drawn position has
  /// none, or no list was opened yet.
  func row(
    ofType type: Int, _ state: EntityStates, _ random: inout RandomSource
  ) -> UInt32? {
    let point = random.unit()
    let place = random.unit()
    guard !latest.isEmpty else { return nil }
    // The square favours the latest.
    let list = latest[latest.count - 1 - Int(point * point * Double(latest.count))]
    guard let rows = rows[list], !rows.isEmpty else { return nil }
    let row = rows[Int(place * Double(rows.count))]
    guard state.isAlive(row), state.type(of: row) == type,
      subjects(of: row, shapes[list.shape], state).contains(list.subject)
    else { return nil }
    return row
  }
}
