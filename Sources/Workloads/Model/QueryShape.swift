/// A shape of query: its entities, order, and page size.
package struct QueryShape: Hashable, Sendable {
  package var name: String
  /// The types of listed entities, by their indices in the model.
  package var types: [Int]
  /// The conditions, all of which must be true.
  package var conditions: [Condition]
  /// The fields of the order, at most two; ties by the entity's key.
  ///
  /// Empty: in the order of an app's results, which does not follow from states; only with
  /// ``Truth/observed``.
  package var order: [Ordering]
  package var rows: Int
  /// Whether rows after the last can be fetched by a cursor.
  package var isPaged = false
  /// The part of each entity that it lists; `nil`: the whole.
  package var part: Part?
  /// The type of the subject; `nil` without a subject.
  package var subjectType: Int?
  /// Whether its subject is always the client's own entity.
  package var isAboutMe = false
  /// The number of typed letters from which on an answer is cached; always for queries without typing.
  package var cachedFrom = 0
  package var reportClass: String

  package init(
    name: String, types: [Int], conditions: [Condition], order: [Ordering], rows: Int,
    reportClass: String
  ) {
    self.name = name
    self.types = types
    self.conditions = conditions
    self.order = order
    self.rows = rows
    self.reportClass = reportClass
  }

  package enum Condition: Hashable, Sendable {
    /// The reference is the subject.
    case isSubject(Member)
    /// The subject is among the references.
    case includesSubject(Member)
    /// The entity is the subject: a page about one entity.
    case isSubjectItself
    /// The text begins with the typed letters.
    case beginsWithTyped(Member)
    /// The flag is set, or is not.
    case flag(Member, Bool)
    /// A number compared with a constant.
    case compares(Member, Comparison, Int64)
  }

  package enum Part: String, Hashable, Sendable {
    case summary
  }

  package enum Comparison: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case equal = "="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"
  }

  package struct Member: Hashable, Sendable {
    package var name: String
    package var slot: Int

    package init(_ field: ModelField) {
      name = field.name
      slot = field.slot
    }
  }

  package struct Ordering: Hashable, Sendable {
    package var member: Member
    package var isDescending: Bool

    package init(_ member: Member, isDescending: Bool) {
      self.member = member
      self.isDescending = isDescending
    }
  }

  /// The field compared with typed letters; `nil` without typing.
  package var typedField: Member? {
    for case .beginsWithTyped(let member) in conditions { return member }
    return nil
  }

  /// The reference to the subject by which an entity is listed; `nil` without one.
  package var subjectReference: Member? {
    for case .isSubject(let member) in conditions where !isAboutMe { return member }
    return nil
  }

  /// Whether a row may be the subject of a further list, as of directories.
  package var isNested: Bool {
    subjectReference != nil && subjectType.map { types.contains($0) } ?? false
  }

  /// Whether it can be opened without choosing a subject.
  package var isAskedByItself: Bool { typedField == nil && (!hasSubject || isAboutMe) }

  /// Returns the subjects under which a state is listed, ignoring typed letters; 0 means none.
  package func subjects(
    of object: UInt32, word: (Int) -> UInt64,
    references: (UInt64) -> ArraySlice<UInt32>
  ) -> [Int] {
    var subjects: [Int]?
    for condition in conditions {
      let named: [Int]
      switch condition {
      case .isSubject(let member):
        let target = UInt32(truncatingIfNeeded: word(member.slot))
        named = target == Revision.noObject ? [] : [Int(target)]
      case .includesSubject(let member):
        named = references(word(member.slot)).map { Int($0) }
      case .isSubjectItself: named = [Int(object)]
      case .beginsWithTyped: continue
      case .flag(let member, let isSet):
        guard (word(member.slot) != 0) == isSet else { return [] }
        continue
      case .compares(let member, let comparison, let constant):
        let number = OrderedWord.number(word(member.slot))
        guard comparison.holds(number, constant) else { return [] }
        continue
      }
      subjects = subjects.map { $0.filter(named.contains) } ?? named
    }
    return subjects ?? [0]
  }

  /// Whether it lists summaries of entities instead of the whole.
  package var showsSummaries: Bool {
    get { part == .summary }
    set { part = newValue ? .summary : nil }
  }

  /// Returns whether a field affects its membership or order.
  package func dependsOn(slot: Int) -> Bool {
    order.contains { $0.member.slot == slot }
      || conditions.contains { condition in
        switch condition {
        case .isSubject(let member), .includesSubject(let member), .beginsWithTyped(let member),
          .flag(let member, _), .compares(let member, _, _):
          member.slot == slot
        case .isSubjectItself: false
        }
      }
  }

  /// Whether its members and order are known only from results.
  package var isAsShown: Bool { order.isEmpty }

  package var hasSubject: Bool { subjectType != nil }
}

extension QueryShape.Comparison {
  func holds(_ number: Int64, _ constant: Int64) -> Bool {
    switch self {
    case .equal: number == constant
    case .unequal: number != constant
    case .atMost: number <= constant
    case .atLeast: number >= constant
    case .less: number < constant
    case .greater: number > constant
    }
  }
}
