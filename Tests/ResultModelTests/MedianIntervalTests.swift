import ResultModel
import Testing

@Suite("Median and interval")
struct MedianIntervalTests {
  @Test(
    "The interval leaves out as many values as a thrown coin allows",
    arguments: [
      // Critical values of the sign test at 5 %, both sides.
      (5, nil), (6, 0), (7, 0), (8, 0), (9, 1), (11, 1), (12, 2), (20, 5), (25, 7), (50, 17),
    ] as [(Int, Int?)])
  func interval(count: Int, outside: Int?) throws {
    let values = (1...count).map(Double.init)
    let summary = try #require(MedianInterval(values.reversed()))
    #expect(summary.median == Double(count + 1) / 2)
    #expect(
      summary.interval == outside.map { Double(1 + $0)...Double(count - $0) })
  }

  @Test("One value is its own median, and none has none")
  func few() {
    #expect(MedianInterval([3])?.median == 3)
    #expect(MedianInterval([3])?.interval == nil)
    #expect(MedianInterval([]) == nil)
  }
}
