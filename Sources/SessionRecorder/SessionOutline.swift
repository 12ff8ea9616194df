import NormalizedCache

/// The facts that a recorder needs: of an app's data before it begins, and of each query when it first sees it.
struct SessionOutline: Sendable {
  struct Kind: Sendable {
    var number: UInt16
    var name: String
  }

  /// The types of entity, and the methods with the places of the types that each lists.
  var types: [Kind]
  var methods: [(kind: Kind, lists: [Int])]
  /// The most rows of a query, and whether it is kept.
  var limit: @Sendable (QueryKey) -> (rows: Int?, isCacheable: Bool)

  func type(_ type: ResourceType) -> Int? { types.firstIndex { $0.number == type.rawValue } }

  func method(_ method: QueryMethod) -> Int? {
    methods.firstIndex { $0.kind.number == method.rawValue }
  }

  /// 60 types and 60 queries of a model can be simulated, of which two each are the recorder's own.
  static let maximum = 58

  init<Schema: ListSchema>(of schema: Schema) {
    self.init(
      types: schema.lists.registered.map { ($0.type, $0.typeName) },
      methods: schema.lists.registered.map { ($0.method, $0.name) }, schema: schema)
    for (place, query) in schema.lists.registered.prefix(methods.count).enumerated() {
      methods[place].lists = type(query.type).map { [$0] } ?? []
    }
  }

  init<Schema: CacheSchema>(
    types: [(ResourceType, String)], methods: [(QueryMethod, String)], schema: Schema
  ) {
    var kinds: [Kind] = []
    for (type, name) in types where !kinds.contains(where: { $0.number == type.rawValue }) {
      kinds.append(Kind(number: type.rawValue, name: name))
    }
    self.types = Array(kinds.prefix(Self.maximum))
    let all = Array(self.types.indices)
    self.methods = methods.prefix(Self.maximum).map {
      (Kind(number: $0.0.rawValue, name: $0.1), all)
    }
    limit = { key in
      let plan = schema.plan(for: key)
      return (plan.limit, plan.isCacheable)
    }
  }
}

extension SessionOutline.Kind {
  /// Its name in the format: its number, or the app's name in the letters that are allowed.
  func written(_ word: String, byName: Bool) -> String {
    let letters = name.lowercased().unicodeScalars.filter {
      ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
    }
    guard byName, !letters.isEmpty else { return "\(word)-\(number)" }
    return String(String.UnicodeScalarView(letters.prefix(48))) + ".\(number)"
  }
}
