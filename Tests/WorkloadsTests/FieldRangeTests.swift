import Testing
import Text

@testable import Workloads

@Suite("Ranges of a field")
struct FieldRangeTests {
  private func range(_ field: String, _ text: String) throws -> FieldRange {
    try FieldRange(text, of: #require(ScenarioField.ofCache(named: field)))
  }

  @Test("Equal ratios above zero, equal steps from zero, and as asked")
  func scales() throws {
    let ratios = try range("capacity-entities", "100..10000")
    #expect([0, 0.5, 1].map(ratios.text) == ["100 entities", "1000 entities", "10000 entities"])
    let steps = try range("capacity-entities", "linear:100..10000")
    #expect(steps.text(at: 0.5) == "5050 entities")
    #expect(try range("high-watermark", "0%..100%").text(at: 0.25) == "25 %")
    #expect(try range("time-to-live", "log:1s..100s").text(at: 0.5) == "10 s")
  }

  @Test("Rounding never leaves the range")
  func stays() throws {
    let narrow = try range("capacity-entities", "12345..12348")
    for step in 0...100 {
      #expect((12_345...12_348).contains(narrow.value(at: Double(step) / 100)))
    }
  }

  @Test("Every place is written so that the field reads it, without digits that a division leaves")
  func readsBack() throws {
    let share = try range("high-watermark", "linear:50%..90%")
    #expect(share.text(at: 0.125) == "55 %")
    let document = try ScenarioDocument(Array("writers: [{name: a}]".utf8), file: "a.yaml")
    let rate = try document.field("writers.a.rate")
    let rates = try FieldRange("0.05/min..3/min", of: rate)
    #expect([0, 1].map(rates.text) == ["3/h", "3/min"])
    for step in 0...64 {
      let text = rates.text(at: Double(step) / 64)
      #expect(try rate.spelling(of: text) == text)
    }
  }

  @Test("The given number of points in each doubling")
  func doublings() throws {
    #expect(try range("capacity-entities", "1000..8000").places(perDoubling: 2).count == 7)
    #expect(try range("high-watermark", "0%..60%").places(perDoubling: 1).count == 9)
    #expect(try range("capacity-entities", "5..5").places(perDoubling: 3) == [0])
  }

  @Test(
    "A text that is not a range is refused",
    arguments: [
      ("capacity-entities", "9..1"), ("capacity-entities", "9"), ("capacity-entities", "log:0..9"),
      ("capacity-entities", ".."), ("capacity-entities", "1.."), ("time-to-live", "1..5"),
      ("high-watermark", "nan..1%"), ("retention", "a..b"), ("capacity-memory", "1MB..5s"),
    ])
  func refused(field: String, text: String) {
    #expect(throws: ScenarioError.self) { try range(field, text) }
  }

  @Test("Values that are not counts are whole between whole bounds if required")
  func wholeBetweenWholes() throws {
    let field = ScenarioField(name: "ttl", summary: "", form: .quantity(.number, -1e15...1e15))
    func grid(_ text: String, isWhole: Bool) throws -> [String] {
      try FieldRange(text, of: field, isWholeBetweenWholes: isWhole).grid(steps: 4)
    }
    #expect(try grid("5..300", isWhole: true) == ["5", "20", "77", "300"])
    #expect(try grid("5..300", isWhole: false) == ["5", "19.6", "76.6", "300"])
    #expect(try grid("linear:0.0..1.0", isWhole: true) == ["0", "0.333", "0.667", "1"])
    #expect(try grid("linear:0..1", isWhole: true) == ["0", "1"])
  }
}
