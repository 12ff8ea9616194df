import CacheModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("How long requests take")
struct RequestTimingTests {
  private static func roundTrips(client: Int, _ count: Int = 20_000) -> [Double] {
    let network = NetworkModel(
      minimumRoundTrip: 10_000_000, meanExtra: 20_000_000, bytesPerSecond: nil, seed: 7)
    var timing = RequestTiming(network, client: client)
    return (0..<count).map { _ in Double(timing.nextRoundTrip()) / 1e6 }
  }

  @Test("The least time, and an exponential time of the mean that is asked for")
  func distribution() {
    let extra = Self.roundTrips(client: 0).map { $0 - 10 }
    #expect(extra.allSatisfy { $0 >= 0 })
    // Five standard errors of a mean of 20,000 times: 20 ms / √20,000 is 0.14 ms.
    #expect(abs(extra.reduce(0, +) / 20_000 - 20) < 0.7)
    // Beyond the mean lie exp(−1), beyond twice the mean exp(−2).
    for (times, share) in [(1.0, 0.3679), (2.0, 0.1353)] {
      let beyond = Double(extra.count { $0 > 20 * times }) / 20_000
      #expect(abs(beyond - share) < 0.017, "beyond \(times) means: \(beyond)")
    }
  }

  @Test("Drawn from the number of the request, again for each client")
  func repeats() {
    #expect(Self.roundTrips(client: 0, 10) == Self.roundTrips(client: 0, 10))
    #expect(Self.roundTrips(client: 1, 10) != Self.roundTrips(client: 0, 10))
  }
}
