import CacheModel
import EvictionPolicies
import ResultModel
import Testing

@testable import CacheSimulation

@Suite("An eviction policy that is given as a value", .timeLimit(.minutes(30)))
struct PolicyValueTests {
  /// One that makes room for a few entities only, and holds lists back.
  private static let composition = CachePolicy(
    evictionOrder: "fifo", capacity: Capacity(entities: 20), retention: .observed,
    freshness: .neverExpires, maximumQueries: 20)

  private func run(
    _ order: EvictionPolicyDescriptor?, _ composition: CachePolicy = Self.composition
  ) throws -> [ResultRow] {
    try Simulation(of: RandomWorkloadTests.workload(seed: 2))
      .run(policy: "under test", composition: composition, order: order).rows
  }

  @Test(
    "It takes the place of the order that the composition names", arguments: ["mru", "s3-fifo"])
  func sameAsNamed(name: String) throws {
    var fifo = Self.composition
    fifo.retention = .none
    var named = fifo
    named.evictionOrder = name
    let byName = try run(nil, named)
    let order = try #require(EvictionPolicies.named(name))
    #expect(try run(order, fifo) == byName)
    #expect(try run(nil, fifo) != byName)
  }

  @Test("It may look ahead, since a simulation can tell")
  func clairvoyant() throws {
    var named = Self.composition
    named.evictionOrder = "clairvoyant"
    let order = try #require(EvictionPolicies.named("clairvoyant"))
    #expect(try run(order) == run(nil, named))
  }

  @Test("No registry knows it, and its own name is in the store")
  func ownOrder() throws {
    var fifo = Self.composition
    fifo.retention = .none
    #expect(try run(EvictionPolicyDescriptor(Stack<Sound>.self), fifo) != run(nil, fifo))
    #expect(EvictionPolicies.named(Stack<Sound>.name) == nil)
  }

  @Test(
    "One that breaks the rules ends the run, with what it did",
    arguments: [
      (EvictionPolicyDescriptor(Stack<KeepsRetained>.self), "which didRetain took out"),
      (EvictionPolicyDescriptor(Stack<KeepsRemoved>.self), "which didRemove took out"),
      (EvictionPolicyDescriptor(Stack<NamesNobody>.self), "returned nil, though"),
      (EvictionPolicyDescriptor(Stack<NamesAnybody>.self), "which was never in the order"),
    ])
  func broken(order: EvictionPolicyDescriptor, said: String) throws {
    let failure = try #require(throws: PolicyFailure.self) { try run(order) }
    #expect(failure.policy == "under test" && failure.fault.policy == "stack")
    #expect(failure.step > 0)
    #expect(failure.description.contains(said), "\(failure)")
  }
}

private protocol Manners {
  static var keepsRetained: Bool { get }
  static var keepsRemoved: Bool { get }
  /// What is named in the place of the youngest.
  static var victim: Slot?? { get }
}

extension Manners {
  static var keepsRetained: Bool { false }
  static var keepsRemoved: Bool { false }
  static var victim: Slot?? { nil }
}

private enum Sound: Manners {}
private enum KeepsRetained: Manners { static let keepsRetained = true }
private enum KeepsRemoved: Manners { static let keepsRemoved = true }
private enum NamesNobody: Manners { static let victim: Slot?? = .some(nil) }
private enum NamesAnybody: Manners { static let victim: Slot?? = 1_000_000 }

/// Last in, first out, over an array.
private struct Stack<Kind: Manners>: EvictionPolicy {
  static var name: String { "stack" }
  static var summary: String { "Evicts the entity that entered last." }
  static var source: String { "this test" }

  private var slots: [Slot] = []

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {}
  mutating func didInsert(_ entry: EvictionEntry) { slots.append(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) {}
  mutating func didRetain(_ slot: Slot) {
    if !Kind.keepsRetained { slots.removeAll { $0 == slot } }
  }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if !Kind.keepsRemoved { slots.removeAll { $0 == slot } }
  }
  mutating func nextVictim() -> Slot? { Kind.victim ?? slots.last }
  func checkInvariants() {}
}
