import Testing

@testable import Text

@Suite("Writing JSON")
struct JSONWriterTests {
  private static let value = JSONValue.object([
    JSONMember("z", .array([.null, .bool(true), .integer(-1), .unsigned(.max), .real(0.1)])),
    JSONMember("a\"\\", .string("tab\t nul\0 line\u{2028} é 𝄞 \r\n")),
    JSONMember("empty", .array([.object([]), .array([])])),
  ])

  @Test("Members keep their order; every kind of value, escaped")
  func document() throws {
    #expect(
      String(decoding: try JSONWriter.document(Self.value), as: UTF8.self) == #"""
        {
          "z": [
            null,
            true,
            -1,
            18446744073709551615,
            0.1
          ],
          "a\"\\": "tab\t nul\u0000 line\u2028 é 𝄞 \r\n",
          "empty": [
            {},
            []
          ]
        }

        """#)
    #expect(
      String(decoding: try JSONWriter.line(Self.value), as: UTF8.self) == #"""
        {"z":[null,true,-1,18446744073709551615,0.1],"a\"\\":"tab\t nul\u0000 line\u2028 é 𝄞 \r\n","empty":[{},[]]}

        """#)
  }

  @Test("What JSON cannot carry is an error", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(value: Double) {
    #expect(throws: NotFinite.self) { try JSONWriter.line(.array([.real(value)])) }
  }

  @Test("Lines in parts are the lines of values")
  func parts() throws {
    var writer = JSONWriter()
    writer.line {
      $0.member("a", -1)
      $0.array("b") { list in
        list.element("\u{7F}")
        list.array { _ in }
        list.object { $0.flag("c") }
      }
      $0.object("d") { $0.member("e", "f") }
    }
    writer.line { _ in }
    let first = #"{"a":-1,"b":["\u007f",[],{"c":true}],"d":{"e":"f"}}"#
    #expect(String(decoding: writer.bytes, as: UTF8.self) == first + "\n{}\n")
    let value = try JSONParser.parse(Array(first.utf8)[...])
    #expect(try JSONWriter.line(value) == Array((first + "\n").utf8))
  }
}
