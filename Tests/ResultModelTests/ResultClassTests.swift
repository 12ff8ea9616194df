import Testing

@testable import ResultModel

@Suite("Classes of rows")
struct ResultClassTests {
  @Test("The text of any class is that class again")
  func text() {
    for lane in [nil] + ResultClass.Lane.allCases.map(Optional.some) {
      for size in [nil, 0, 7, 1_000_000] {
        for pace in ResultClass.Pace.allCases {
          for subject in ["single", "1000", "hot", "notified", "=1+1"] {
            let name = ResultClass(subject, lane: lane, size: size, pace: pace)
            #expect(ResultClass(text: name.description) == name, "\(name)")
          }
        }
      }
    }
  }

  @Test("The parts stand in one order")
  func order() {
    #expect(
      ResultClass("single", lane: .store, size: 10, pace: .backToBack) == "single/store/10/hot")
    #expect(ResultClass("single").by(.apps).among(5).at(.backToBack) == "single/apps/5/hot")
    #expect(ResultClass.total.description == "total")
  }

  @Test(
    "A text that no class has is refused",
    arguments: [
      "", "/", "/hot", "single/", "single/nothing", "single/hot/store", "single/10/store",
      "single/+1", "single/01", "single/-1", "single//hot", "single/hot/", "single/hot/hot",
    ])
  func refused(_ text: String) {
    #expect(ResultClass(text: text) == nil)
  }
}
