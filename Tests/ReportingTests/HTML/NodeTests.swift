import Testing

@testable import Reporting

@Suite("HTML nodes")
struct NodeTests {
  private func text(_ node: Node) -> String {
    var bytes: [UInt8] = []
    node.render(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("Characters of markup are escaped in texts and in attribute values")
  func escaping() {
    let hostile = "</p><script>alert(\"1\")</script>&'"
    let escaped =
      "&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"
    #expect(
      text(.tag("p", [Attribute("title", hostile)], hostile))
        == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test("Invisible characters, and those that turn the direction of writing, become numbers")
  func invisible() {
    #expect(text(.text("a\u{202E}b\u{0}c\u{1B}[31m")) == "a\\u{202E}b\\u{0}c\\u{1B}[31m")
  }

  @Test("An element is closed, except for void ones")
  func ends() {
    #expect(text(.tag("p", [], [.tag("br"), .tag("b", [], "x")])) == "<p><br><b>x</b></p>")
  }

  @Test("A scenario's name becomes an anchor only where it is a plain word")
  func anchors() {
    #expect(Anchor(scenario: "phone-week", number: 3, part: "rows").name == "s-phone-week.rows")
    for name in ["", "A", "a b", "\"><script>", "é", "a.b"] {
      #expect(Anchor(scenario: name, number: 3).name == "scenario.3")
    }
  }

  @Test(
    "Coordinates are whole numbers",
    arguments: [
      (0.0, "0"), (-0.4, "0"), (1.5, "2"), (-1.5, "-2"), (12.0, "12"), (.nan, "0"),
      (.infinity, "0"),
    ])
  func coordinates(value: Double, text: String) {
    #expect(Coordinate.text(value) == text)
  }
}
