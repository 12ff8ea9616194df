import Testing

@testable import Measurement

@Suite("The highest rate that is kept up with")
struct SoakSaturationTests {
  /// The rates that are tried where everything up to a limit is kept up with.
  private func trials(
    limit: Double, from first: Double = 1_000, refinements: Int = 3
  ) -> (tried: [Double], found: Double?) {
    var search = RateSearch(in: 125...1_000_000, from: first, refinements: refinements)
    var tried: [Double] = []
    while let rate = search.next, tried.count < 100 {
      tried.append(rate)
      search.note(isSustained: rate <= limit)
    }
    return (tried, search.sustained)
  }

  @Test("Rates are doubled until one is too high, then the distance is halved in proportion")
  func search() throws {
    let (tried, found) = trials(limit: 5_500)
    #expect(tried.prefix(4) == [1_000, 2_000, 4_000, 8_000])
    #expect(tried.count == 4 + 3)
    // 4,000 · 2 ^ (3/8) is 5,187, and 2 ^ (1/2) is 5,657.
    #expect(abs(try #require(found) - 5_187) < 1)
  }

  @Test(
    "What is found is kept up with, and an eighth of a doubling more is not",
    arguments: [126.0, 499, 500, 1_000, 1_001, 77_777, 999_999])
  func precision(limit: Double) throws {
    let found = try #require(trials(limit: limit).found)
    #expect(found <= limit)
    #expect(found * 1.1 > limit)
  }

  @Test("The search ends at its bounds, also where nothing or everything is kept up with")
  func bounds() {
    let nothing = trials(limit: 0)
    #expect(nothing.found == nil)
    #expect(nothing.tried == [1_000, 500, 250, 125])
    let everything = trials(limit: .infinity)
    #expect(everything.found == 1_000_000)
    #expect(everything.tried.count == 11)
  }

  @Test("Who is behind by as much all the time keeps up; who is ever more behind does not")
  func backlog() {
    func samples(_ behind: (Double) -> Double) -> BacklogSamples {
      var samples = BacklogSamples(rate: 2_000)
      for index in 0..<60 { samples.add(2_000 * behind(Double(index) * 0.05)) }
      return samples
    }
    #expect(samples { _ in 0.3 }.isBounded)
    // A pause of the machine, made up for.
    #expect(samples { (2.0..<2.3).contains($0) ? 0.9 : 0.1 }.isBounded)
    // A quarter more comes than goes.
    #expect(!samples { $0 * 0.25 }.isBounded)
    #expect(samples { $0 * 0.05 }.isBounded, "within the resolution of a trial")
    #expect(!BacklogSamples(rate: 1).isBounded, "nothing was seen")
  }
}
