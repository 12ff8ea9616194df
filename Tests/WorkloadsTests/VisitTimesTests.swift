import Testing

@testable import Workloads

@Suite("Times between visits")
struct VisitTimesTests {
  @Test("Are before the first, between each two, and after the last")
  func between() {
    #expect(VisitTimes.between([10..<20, 30..<40], end: 100) == [0..<10, 20..<30, 40..<100])
    #expect(VisitTimes.between([], end: 100) == [0..<100])
  }

  @Test("There is none where a visit begins or ends the run, or follows at once")
  func none() {
    #expect(VisitTimes.between([0..<20, 80..<100], end: 100) == [20..<80])
    #expect(VisitTimes.between([0..<50, 50..<100], end: 100) == [])
  }
}
