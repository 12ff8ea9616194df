import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

/// A suite that accepts everything proves nothing: each flaw planted here must be found, under its
/// own name.
@Suite("The conformance suite", .timeLimit(.minutes(30)))
struct PlantedBugTests {
  @Test("accepts the policy that carries the flaws, without a flaw")
  func acceptsSound() throws {
    try checkConformance(of: EvictionPolicyDescriptor(FlawedFIFO<Sound>.self), capacity: 4, seed: 1)
  }

  @Test(
    "rejects a planted bug by the guarantee it breaks",
    arguments: [
      (EvictionPolicyDescriptor(FlawedFIFO<ForgetsRetention>.self), .victimIsInTheOrder),
      (EvictionPolicyDescriptor(FlawedFIFO<ForgetsRemoval>.self), .victimIsInTheOrder),
      (EvictionPolicyDescriptor(FlawedFIFO<LosesReleased>.self), .victimUnlessEmpty),
      (EvictionPolicyDescriptor(FlawedFIFO<GivesUpEarly>.self), .victimUnlessEmpty),
      (EvictionPolicyDescriptor(FlawedFIFO<NeverEmpty>.self), .nothingFromEmpty),
      (EvictionPolicyDescriptor(FlawedFIFO<Unseeded>.self), .sameSeedSameVictims),
      (EvictionPolicyDescriptor(FlawedFIFO<NamesAnybody>.self), .victimIsInTheOrder),
    ] as [(EvictionPolicyDescriptor, ConformanceFailure.Guarantee)])
  func rejects(_ descriptor: EvictionPolicyDescriptor, _ guarantee: ConformanceFailure.Guarantee) {
    let failures = (1...12 as ClosedRange<UInt64>).compactMap { seed in
      do throws(ConformanceFailure) {
        try checkConformance(of: descriptor, capacity: 4, seed: seed)
        return nil as ConformanceFailure?
      } catch {
        return error
      }
    }
    #expect(failures.contains { $0.guarantee == guarantee })
  }

  @Test("reports whether a policy is sound, and what it breaks first")
  func wholeGrid() throws {
    try checkConformance(of: EvictionPolicyDescriptor(FlawedFIFO<Sound>.self))
    let retention = try #require(throws: ConformanceFailure.self) {
      try checkConformance(of: EvictionPolicyDescriptor(FlawedFIFO<ForgetsRetention>.self))
    }
    #expect(retention.guarantee == .victimIsInTheOrder && retention.detail.contains("retained"))
    let line = try #require(throws: ConformanceFailure.self) {
      try checkConformance(of: EvictionPolicyDescriptor(FlawedFIFO<BadLine>.self))
    }
    #expect(line.guarantee == .isDescribed && line.detail.contains("lower-case"))
  }

  @Test("draws a policy by value, and reports what it broke instead of a picture")
  func pictures() {
    let sound = EvictionPolicyDescriptor(FlawedFIFO<Sound>.self)
    #expect(victims(of: sound, capacity: 3, "abcadb") == "----a-")
    #expect(outcomes(of: sound, capacity: 3, "abcadb") == "mmmhmh")
    let outOfRange = EvictionPolicyDescriptor(FlawedFIFO<NamesAnybody>.self)
    #expect(victims(of: outOfRange, capacity: 1, "ab").contains("slot 1000000 is not resident"))
  }

  @Test("finds faults in registry lines")
  func rejectsLines() {
    let sound = EvictionPolicyDescriptor(FlawedFIFO<Sound>.self)
    #expect(registryFaults(in: [sound]) == [])
    #expect(registryFaults(in: [sound, sound]).count == 1)
    #expect(registryFaults(in: [EvictionPolicyDescriptor(FlawedFIFO<BadLine>.self)]).count == 3)
  }
}

private enum Flaw {
  case none, forgetsRetention, forgetsRemoval, losesReleased, givesUpEarly, neverEmpty, unseeded
  case namesAnybody
}

private protocol Planted {
  static var flaw: Flaw { get }
  static var name: String { get }
  static var summary: String { get }
  static var source: String { get }
}

extension Planted {
  static var name: String { "planted" }
  static var summary: String { "Evicts the entity that entered first." }
  static var source: String { "this test" }
}

private enum Sound: Planted { static let flaw = Flaw.none }
private enum ForgetsRetention: Planted { static let flaw = Flaw.forgetsRetention }
private enum ForgetsRemoval: Planted { static let flaw = Flaw.forgetsRemoval }
private enum LosesReleased: Planted { static let flaw = Flaw.losesReleased }
private enum GivesUpEarly: Planted { static let flaw = Flaw.givesUpEarly }
private enum NeverEmpty: Planted { static let flaw = Flaw.neverEmpty }
private enum Unseeded: Planted { static let flaw = Flaw.unseeded }
private enum NamesAnybody: Planted { static let flaw = Flaw.namesAnybody }
private enum BadLine: Planted {
  static let flaw = Flaw.none
  static let name = "Bad--Line"
  static let summary = "evicts something"
  static let source = ""
}

/// First in, first out over an array, with one thing wrong.
private struct FlawedFIFO<Kind: Planted>: EvictionPolicy {
  static var name: String { Kind.name }
  static var summary: String { Kind.summary }
  static var source: String { Kind.source }

  private var slots: [Slot] = []

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {}
  mutating func didInsert(_ entry: EvictionEntry) { slots.append(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) {}

  mutating func didRetain(_ slot: Slot) {
    if Kind.flaw != .forgetsRetention { slots.removeAll { $0 == slot } }
  }

  mutating func didRelease(_ entry: EvictionEntry) {
    if Kind.flaw != .losesReleased { slots.append(entry.slot) }
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if Kind.flaw == .forgetsRemoval, cause == .invalidated { return }
    slots.removeAll { $0 == slot }
  }

  mutating func nextVictim() -> Slot? {
    switch Kind.flaw {
    case .givesUpEarly where slots.count == 1: nil
    case .neverEmpty where slots.isEmpty: 0
    case .namesAnybody where !slots.isEmpty: 1_000_000
    case .unseeded:
      slots.isEmpty
        ? nil : slots[Int(UInt64.random(in: .min ... .max) % UInt64(slots.count))]
    default: slots.first
    }
  }

  func checkInvariants() {}
}
