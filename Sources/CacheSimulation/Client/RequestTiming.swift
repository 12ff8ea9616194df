import CacheModel
import Workloads

/// How long the requests of one client take.
struct RequestTiming: Sendable {
  private let network: NetworkModel
  private let random: RandomSource
  private var count: UInt64 = 0

  init(_ network: NetworkModel, client: Int, label: StaticString = "requests") {
    self.network = network
    random = RandomSource(seed: network.seed).substream(label, UInt64(client))
  }

  /// The round trip of the next request in nanoseconds, drawn from its number alone.
  mutating func nextRoundTrip() -> Int64 {
    var own = random.substream("request", count)
    count += 1
    let extra = own.exponential(mean: Double(network.meanExtra))
    return network.minimumRoundTrip + Int64(extra)
  }
}
