import CacheModel
import Testing

@testable import RealTime

@Suite("Stamps from a device to the screen")
struct PipelineStampsTests {
  private func stamps(_ instants: [Int64]) -> PipelineStamps {
    let at = instants.map { Instant(nanoseconds: $0) }
    return PipelineStamps(
      client: EventStamps(
        intended: at[0], received: at[3], started: at[4], decoded: at[5], committed: at[6],
        notified: at[7]),
      sent: at[1], published: at[2], frameBegan: at[8], drawn: at[9])
  }

  @Test("Every stage is the time between its two stamps")
  func stages() {
    let event = stamps([0, 1, 3, 7, 15, 31, 63, 127, 255, 511])
    #expect(
      PipelineStage.allCases.map(event.nanoseconds(of:)) == [1, 2, 4, 8, 16, 32, 64, 128, 256])
    #expect(event.client.nanoseconds(of: .updateToNotify) == 120)
    #expect(event.client.nanoseconds(of: .serviceTime) == 112)
    #expect(event.client.nanoseconds(of: .responseTime) == 127)
    #expect(event.total == 511)
  }

  @Test("The stages add up to the total", arguments: 0..<20 as Range<UInt64>)
  func sum(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let event = stamps((0..<10).map { _ in Int64(random.below(1 << 40)) }.sorted())
    #expect(event.areMonotone)
    #expect(PipelineStage.allCases.map(event.nanoseconds(of:)).reduce(0, +) == event.total)
  }

  @Test("Stamps out of order are noticed, wherever they are", arguments: 0..<9)
  func order(place: Int) {
    var instants: [Int64] = Array(0..<10)
    instants.swapAt(place, place + 1)
    #expect(!stamps(instants).areMonotone)
  }
}
