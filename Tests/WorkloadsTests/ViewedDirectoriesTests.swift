import CacheModel
import Testing

@testable import Workloads

@Suite("What sessions have viewed")
struct ViewedDirectoriesTests {
  /// Directory n is opened at second n; between, something else is done with it.
  private static func views(_ count: Int) -> ViewedDirectories {
    let queries = (0..<count).map {
      QuerySpec(kind: .directory, subject: UInt64($0), limit: 10)
    }
    let actions = (0..<count).flatMap { number in
      [SessionAction.Kind.observe(query: UInt32(number)), .unobserve(query: UInt32(number))]
        .map { SessionAction(at: Instant(nanoseconds: Int64(number) * 1_000), kind: $0) }
    }
    return ViewedDirectories(actions, queries)
  }

  @Test("Is what was opened before, and not at the instant itself")
  func before() {
    var views = Self.views(10)
    #expect(views.directory(at: 0) == nil)
    views.advance(to: 5_000)
    #expect((0..<10).filter { views.contains($0) } == [0, 1, 2, 3, 4])
  }

  @Test("The later it was, the likelier it is drawn, as the square has it; beyond 64 not at all")
  func drawn() {
    var views = Self.views(100)
    views.advance(to: .max)
    var counts = [Int](repeating: 0, count: 100)
    let draws = 100_000
    for draw in 0..<draws {
      if let directory = views.directory(at: (Double(draw) + 0.5) / Double(draws)) {
        counts[Int(directory)] += 1
      }
    }
    #expect(counts[..<36].allSatisfy { $0 == 0 })
    // One of the k latest is drawn where u² · 64 < k, so in √(k / 64) of the cases.
    for (latest, share) in [(1, 0.125), (4, 0.25), (16, 0.5), (64, 1)] {
      let drawn = Double(counts[(100 - latest)...].reduce(0, +)) / Double(draws)
      #expect(abs(drawn - share) < 0.000_1, "the \(latest) latest")
    }
  }
}
