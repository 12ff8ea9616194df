import Testing

@testable import Text

@Suite("What a JSON value is")
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
