import CacheModel
import Testing

@testable import RealTime

@Suite("A lossy link")
struct LossyLinkTests {
  private func delivered(_ faults: LinkFaults, seed: UInt64 = 1) -> ([Int], LinkTally) {
    var link = LossyLink<Int>(faults: faults, random: RandomSource(seed: seed))
    var delivered: [Int] = []
    for message in 0..<10_000 {
      let now = Int64(message) * 1_000_000
      link.send(message, at: now)
      while let message = link.take(at: now) { delivered.append(message) }
    }
    while let due = link.nextDue, let message = link.take(at: due) { delivered.append(message) }
    return (delivered, link.tally)
  }

  @Test("Without faults everything passes in order")
  func faultless() {
    var faults = LinkFaults()
    (faults.loss, faults.duplicate, faults.late, faults.outageEvery) = (0, 0, 0, 0)
    let (messages, tally) = delivered(faults)
    #expect(messages == Array(0..<10_000))
    #expect(tally == LinkTally(sent: 10_000, delivered: 10_000))
  }

  @Test("Each fault happens as often as is asked, and the tally adds up")
  func shares() {
    var faults = LinkFaults()
    faults.outageEvery = 0
    let (messages, tally) = delivered(faults)
    #expect((150...250).contains(tally.lost))
    #expect((150...250).contains(tally.duplicated))
    #expect((400...600).contains(tally.late))
    #expect(tally.delivered == tally.sent - tally.lost + tally.duplicated)
    #expect(messages.count == tally.delivered)
    #expect(Set(messages).count == tally.sent - tally.lost)
    #expect(messages != messages.sorted())
    #expect(delivered(faults) == (messages, tally))
    #expect(delivered(faults, seed: 2).0 != messages)
  }

  @Test("Nothing passes during an outage")
  func outage() {
    var faults = LinkFaults()
    (faults.loss, faults.duplicate, faults.late) = (0, 0, 0)
    (faults.outageEvery, faults.outage) = (2_000_000_000, 500_000_000)
    let (messages, tally) = delivered(faults)
    #expect(tally.lost == 2_000)
    #expect(messages.allSatisfy { $0 % 2_500 < 2_000 })
  }
}
