import Containers
import Testing

@Suite("Values where they lie")
struct InPlaceTests {
  private func note(_ text: borrowing InPlace<String>, in seen: inout [String]) {
    seen.append(text.value)
  }

  @Test("The elements of an array, and a variable, are lent as they are")
  func lent() {
    var seen: [String] = []
    let elements = ElementsInPlace(["a", "b"])
    for index in 0..<elements.count { note(elements[index], in: &seen) }
    var variable = "c"
    withValueInPlace(&variable) { note($0, in: &seen) }
    #expect(seen == ["a", "b", "c"])
    #expect(ElementsInPlace([String]()).count == 0)
  }

  @Test("A column lends what it has, and exchanges it for another")
  func column() {
    var column = Column<String?>(filler: nil)
    column.grow(toAtLeast: 300)
    column[299] = "a value that is too long to lie in its place"
    var value = "b"
    column.exchangeValue(at: 299, for: &value)
    #expect(value == "a value that is too long to lie in its place")
    var seen: [String] = []
    for slot in [Slot(0), 299] { column.lendValue(at: slot) { note($0, in: &seen) } }
    #expect(seen == ["b"])
  }
}
