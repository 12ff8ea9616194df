/// A form of query: what it lists, in which order, and how much of it at a time.
package struct QueryShape: Hashable, Sendable {
  package var name: String
  /// The types of entity that it lists, by their places in the model.
  package var types: [Int]
  /// All of them must hold.
  package var conditions: [Condition]
  /// By what rows are ordered, at most two fields; ties by the key of the entity.
  ///
  /// Empty: in the order of an app's results, which does not follow from states; only with ``Truth/observed``.
  package var order: [Ordering]
  /// The most rows in a result.
  package var rows: Int
  /// Whether what lies behind the last row can be asked for, by a cursor.
  package var isPaged = false
  /// How much of each entity it lists; `nil`: the whole.
  package var part: Part?
  /// The type of the entity that it is asked about; `nil` if it is about none.
  package var subjectType: Int?
  /// Whether its subject is always the client's own entity.
  package var isAboutMe = false
  /// From how many typed letters on an answer is kept; of what is not typed, always.
  package var cachedFrom = 0
  /// The class under which reports add up its reads.
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
    /// The reference is the query's subject.
    case isSubject(Member)
    /// The subject is among the references.
    case includesSubject(Member)
    /// The entity itself is the subject: a page about one thing.
    case isSubjectItself
    /// The text begins with what was typed.
    case beginsWithTyped(Member)
    /// The flag is set, or is not.
    case flag(Member, Bool)
    /// The number compares so with a constant.
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

  /// A field that all listed types have.
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

  /// The field that typed letters are compared with; `nil` if nothing is typed.
  package var typedField: Member? {
    for case .beginsWithTyped(let member) in conditions { return member }
    return nil
  }

  /// The reference by which an entity is listed under a subject; `nil` if there is none.
  package var subjectReference: Member? {
    for case .isSubject(let member) in conditions where !isAboutMe { return member }
    return nil
  }

  /// Whether a row of it may be what the next is asked about, as one directory lists others.
  package var isNested: Bool {
    subjectReference != nil && subjectType.map { types.contains($0) } ?? false
  }

  /// Whether it can be asked without a choice of what about.
  package var isAskedByItself: Bool { typedField == nil && (!hasSubject || isAboutMe) }

  /// By which subjects a state is listed, typed letters aside; 0 means none.
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

  /// Whether it lists summaries of its entities, and not the whole of each.
  package var showsSummaries: Bool {
    get { part == .summary }
    set { part = newValue ? .summary : nil }
  }

  /// Whether a field has a say in which rows it lists, or in their order.
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

  /// Whether only results show its members and their order.
  package var isAsShown: Bool { order.isEmpty }

  /// Whether it is asked about an entity.
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
