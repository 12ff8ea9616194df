import Testing

@testable import Text

@Suite("Reading JSON")
struct JSONParserTests {
  private func parse(_ text: String) throws(JSONParser.Failure) -> JSONValue {
    // Not the first bytes of their array: places count from the text's beginning.
    try JSONParser.parse(Array("xy\(text)".utf8).dropFirst(2))
  }

  @Test("Escapes and 64 bits are read exactly")
  func values() throws {
    let text =
      #" {"a\u0041\ud834\udd1e\n\/é":[18446744073709551615,-9223372036854775808, -0],"b":null}"#
    #expect(
      try parse(text + "\r\n\t")
        == .object([
          JSONMember("aA𝄞\n/é", .array([.unsigned(.max), .integer(Int64.min), .integer(0)])),
          JSONMember("b", .null),
        ]))
  }

  @Test(
    "An invalid value is refused with its place",
    arguments: [
      ("", 0, "the line ends within a value"), ("tru", 0, "a value is expected"),
      ("{\"a\":1,}", 7, "a name in quotes is expected"), ("{\"a\" 1}", 5, "a colon is expected"),
      ("[1 2]", 3, "a comma or ] is expected"), ("[1,]", 3, "a value is expected"),
      ("{\"a\":1 \"b\"}", 7, "a comma or } is expected"),
      ("{\"a\":1,\"a\":2}", 10, "a name occurs twice"),
      ("[] []", 3, "more text follows the value"), ("\"\\u12g4\"", 5, "four hexadecimal digits"),
      ("\"\\udd1e\"", 7, "half of a surrogate pair"), ("\"a", 2, "the line ends within a text"),
      ("\"\\", 2, "the line ends within a text"), ("\"\\x\"", 3, "an unknown escape"),
      ("-", 1, "a digit is expected"), ("01", 2, "a number begins with a superfluous zero"),
      ("1.5", 1, "numbers are whole here"), ("18446744073709551616", 20, "the number needs more"),
    ])
  func refused(text: String, offset: Int, cause: String) throws {
    let failure = try #require(throws: JSONParser.Failure.self) { try parse(text) }
    #expect(failure.offset == offset)
    #expect(failure.cause.hasPrefix(cause), "\(failure.cause)")
  }

  @Test("Files of any program are read as a browser reads them, within bounds")
  func lenient() throws {
    func read(_ text: String, values: Int = 100) throws(JSONParser.Failure) -> JSONValue {
      try JSONParser.parse(Array(text.utf8)[...], within: .lenient(depth: 9, values: values))
    }
    #expect(
      try read(#"[1.5,-2e3,0.25E+2,18446744073709551616,-0,1e999]"#)
        == .array([
          .real(1.5), .real(-2_000), .real(25), .real(18_446_744_073_709_551_616), .integer(0),
          .real(.greatestFiniteMagnitude),
        ]))
    #expect(
      try read(#"{"a":1,"b":2,"a":3}"#)
        == .object([JSONMember("a", .integer(3)), JSONMember("b", .integer(2))]))
    let many = (0..<200).map { "\"\($0 % 150)\":\($0)" }.joined(separator: ",")
    #expect(try read("{\(many)}", values: 300)["0"] == .integer(150))
    #expect(try read("{\(many)}", values: 300).kindName == "an object")
    #expect(
      try read(#""a\ud800b\udc00\ud83d\ude00\ud83dx""#) == .string("a\u{FFFD}b\u{FFFD}😀\u{FFFD}x"))
    let bytes: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
    #expect(
      try JSONParser.parse(bytes[...], within: .lenient(depth: 1, values: 1))
        == .string("\u{FFFD}("))
    for (text, cause) in [
      ("[1.]", "a digit is expected"), ("[1e]", "a digit is expected"),
      ("[[[[[[[[[[]]]]]]]]]]", "the nesting is deeper than 9"),
    ] {
      #expect(try #require(throws: JSONParser.Failure.self) { try read(text) }.cause == cause)
    }
    #expect(
      try #require(throws: JSONParser.Failure.self) { try read("[1,2,3]", values: 3) }.cause
        == "there are more than 3 values")
  }

  @Test("Depth and members are bounded")
  func bounds() throws {
    let deep = String(repeating: "[", count: 8) + String(repeating: "]", count: 8)
    #expect(throws: Never.self) { try parse(deep) }
    #expect(
      try #require(throws: JSONParser.Failure.self) { try parse("[\(deep)]") }.cause
        == "the nesting is deeper than 8")
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }
    #expect(throws: Never.self) { try parse(object(64)) }
    #expect(
      try #require(throws: JSONParser.Failure.self) { try parse(object(65)) }.cause
        == "an object has more than 64 members")
    let bytes: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
    #expect(
      try #require(throws: JSONParser.Failure.self) { try JSONParser.parse(bytes[...]) }.cause
        == "a text is not UTF-8")
  }
}

@Suite("Values of JSON")
struct JSONValueTests {
  private static let values: [JSONValue] = [
    .null, .bool(true), .integer(-1), .unsigned(7), .real(1.5), .string("7"),
    .array([.unsigned(7)]), .object([JSONMember("a", .unsigned(7))]),
  ]

  @Test("A value of another kind is none, and never a default")
  func kinds() {
    #expect(Self.values.map(\.text) == [nil, nil, nil, nil, nil, "7", nil, nil])
    #expect(Self.values.map(\.wholeNumber) == [nil, nil, nil, 7, nil, nil, nil, nil])
    #expect(
      Self.values.map { $0.elements?.count } == [nil, nil, nil, nil, nil, nil, 1, nil])
    #expect(Self.values.map { $0["a"] } == [nil, nil, nil, nil, nil, nil, nil, .unsigned(7)])
  }

  @Test("A number that no count can hold is none")
  func counts() {
    #expect(JSONValue.unsigned(UInt64(Int.max)).count == Int.max)
    #expect(JSONValue.unsigned(UInt64(Int.max) + 1).count == nil)
  }

  @Test("A member that is not there is none, null is null")
  func members() {
    let object = JSONValue.object([JSONMember("a", .null)])
    #expect(object["a"] == .null)
    #expect(object["b"] == nil)
  }
}
