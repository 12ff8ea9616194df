import CacheModel
import Workloads

/// The distinct lists of a workload's queries, numbered; limits and cursors are ignored.
struct AskedLists: Sendable {
  private(set) var sortings: [Sorting] = []
  /// The number of each list; looked up, never iterated.
  private var numbers: [Name: Int] = [:]
  private var forms: [Form] = []
  private var shapesOfType: [[Int]] = []

  private struct Name: Hashable {
    var kind: UInt16
    /// The subject, or the typed letters.
    var subject: UInt64 = 0
    var letters: UInt8 = 0
  }

  struct Sorting: Sendable {
    /// `nil` for lists that only a log knows: their answers come from the log.
    var first: Term?
    var second: Term?

    init(_ shape: QueryShape) {
      let terms = shape.order.map { Term(field: $0.member, isDescending: $0.isDescending) }
      first = terms.first
      second = terms.count > 1 ? terms[1] : nil
    }
  }

  struct Term: Sendable {
    var field: QueryShape.Member
    var isDescending: Bool

    /// Returns an ascending key, whatever the direction of the order.
    func key(of state: Int, in columns: StateColumns) -> UInt64 {
      let number = columns.number(field, of: state)
      return isDescending ? ~number : number
    }
  }

  /// How entities are assigned to the lists of a shape.
  private struct Form: Sendable {
    var place: Place = .everywhere
    var constants: [QueryShape.Condition] = []
    /// Whether any of its lists is read, and with how many letters.
    var isAsked = false
    var letters: [UInt8] = []

    enum Place: Sendable {
      case everywhere
      case under(QueryShape.Member)
      case underItself
      case underEach(QueryShape.Member)
      case byLetters(QueryShape.Member)
    }
  }

  init(_ queries: [QuerySpec], of model: DataModel) {
    shapesOfType = model.types.map { _ in [] }
    for (place, shape) in model.shapes.enumerated() {
      for type in shape.types { shapesOfType[type].append(place) }
      var form = Form()
      for condition in shape.conditions {
        switch condition {
        case .isSubject(let field): form.place = .under(field)
        case .includesSubject(let field): form.place = .underEach(field)
        case .isSubjectItself: form.place = .underItself
        case .beginsWithTyped(let field): form.place = .byLetters(field)
        case .flag, .compares: form.constants.append(condition)
        }
      }
      forms.append(form)
    }
    for query in queries {
      let shape = Int(query.kind.rawValue) - 1
      guard forms.indices.contains(shape), case let name = name(of: query), numbers[name] == nil
      else { continue }
      numbers[name] = sortings.count
      sortings.append(Sorting(model.shapes[shape]))
      forms[shape].isAsked = true
      if !forms[shape].letters.contains(name.letters) { forms[shape].letters.append(name.letters) }
    }
  }

  var count: Int { sortings.count }

  func section(of spec: QuerySpec) -> Int? { numbers[name(of: spec)] }

  /// Returns whether a query has a subject, which may not exist.
  func isAboutObject(_ spec: QuerySpec) -> Bool {
    guard case let shape = Int(spec.kind.rawValue) - 1, forms.indices.contains(shape) else {
      return false
    }
    return switch forms[shape].place {
    case .under, .underEach, .underItself: true
    case .everywhere, .byLetters: false
    }
  }

  private func name(of query: QuerySpec) -> Name {
    let shape = Int(query.kind.rawValue) - 1
    var name = Name(kind: query.kind.rawValue)
    guard forms.indices.contains(shape) else { return name }
    switch forms[shape].place {
    case .everywhere: break
    case .under, .underEach, .underItself: name.subject = query.subject
    case .byLetters:
      name.letters = min(query.prefixLength, UInt8(LetterCode.maximumLetters))
      name.subject = Self.first(name.letters, of: query.subject)
    }
    return name
  }

  private static func first(_ letters: UInt8, of name: UInt64) -> UInt64 {
    let rest = UInt64(LetterCode.bitsPerLetter * (LetterCode.maximumLetters - Int(letters)))
    return (name >> rest) << rest
  }

  /// Calls `body` once with the section of each list to which a state belongs.
  func forEachSection(of state: Int, in columns: StateColumns, _ body: (Int) -> Void) {
    let type = Int(columns.type(of: state).rawValue) - 1
    guard shapesOfType.indices.contains(type) else { return }
    for shape in shapesOfType[type] where forms[shape].isAsked {
      guard forms[shape].constants.allSatisfy({ Self.holds($0, of: state, in: columns) }) else {
        continue
      }
      var name = Name(kind: UInt16(shape + 1))
      func put() {
        if let section = numbers[name] { body(section) }
      }
      switch forms[shape].place {
      case .everywhere: put()
      case .under(let field):
        guard let object = columns.reference(field, of: state) else { continue }
        name.subject = UInt64(object)
        put()
      case .underItself:
        name.subject = UInt64(columns.object(of: state))
        put()
      case .underEach(let field):
        let range = columns.references(field, of: state)
        for index in range {
          let object = columns.label(index)
          let isRepeated = (range.lowerBound..<index).contains { columns.label($0) == object }
          if isRepeated { continue }
          name.subject = UInt64(object)
          put()
        }
      case .byLetters(let field):
        let text = columns.number(field, of: state)
        for letters in forms[shape].letters {
          name.letters = letters
          name.subject = Self.first(letters, of: text)
          put()
        }
      }
    }
  }

  private static func holds(
    _ condition: QueryShape.Condition, of state: Int, in columns: StateColumns
  ) -> Bool {
    switch condition {
    case .flag(let field, let isSet): return (columns.number(field, of: state) == 1) == isSet
    case .compares(let field, let comparison, let constant):
      let number = Int64(bitPattern: columns.number(field, of: state) ^ (1 << 63))
      return switch comparison {
      case .equal: number == constant
      case .unequal: number != constant
      case .atMost: number <= constant
      case .atLeast: number >= constant
      case .less: number < constant
      case .greater: number > constant
      }
    case .isSubject, .includesSubject, .isSubjectItself, .beginsWithTyped: return true
    }
  }
}
