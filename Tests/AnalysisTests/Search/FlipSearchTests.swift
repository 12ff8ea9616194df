import Testing

@testable import Analysis

@Suite("Where the ranking flips")
struct FlipSearchTests {
  /// Two lines that cross at 0.31, with a swing of `noise` about their difference.
  private func values(_ place: Double, noise: Double) -> [[Double]] {
    let swing = [1.0, -1, 1, -1, 1, -1, 1, -1].map { $0 * noise }
    return [swing.map { 0.8 - place + $0 }, swing.map { _ in 0.8 - 0.31 }]
  }

  private func search(
    _ names: [String], from places: [Double], direction: Goal.Direction = .maximise,
    _ values: (Double) -> [[Double]]
  ) -> (FlipSearch, asked: Int) {
    var search = FlipSearch(contenders: names, direction: direction, resolution: 1 / 256)
    for place in places { search.record(place, values(place)) }
    var asked = 0
    while let place = search.next, asked < 200 {
      search.record(place, values(place))
      asked += 1
    }
    return (search, asked)
  }

  @Test("A crossing is narrowed down to what the seeds leave open")
  func crossing() throws {
    let (search, asked) = search(["a", "b"], from: [0, 0.5, 1]) { values($0, noise: 0.05) }
    let flip = try #require(search.flips.first)
    #expect(search.flips.count == 1)
    #expect(flip.before == "a" && flip.after == "b")
    #expect(flip.low <= 0.31 && 0.31 <= flip.high && flip.high - flip.low <= 1 / 256)
    // Half the width of the interval of eight seeds that swing by 0.05: t · s / √8.
    let half = 2.364_624 * 0.05 * (8.0 / 7).squareRoot() / 8.0.squareRoot()
    let before = try #require(flip.sureBefore)
    let after = try #require(flip.sureAfter)
    #expect(abs(before - (0.31 - half)) < 1 / 256)
    #expect(abs(after - (0.31 + half)) < 1 / 256)
    #expect(asked < 30)
  }

  @Test("For a minimised figure the lower one leads")
  func minimised() throws {
    let (search, _) = search(["a", "b"], from: [0, 1], direction: .minimise) {
      values($0, noise: 0)
    }
    let flip = try #require(search.flips.first)
    #expect(flip.before == "b" && flip.after == "a")
  }

  @Test("A third policy that leads between two is found on the way")
  func third() {
    let (search, _) = search(["a", "b", "c"], from: [0, 1]) { place in
      [1 - place, place, 0.6].map { level in [level, level + 0.001, level - 0.001, level] }
    }
    #expect(search.flips.map(\.before) == ["a", "c"])
    #expect(search.flips.map(\.after) == ["c", "b"])
  }

  @Test("The interval is open if no policy is significantly ahead")
  func open() throws {
    let (search, _) = search(["a", "b"], from: [0, 1]) { values($0, noise: 9) }
    let flip = try #require(search.flips.first)
    #expect(flip.sureBefore == nil && flip.sureAfter == nil)
  }

  @Test("Equal leaders are named together, and a change is where none of them leads anymore")
  func ties() {
    let (throughout, asked) = search(["a", "b", "c"], from: [0, 0.5, 1]) { place in
      [[1, 1], [1, 1], [place, place / 2]]
    }
    #expect(throughout.flips.isEmpty && asked == 0)
    #expect(throughout.leaders.map(\.leader) == ["a = b", "a = b", "a = b"])
    // At 0 all are the same, and then b is best.
    let (later, _) = search(["a", "b"], from: [0, 0.5, 1]) { [[0, 0], [$0, $0]] }
    #expect(later.flips.isEmpty)
    #expect(later.leaders.map(\.leader) == ["b", "b", "b"])
    let (flip, _) = search(["a", "b", "c"], from: [0, 1]) { place in
      [1 - place, 1 - place, place].map { level in [level, level] }
    }
    #expect(flip.flips.map(\.before) == ["a = b"])
    #expect(flip.flips.map(\.after) == ["c"])
  }

  @Test("One leader throughout is no change of ranking, and asks for no further point")
  func none() {
    let (search, asked) = search(["a", "b"], from: [0, 0.1, 0.2]) { values($0, noise: 0) }
    #expect(search.flips.isEmpty && asked == 0)
    #expect(search.leaders.map(\.leader) == ["a", "a", "a"])
  }
}
