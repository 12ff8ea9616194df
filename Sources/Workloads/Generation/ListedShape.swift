/// What places a state in the lists of a query shape, without texts.
///
/// It is read for every change and every step of a search: a shape has more to count references to than
/// there is to do.
struct ListedShape {
  /// The fields of the order; `nil` from the first that it does not have.
  let order: (first: Term?, second: Term?)
  /// The tests, by their places in ``ListedShapes/tests``.
  let tests: Range<Int>
  /// Whether a state can be listed under several subjects.
  let hasSeveralSubjects: Bool
  /// The size of a page.
  let rows: Int
  /// How many rows of a list are kept: all where a cursor or typed letters lead behind the first answer,
  /// otherwise some that may leave before the list is made again.
  let keptRows: Int

  struct Term: BitwiseCopyable {
    let slot: Int
    let isDescending: Bool

    init(_ ordering: QueryShape.Ordering) {
      slot = ordering.member.slot
      isDescending = ordering.isDescending
    }

    /// Returns a word whose ascending order is that of the field.
    func key(_ word: UInt64) -> UInt64 { isDescending ? ~word : word }
  }

  /// A condition that does not depend on typed letters.
  enum Test: BitwiseCopyable {
    case isSubject(slot: Int)
    case isSubjectItself
    case flag(slot: Int, isSet: Bool)
    case compares(slot: Int, QueryShape.Comparison, Int64)
  }
}

/// The shapes of a model, by index, and by the types that they list.
struct ListedShapes {
  let shapes: [ListedShape]
  let tests: [ListedShape.Test]
  /// The shapes that list each type, one type after the other.
  let places: [Int]
  /// The part of ``places`` for each type.
  let placesOfType: [Range<Int>]

  init(_ model: DataModel) {
    var tests: [ListedShape.Test] = []
    shapes = model.shapes.map { shape in
      let start = tests.count
      var hasSeveralSubjects = false
      for condition in shape.conditions {
        switch condition {
        case .isSubject(let member): tests.append(.isSubject(slot: member.slot))
        case .isSubjectItself: tests.append(.isSubjectItself)
        case .flag(let member, let isSet): tests.append(.flag(slot: member.slot, isSet: isSet))
        case .compares(let member, let comparison, let constant):
          tests.append(.compares(slot: member.slot, comparison, constant))
        case .beginsWithTyped: continue
        case .includesSubject: hasSeveralSubjects = true
        }
      }
      return ListedShape(
        order: (
          shape.order.first.map(ListedShape.Term.init),
          shape.order.dropFirst().first.map(ListedShape.Term.init)
        ),
        tests: start..<tests.count, hasSeveralSubjects: hasSeveralSubjects, rows: shape.rows,
        keptRows: shape.isPaged || shape.typedField != nil
          ? .max : shape.rows + max(shape.rows, 1_000))
    }
    self.tests = tests
    var places: [Int] = []
    placesOfType = model.types.indices.map { type in
      let start = places.count
      places += model.shapes.indices.filter { model.shapes[$0].types.contains(type) }
      return start..<places.count
    }
    self.places = places
  }

  subscript(place: Int) -> ListedShape { shapes[place] }
}
