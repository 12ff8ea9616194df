import Analysis
import ResultModel
import Testing

@testable import tidemark

@Suite("Findings")
struct FindingsTests {
  private static func question(_ form: Question.Form, columns: [String] = ["lru"]) -> Question {
    Question(
      name: "q", text: "Which?", axis: "size",
      rows: Question.rows("s", "cache.capacity-entities", ["small", "middle", "large"]),
      columns: columns.map { Question.Column(of: $0) }, figures: [Figure(.freshHitRatio)],
      form: form, uncovered: "the rest.")
  }

  /// One value for each row and column, over four seeds that move all alike.
  private static func answer(
    _ means: [[Double]], _ form: Question.Form, columns: [String] = ["lru"]
  ) -> Answer {
    Answer(
      question: question(form, columns: columns),
      values: means.map { row in
        row.map { mean in
          [[-0.01, 0, 0.01, 0.02].enumerated().map { mean + $1 + Double($0) * 0.0001 * mean }]
        }
      }, isOver: means.map { row in row.map { _ in false } }, flips: nil)
  }

  @Test("Enough is the first row that no other beats by more than half a point")
  func enough() {
    let text = Self.answer([[0.4], [0.597], [0.6]], .enough).sentence
    #expect(text.hasPrefix("middle is enough"), "\(text)")
    #expect(text.contains("large is best"))
    let steep = Self.answer([[0.4], [0.5], [0.6]], .enough).sentence
    #expect(steep.contains("nothing before it comes within half a point"), "\(steep)")
  }

  @Test("The best row is named with its lead, and one that is not told apart says so")
  func best() {
    let text = Self.answer([[0.4], [0.7], [0.6]], .best).sentence
    #expect(text.hasPrefix("middle, 70."), "\(text)")
    #expect(text.contains("10.0 ± 0.0 points ahead of large"), "\(text)")
    let equal = Self.answer([[0.4], [0.6], [0.6]], .best).sentence
    #expect(equal.contains("the same as large"), "\(equal)")
  }

  @Test("A bound is in the table and never the best")
  func bounds() {
    let answer = Self.answer(
      [[0.5, 0.4, 0.9], [0.5, 0.4, 0.9], [0.3, 0.4, 0.9]], .ranking,
      columns: ["lru", "ttl", "unbounded"])
    #expect(answer.sentence.contains("small: lru"))
    #expect(answer.sentence.contains("large: ttl"))
    #expect(!answer.sentence.contains("unbounded"))
    #expect(answer.section(1, seeds: 4).contains("unbounded"))
  }

  @Test("A change is beside the first row, seed by seed")
  func change() {
    let text = Self.answer([[0.5], [0.25], [0.5]], .change).sentence
    #expect(text.contains("middle: 49"), "\(text)")
    #expect(text.contains("less"), "\(text)")
    #expect(text.hasSuffix("than with small"))
  }

  @Test("Every question has a name of its own, a figure, rows, and says what it does not cover")
  func questions() {
    #expect(Set(Question.all.map(\.name)).count == Question.all.count)
    #expect(Question.all.count >= 10)
    for question in Question.all {
      #expect(!question.figures.isEmpty && question.rows.count > 1, "\(question.name)")
      #expect(question.text.hasSuffix("?") && question.uncovered.hasSuffix("."))
      #expect(!question.contenders.isEmpty)
    }
  }
}
