import CacheModel
import EvictionPolicies
import Testing

@Suite("An order that is watched")
struct WatchedOrderTests {
  private func entry(_ slot: Slot) -> EvictionEntry {
    EvictionEntry(slot: slot, fingerprint: UInt64(slot))
  }

  private func watched(
    _ answers: [Slot?], _ watch: PolicyWatch, holding count: Slot = 3
  ) -> WatchedOrder {
    let order = WatchedOrder(Scripted(answers), of: "scripted", noting: watch)
    order.reserve(slots: Int(count) + 1)
    for slot in 0..<count { order.didInsert(entry(slot)) }
    return order
  }

  @Test("An order that keeps to the rules is asked, and nothing is noted")
  func sound() {
    let watch = PolicyWatch()
    let order = watched([2, 0, nil], watch)
    #expect(order.nextVictim() == 2)
    order.didRemove(2, cause: .evicted)
    #expect(order.nextVictim() == 0)
    order.didRemove(0, cause: .evicted)
    order.didRetain(1)
    #expect(order.nextVictim() == nil)
    #expect(watch.fault == nil)
    order.checkInvariants()
  }

  @Test("A retained victim is named, until it is released")
  func retained() {
    let watch = PolicyWatch()
    let order = watched([1, 1], watch)
    order.didRetain(1)
    order.didRelease(entry(1))
    #expect(order.nextVictim() == 1)
    order.didRetain(1)
    #expect(order.nextVictim() == 0)
    #expect(watch.fault?.kind == .retainedVictim(1))
  }

  @Test("A victim that is gone is named")
  func removed() {
    let watch = PolicyWatch()
    let order = watched([1], watch)
    order.didRemove(1, cause: .invalidated)
    #expect(order.nextVictim() == 0)
    #expect(watch.fault?.kind == .removedVictim(1))
  }

  @Test("A victim that was never inserted is named", arguments: [-1, 3, 4, Slot.max])
  func unknown(slot: Slot) {
    let watch = PolicyWatch()
    let order = watched([slot], watch)
    #expect(order.nextVictim() == 0)
    #expect(watch.fault?.kind == .unknownVictim(slot))
  }

  @Test("Giving up early is named, with how many there are")
  func none() {
    let watch = PolicyWatch()
    let order = watched([nil], watch)
    order.didRetain(2)
    #expect(order.nextVictim() == 0)
    #expect(watch.fault?.kind == .noVictim(of: 2))
  }

  @Test("After its first fault an order receives nothing more, and the cache is served on")
  func distrusted() {
    let watch = PolicyWatch()
    // A script that has ended would end the process.
    let order = watched([7], watch)
    var victims: [Slot] = []
    while let victim = order.nextVictim() {
      victims.append(victim)
      order.didRemove(victim, cause: .evicted)
    }
    #expect(victims == [0, 1, 2])
    #expect(watch.fault?.kind == .unknownVictim(7))
    order.reserve(slots: 9)
    order.didInsert(entry(8))
    order.didHit([entry(8)].span)
    #expect(order.nextVictim() == 8)
    order.checkInvariants()
  }

  @Test("A fault names the policy, the mistake and the remedy")
  func says() {
    let fault = PolicyFault(policy: "mine", kind: .noVictim(of: 1))
    #expect(
      "\(fault)" == """
        eviction policy "mine": nextVictim() returned nil, though 1 entity may be evicted; keep every \
        slot that didInsert or didRelease brings until didRetain or didRemove takes it
        """)
  }
}

/// Gives the prepared answers.
private final class Scripted: EvictionOrder {
  private var answers: [Slot?]

  init(_ answers: [Slot?]) { self.answers = answers.reversed() }

  func reserve(slots: Int) {}
  func admits(_ candidate: EvictionEntry) -> Bool { true }
  func willInsert(_ entry: EvictionEntry) {}
  func didInsert(_ entry: EvictionEntry) {}
  func didHit(_ entries: borrowing Span<EvictionEntry>) {}
  func didRetain(_ slot: Slot) {}
  func didRelease(_ entry: EvictionEntry) {}
  func didRemove(_ slot: Slot, cause: RemovalCause) {}
  func nextVictim() -> Slot? {
    guard let answer = answers.popLast() else {
      preconditionFailure("asked after its script had ended")
    }
    return answer
  }
  func checkInvariants() {}
}
