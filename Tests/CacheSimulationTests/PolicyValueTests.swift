import CacheModel
import EvictionPolicies
import ResultModel
import Testing
import Workloads

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
    "A policy that breaks the rules ends the run, with what it did",
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

protocol Manners {
  static var keepsRetained: Bool { get }
  static var keepsRemoved: Bool { get }
  /// The victim named instead of the youngest.
  static var victim: Slot?? { get }
}

extension Manners {
  static var keepsRetained: Bool { false }
  static var keepsRemoved: Bool { false }
  static var victim: Slot?? { nil }
}

enum Sound: Manners {}
enum KeepsRetained: Manners { static let keepsRetained = true }
enum KeepsRemoved: Manners { static let keepsRemoved = true }
enum NamesNobody: Manners { static let victim: Slot?? = .some(nil) }
enum NamesAnybody: Manners { static let victim: Slot?? = 1_000_000 }

/// Last in, first out, over an array.
struct Stack<Kind: Manners>: EvictionPolicy {
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

@Suite("A cache that looks ahead", .timeLimit(.minutes(30)))
struct ForesightTests {
  @Test("Uses are noted while a session reads, and the next one is strictly later")
  func log() {
    let log = UseLog()
    for (instant, isReading) in [(10, true), (20, false), (30, true), (30, true), (45, true)] {
      log.now = Int64(instant)
      log.isReading = isReading
      log.note(7)
    }
    let answers = [0, 10, 29, 30, 44, 45].map { instant in
      log.now = Int64(instant)
      return log.nextUse(of: 7)
    }
    #expect(answers == [10, 30, 30, 45, 45, .max])
    #expect(log.nextUse(of: 8) == .max)
  }

  @Test("It keeps the entities read next, whereas LRU keeps those read last")
  func tiny() throws {
    // Three files, a cache of two, and turns in which the least recently used is always next.
    var tiny = TinyWorkload()
    let files = (1...3).map { tiny.file(name: UInt64($0)) }
    for turn in 0..<12 { tiny.act(.open(object: files[turn % 3]), at: Double(turn + 1)) }
    func hits(_ order: String) throws -> Int {
      var composition = composition(entities: 2)
      composition.evictionOrder = order
      return outcomes(try values(of: tiny.workload, composition, class: "entity"))[.hitFresh] ?? 0
    }
    #expect(try hits("lru") == 0)
    #expect(try hits("clairvoyant") >= 4)
  }
}
