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

  @Test("A text is written as byte for byte, whether or not its letters stand for themselves")
  func plainTexts() {
    let texts =
      ["", "plain", "é", "a\u{2028}", "\u{2029}", "𝄞"]
      + (0..<128).map { "a\(Unicode.Scalar(UInt8($0)))b" }
    for text in texts {
      var writer = JSONWriter()
      writer.element(text)
      var expected: [UInt8] = []
      JSONWriter.append(Array(text.utf8), to: &expected)
      #expect(writer.bytes == expected)
    }
  }

  @Test("Whole numbers of every kind and size")
  func numbers() {
    var writer = JSONWriter()
    writer.line { json in
      json.array { json in
        for value in [0, 7, 10, -1, 1_000_000, .max, .min] as [Int64] { json.element(value) }
        json.element(UInt64.max)
        json.element(UInt8(200))
        json.element(Int128.min)
      }
    }
    let expected =
      "[0,7,10,-1,1000000,9223372036854775807,-9223372036854775808,18446744073709551615,200,"
      + "-170141183460469231731687303715884105728]"
    // A line is an object; this one holds an array alone.
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\(expected)}\n")
  }

  @Test(
    "A value that JSON cannot express is an error", arguments: [Double.nan, .infinity, -.infinity])
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
