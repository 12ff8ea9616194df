import CacheTestSupport
import EvictionPolicies
import Foundation
import Synchronization
import Testing
import TwoTierCache

/// A value that counts how often one is made of bytes.
struct Counted: CachedValue, Equatable {
  static let decoded = Mutex(0)

  var text: String

  var data: Data { Data(text) }

  init(text: String) { self.text = text }

  init(data: Data) throws {
    guard let text = String(data: data, encoding: .utf8) else {
      throw CocoaError(.coderInvalidValue)
    }
    Self.decoded.withLock { $0 += 1 }
    self.text = text
  }
}

@Suite("Reading from two tiers", .timeLimit(.minutes(30)))
struct ReadTests {
  @Test(
    "T1 Keys that describe themselves, values that are bytes or make some; Data is one as it is")
  func values() async throws {
    let bench = try Bench()
    let bytes = try bench.open("bytes")
    await bytes.set(Data("tile"), for: "k")
    #expect(await bytes.value(for: "k") == Data("tile"))
    let typed = try TwoTierCache<Int, Counted>(identifier: "typed", folder: bench.base.url)
    await typed.set(Counted(text: "tile"), for: 7)
    #expect(await typed.value(for: 7) == Counted(text: "tile"))
    await typed.flush()
    let again = try TwoTierCache<Int, Counted>(identifier: "typed", folder: bench.base.url)
    #expect(await again.value(for: 7) == Counted(text: "tile"))
  }

  @Test(
    "T2 Memory keeps to its limit under any order",
    arguments: EvictionPolicies.forCaches.map(\.name))
  func limits(order: String) async throws {
    for limit in [TwoTierOptions.MemoryLimit.entries(8), .bytes(8 * 228)] {
      var bench = try Bench()
      bench.options.evictionOrder = order
      bench.options.memoryLimit = limit
      let cache = try bench.open()
      for number in 0..<40 {
        await cache.set(Data(repeating: 1, count: 100), for: "\(number)")
        _ = await cache.value(for: "\(number / 2)")
      }
      var inMemory = 0
      for number in 0..<40 where await cache.contains("\(number)") { inMemory += 1 }
      // Values that wait to be written count as in memory.
      await cache.flush()
      inMemory = 0
      for number in 0..<40 where await cache.contains("\(number)") { inMemory += 1 }
      #expect(order == "unbounded" ? inMemory == 40 : (1...8).contains(inMemory), "\(order)")
      for number in 0..<40 {
        #expect(await cache.value(for: "\(number)") != nil, "\(order) \(number)")
      }
    }
  }

  @Test("T2 Memory keeps values, or bytes that each hit decodes")
  func forms() async throws {
    for (form, perHit) in [(TwoTierOptions.MemoryForm.values, 0), (.bytes, 1)] {
      var bench = try Bench()
      bench.options.memoryForm = form
      let cache = try bench.open(of: Counted.self)
      await cache.set(Counted(text: "x"), for: "k")
      let before = Counted.decoded.withLock { $0 }
      for _ in 0..<5 { #expect(await cache.value(for: "k") == Counted(text: "x")) }
      // Other tests decode at the same time, but only values that are read from files or are bytes.
      #expect(Counted.decoded.withLock { $0 } >= before + 5 * perHit)
    }
  }

  @Test("T2 An order or a limit that cannot be is named")
  func badOptions() throws {
    var bench = try Bench()
    bench.options.evictionOrder = "oracle"
    let error = #expect(throws: TwoTierOptionsError.self) { try bench.open() }
    #expect(error?.description.hasPrefix("evictionOrder: no cache can evict by \"oracle\"") == true)
    bench.options.evictionOrder = "clairvoyant"
    #expect(throws: TwoTierOptionsError.self) { try bench.open() }
    bench.options = TwoTierOptions()
    bench.options.age = .seconds(-1)
    #expect(throws: TwoTierOptionsError.self) { try bench.open() }
    bench.options = TwoTierOptions()
    bench.options.memoryLimit = .bytes(-1)
    #expect(throws: TwoTierOptionsError.self) { try bench.open() }
  }

  @Test(
    "T3 A read finds a value in memory, else in its file and in memory from then on, else nowhere")
  func tiers() async throws {
    var bench = try Bench()
    bench.options.memoryLimit = .entries(1)
    let cache = try bench.open()
    await cache.set(Data("1"), for: "one")
    await cache.set(Data("2"), for: "two")
    await cache.flush()
    #expect(await cache.value(for: "two") == Data("2"))
    #expect(await cache.statistics.memoryHits == 1)
    #expect(await !cache.contains("one"))
    #expect(await cache.value(for: "one") == Data("1"))
    #expect(await cache.statistics.diskHits == 1)
    #expect(await cache.statistics.promotions == 1)
    #expect(await cache.contains("one"))
    #expect(await cache.value(for: "three") == nil)
    #expect(await cache.statistics.misses == 1)
    #expect(await cache.statistics.reads == 3)
  }

  @Test("T5 Looking for a value changes nothing, in memory alone or in both tiers")
  func looks() async throws {
    var bench = try Bench()
    bench.options.memoryLimit = .entries(1)
    let cache = try bench.open()
    await cache.set(Data("1"), for: "one")
    await cache.set(Data("2"), for: "two")
    await cache.flush()
    let before = await cache.statistics
    #expect(await cache.contains("two"))
    #expect(await !cache.contains("one"))
    #expect(await cache.containsOnDisk("one"))
    #expect(await cache.containsOnDisk("two"))
    #expect(await !cache.containsOnDisk("three"))
    #expect(await !cache.contains("one"))
    #expect(await cache.statistics == before)
    bench.clock.advance(by: 3_601)
    #expect(await !cache.contains("two"))
    #expect(await !cache.containsOnDisk("one"))
  }
}
