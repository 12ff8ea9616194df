import Testing

@testable import Analysis

@Suite("The rounds of a comparison that count")
struct RoundChoiceTests {
  @Test("A round counts where none of its processes was a tenth slower than the fastest of all")
  func disturbed() {
    let choice = RoundChoice(controls: [[100, 105], [100, 150], [109, 101], [111, 100]])
    #expect((0..<4).map(choice.isDisturbed) == [false, true, false, true])
    #expect(choice.undisturbed == 2)
  }

  @Test("The first undisturbed ones are taken, then the least disturbed, in order of time")
  func chosen() {
    let choice = RoundChoice(controls: [[150], [100], [120], [100], [101], [180]])
    #expect(choice.rounds(2) == [1, 3])
    #expect(choice.rounds(3) == [1, 3, 4])
    #expect(choice.rounds(5) == [0, 1, 2, 3, 4])
    #expect(choice.rounds(4) == [1, 2, 3, 4])
    #expect(choice.rounds(9) == [0, 1, 2, 3, 4, 5])
  }

  @Test("Where a build times no such work, its rounds count")
  func none() {
    let choice = RoundChoice(controls: [[nil, nil], [nil, nil]])
    #expect(choice.undisturbed == 2)
    #expect(choice.rounds(1) == [0])
    #expect(RoundChoice(controls: [[nil, 100], [nil, 150]]).undisturbed == 1)
  }
}
