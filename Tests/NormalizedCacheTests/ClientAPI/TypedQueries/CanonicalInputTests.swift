import CacheModel
import CacheTestSupport
import NormalizedCache
import Testing

@Suite("The input of a typed query")
struct CanonicalInputTests {
  private static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  private struct Row: CachedResource {
    typealias Payload = Int
    static let resourceType = ResourceType(rawValue: 1)
    init?(_ entity: VersionedEntity<Int>) { nil }
  }

  private struct Search: CachedQuery {
    static let method = QueryMethod(rawValue: 9)
    static let rule = QueryRule<Search>(order: [])
    typealias Row = CanonicalInputTests.Row

    enum Kind: String, Codable { case all, open }
    enum Range: Hashable, Codable { case from(Int), between(low: Int, high: Int) }
    struct Place: Hashable, Codable {
      var latitude: Double
      var names: [String: Int]
    }

    var text = ""
    var kind = Kind.all
    var owner: UniqueID?
    var ranges: [Range] = []
    var place: Place?
    var small: Int8 = -128
    var large: UInt64 = .max
    var isExact = false
  }

  private static func text(_ key: QueryKey) -> String { String(decoding: key.input, as: UTF8.self) }

  @Test("It is JSON with its members by name and nothing between them")
  func form() throws {
    var search = Search(text: "a\"\\\n\u{1}é", kind: .open, owner: UniqueID(high: 0, low: 7))
    search.ranges = [.between(low: 1, high: 2), .from(3)]
    search.place = Search.Place(latitude: 1.5, names: ["b": 2, "a": 1])
    let key = try search.key(in: Self.library)
    #expect(key.library == Self.library && key.method == Search.method)
    #expect(
      Self.text(key) == #"""
        {"isExact":false,"kind":"open","large":18446744073709551615,\#
        "owner":"00000000-0000-0000-0000-000000000007",\#
        "place":{"latitude":1.5,"names":{"a":1,"b":2}},\#
        "ranges":[{"between":{"high":2,"low":1}},{"from":{"_0":3}}],"small":-128,\#
        "text":"a\"\\\u000a\u0001é"}
        """#)
    #expect(try Search(key: key) == search)
  }

  @Test("B20 The order in which members are named does not matter")
  func order() throws {
    struct Forwards: Codable { var a = 1, b = [2], c = "3" }
    struct Backwards: Codable { var c = "3", b = [2], a = 1 }
    let one = try Wrapped(value: Forwards()).key(in: Self.library)
    let other = try Wrapped(value: Backwards()).key(in: Self.library)
    #expect(one == other)
    #expect(Self.text(one) == #"{"value":{"a":1,"b":[2],"c":"3"}}"#)
  }

  @Test("B20 Two queries have one key if and only if the bytes of their texts are the same")
  func texts() throws {
    var random = RandomSource(seed: 13)
    let texts = RandomText.distinct(150, hasNUL: true, &random)
    var places: [QueryKey: Int] = [:]
    for (place, text) in texts.enumerated() {
      let key = try Search(text: text).key(in: Self.library)
      places[key] = place
      #expect(try Search(key: key).text.bytes == text.bytes)
    }
    #expect(places.count == texts.count)
    for (place, text) in texts.enumerated() {
      #expect(places[try Search(text: text).key(in: Self.library)] == place)
    }
  }

  @Test("B20 Members are named by their bytes, and in that order")
  func names() throws {
    var random = RandomSource(seed: 14)
    let names = RandomText.distinct(60, hasNUL: true, &random)
    let key = try Wrapped(value: Members(names: names)).key(in: Self.library)
    let read = try Wrapped<Members>(key: key).value.names
    #expect(
      read.map(\.bytes) == names.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// An object that has a member of each name, which says its name.
  private struct Members: Codable {
    var names: [String]

    struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(names: [String]) { self.names = names }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      names = try container.allKeys.map { try container.decode(String.self, forKey: $0) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Name.self)
      for name in names { try container.encode(name, forKey: Name(stringValue: name)) }
    }
  }

  @Test("A null member differs from an absent one")
  func null() throws {
    struct Absent: Codable { var a: Int? }
    struct Null: Codable {
      var a: Int?
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(a, forKey: .a)
      }
      enum CodingKeys: CodingKey { case a }
    }
    let absent = try Wrapped(value: Absent()).key(in: Self.library)
    let null = try Wrapped(value: Null()).key(in: Self.library)
    #expect(Self.text(absent) == #"{"value":{}}"#)
    #expect(Self.text(null) == #"{"value":{"a":null}}"#)
    #expect(absent != null)
    #expect(try Wrapped<Null>(key: null).value.a == nil)
  }

  @Test("Both zeros are one, and a number that is not finite is an error")
  func numbers() throws {
    #expect(
      try Wrapped(value: -0.0).key(in: Self.library) == Wrapped(value: 0.0).key(in: Self.library))
    for value in [1e300, -1.25e-7, 0.1] {
      let key = try Wrapped(value: value).key(in: Self.library)
      #expect(try Wrapped<Double>(key: key).value == value)
    }
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(throws: EncodingError.self) { try Wrapped(value: value).key(in: Self.library) }
    }
  }

  @Test(
    "Input in any other form is an error",
    arguments: [
      "", "{", "{\"value\":1} ", "{ \"value\":1}", "{\"value\":1,}", "{\"value\":01e}",
      "{\"value\":1}{}", "{\"b\":1,\"a\":2}", "{\"a\":1,\"a\":2}", "\"\\n\"", "\"\\u00zz\"", "nul",
      "\"\u{1}\"", "[1 ,2]", String(repeating: "[", count: 1_000),
    ])
  func otherForms(text: String) {
    let key = QueryKey(
      library: Self.library, method: QueryMethod(rawValue: 8), input: Array(text.utf8))
    #expect(throws: QueryInputError.self) { try Wrapped<Int>(key: key) }
  }

  @Test("A key of another method, or that says something else, is an error")
  func otherQueries() throws {
    let key = try Search().key(in: Self.library)
    #expect(throws: QueryInputError.otherMethod(Search.method, expected: QueryMethod(rawValue: 8)))
    {
      try Wrapped<Int>(key: key)
    }
    let text = try Wrapped(value: "seven").key(in: Self.library)
    #expect(throws: DecodingError.self) { try Wrapped<Int>(key: text) }
    let large = try Wrapped(value: 300).key(in: Self.library)
    #expect(throws: DecodingError.self) { try Wrapped<UInt8>(key: large) }
    #expect("\(QueryInputError.notCanonical(offset: 3))".contains("byte 3"))
  }

  /// A query of anything.
  private struct Wrapped<Value: Codable>: CachedQuery {
    static var method: QueryMethod { QueryMethod(rawValue: 8) }
    static var rule: QueryRule<Wrapped> { QueryRule(order: []) }
    typealias Row = CanonicalInputTests.Row

    nonisolated(unsafe) var value: Value

    static func == (lhs: Wrapped, rhs: Wrapped) -> Bool { false }
    func hash(into hasher: inout Hasher) {}
  }
}
