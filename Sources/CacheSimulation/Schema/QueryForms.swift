import CacheModel
import Workloads

/// The query shapes of a model for the cache's schema, in flat columns of plain values.
struct QueryForms: Sendable {
  private(set) var forms: [QueryForm] = []
  /// The conditions of all shapes, without the first of each.
  private(set) var tests: [FieldTest] = []
  /// The beginning of each type's listings, and at the end that of the last ones.
  private(set) var firstListing: [Int] = [0]
  /// The possible scopes of a type's entities: scopes of single values before those of lists.
  private(set) var listings: [Listing] = []
  /// The meaning of the lists of references.
  private(set) var groups: [Group] = []

  /// A scope, or one for each reference.
  struct Listing: Sendable, BitwiseCopyable {
    enum Form: Sendable, BitwiseCopyable {
      case whole
      case itself
      /// The entity that a field refers to.
      case reference(Int)
      /// The entities that a field refers to, by their types: a range of `groups`.
      case references(Int, first: Int32, end: Int32)
    }

    var kind: UInt16
    var form: Form
    var tests: FieldTest.Range
  }

  /// A shape that lists entities with references to a type.
  struct Group: Sendable, BitwiseCopyable {
    var kind: UInt16
    var subject: UInt16
    var tests: FieldTest.Range
  }

  init(of model: DataModel) {
    for shape in model.shapes { add(shape) }
    for type in model.types.indices {
      addListings(ofType: type, model)
      firstListing.append(listings.count)
    }
  }

  private mutating func add(_ shape: QueryShape) {
    var types: UInt64 = 0
    for type in shape.types { types |= 1 << UInt64(type + 1) }
    // Conditions that depend on the query come first: they exclude most entities.
    let own = shape.conditions.filter { $0.dependsOnQuery }.map { FieldTest($0) }
    let start = Int32(tests.count)
    tests += own.dropFirst()
    tests += shape.conditions.filter { !$0.dependsOnQuery }.map { FieldTest($0) }
    let orders = shape.order.map { FieldOrder($0) }
    forms.append(
      QueryForm(
        types: types, test: own.first ?? .all,
        rest: FieldTest.Range(first: start, end: Int32(tests.count)), first: orders.first,
        second: orders.count > 1 ? orders[1] : nil))
  }

  /// Adds the listings of a type; those of lists of references are last, together for each field, in the
  /// order of the references.
  private mutating func addListings(ofType type: Int, _ model: DataModel) {
    var fields: [Int] = []
    for (place, shape) in model.shapes.enumerated() where shape.types.contains(type) {
      let kind = DataModel.kind(ofShape: place).rawValue
      switch shape.subjectSlot {
      case .includes(let slot)?:
        if !fields.contains(slot) { fields.append(slot) }
      case .refers(let slot)?:
        listings.append(
          Listing(kind: kind, form: .reference(slot), tests: constants(of: shape)))
      case .itself?:
        listings.append(Listing(kind: kind, form: .itself, tests: constants(of: shape)))
      case nil:
        listings.append(Listing(kind: kind, form: .whole, tests: constants(of: shape)))
      }
    }
    for field in fields {
      let first = Int32(groups.count)
      for (place, shape) in model.shapes.enumerated() where shape.types.contains(type) {
        guard case .includes(field)? = shape.subjectSlot, let subject = shape.subjectType else {
          continue
        }
        groups.append(
          Group(
            kind: DataModel.kind(ofShape: place).rawValue,
            subject: DataModel.resourceType(ofType: subject).rawValue,
            tests: constants(of: shape)))
      }
      listings.append(
        Listing(
          kind: 0, form: .references(field, first: first, end: Int32(groups.count)),
          tests: FieldTest.Range(first: 0, end: 0)))
    }
  }

  /// Returns the conditions of a shape that do not depend on the query.
  private mutating func constants(of shape: QueryShape) -> FieldTest.Range {
    let start = Int32(tests.count)
    tests += shape.conditions.filter { !$0.dependsOnQuery }.map { FieldTest($0) }
    return FieldTest.Range(first: start, end: Int32(tests.count))
  }
}

/// A query's parsed input; its shape is in ``QueryForms``.
///
/// A cache has one for each query: 32 bytes.
package struct QueryPredicate: Sendable, BitwiseCopyable {
  /// The index of its shape.
  let form: UInt16
  /// Whether the log has its members and their order.
  var isAsShown = false
  /// If so, its list in ``ShownLists``.
  var list = ShownLists.none
  /// The subject; `noObject` if the shape or the input has none.
  let subject: UInt32
  /// The state after which its rows begin; `noObject`: from the first.
  let after: UInt32
  /// The first letters of a typed text, as a range of codes.
  let firstName: UInt64
  let endName: UInt64

  init(_ spec: QuerySpec) {
    form = spec.kind.rawValue - 1
    subject = UInt32(exactly: spec.subject) ?? Revision.noObject
    after = spec.after
    let names = spec.prefixLength > 0 ? spec.nameRange : 0..<0
    firstName = names.lowerBound
    endName = names.upperBound
  }
}

/// A query shape, as the cache's schema tests it.
struct QueryForm: Sendable, BitwiseCopyable {
  /// A bit for the number of each listed type.
  var types: UInt64
  var test: FieldTest
  /// Further tests, in ``QueryForms``.
  var rest: FieldTest.Range
  /// `nil` for shapes ordered only by a log.
  var first: FieldOrder?
  var second: FieldOrder?

  @inline(__always)
  func lists(_ type: ResourceType) -> Bool {
    type.rawValue < 64 && types & (1 << UInt64(type.rawValue)) != 0
  }
}

struct FieldOrder: Sendable, BitwiseCopyable {
  var slot: Int
  var isDescending: Bool

  init(_ ordering: QueryShape.Ordering) {
    slot = ordering.member.slot
    isDescending = ordering.isDescending
  }
}

enum FieldTest: Sendable, BitwiseCopyable {
  case all
  case isSubject
  case refers(Int)
  case includes(Int)
  case begins(Int)
  case isSet(Int, Bool)
  case compares(Int, QueryShape.Comparison, Int64)

  /// Some of ``QueryForms/tests``.
  struct Range: Sendable, BitwiseCopyable {
    var first: Int32
    var end: Int32
  }

  init(_ condition: QueryShape.Condition) {
    self =
      switch condition {
      case .isSubject(let member): .refers(member.slot)
      case .isSubjectItself: .isSubject
      case .includesSubject(let member): .includes(member.slot)
      case .beginsWithTyped(let member): .begins(member.slot)
      case .flag(let member, let isSet): .isSet(member.slot, isSet)
      case .compares(let member, let comparison, let constant):
        .compares(member.slot, comparison, constant)
      }
  }
}

extension QueryShape.Condition {
  /// Whether it depends on the query, not on the entity alone.
  fileprivate var dependsOnQuery: Bool {
    switch self {
    case .isSubject, .includesSubject, .isSubjectItself, .beginsWithTyped: true
    case .flag, .compares: false
    }
  }
}

extension QueryShape {
  fileprivate enum SubjectSlot {
    case refers(Int)
    case includes(Int)
    case itself
  }

  /// The field that puts an entity into a subject's scope.
  fileprivate var subjectSlot: SubjectSlot? {
    for condition in conditions {
      switch condition {
      case .isSubject(let member): return .refers(member.slot)
      case .includesSubject(let member): return .includes(member.slot)
      case .isSubjectItself: return .itself
      default: continue
      }
    }
    return nil
  }
}

/// In which scopes queries of a workload stand.
///
/// A cache that is asked nothing else need not look for lists in the others: most of an entity's scopes may be
/// lists of users who are not simulated.
struct AskedScopes: Sendable {
  /// A bit for each object that a query may be about, and one for none, shape by shape.
  private var words: [UInt64]
  private let wordsOfShape: Int

  init(of workload: Workload) {
    let objects = workload.catalog.objects.count
    wordsOfShape = objects / 64 + 1
    words = [UInt64](repeating: 0, count: workload.model.shapes.count * wordsOfShape)
    for query in workload.queries {
      guard let shape = workload.model.shape(of: query.kind) else { continue }
      let subject = shape.hasSubject ? Int(clamping: query.subject) : objects
      guard subject <= objects else { continue }
      words[place(query.kind.rawValue, subject)] |= 1 << UInt64(subject & 63)
    }
  }

  /// Whether a query of a shape is about an object; about none: as many as there are.
  @inline(__always) func has(_ kind: UInt16, _ subject: Int) -> Bool {
    words[place(kind, subject)] & 1 << UInt64(subject & 63) != 0
  }

  private func place(_ kind: UInt16, _ subject: Int) -> Int {
    (Int(kind) - 1) * wordsOfShape + (subject >> 6)
  }
}
