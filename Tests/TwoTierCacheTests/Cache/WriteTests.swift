import CacheTestSupport
import Foundation
import Testing
import TwoTierCache

@Suite("Writing to two tiers", .timeLimit(.minutes(30)))
struct WriteTests {
  @Test("T4 Reads during writes never see a value older than one already seen")
  func neverOlder() async throws {
    var bench = try Bench()
    // Everything is evicted immediately, so every read goes to a file or meets a write in flight.
    bench.options.memoryLimit = .entries(1)
    let cache = try bench.open()
    let keys = (0..<4).map { "key \($0)" }
    await withTaskGroup(of: Void.self) { group in
      for key in keys {
        group.addTask {
          for number in 1...150 { await cache.set(Data("\(number)"), for: key) }
        }
        for _ in 0..<2 {
          group.addTask {
            var last = 0
            for _ in 0..<150 {
              let data = await cache.value(for: key)
              let number = data.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
              #expect(number >= last, "\(key)")
              last = max(last, number)
            }
          }
        }
      }
    }
    await cache.flush()
    let next = try bench.open()
    for key in keys {
      #expect(await cache.value(for: key) == Data("150"))
      #expect(await next.value(for: key) == Data("150"))
    }
  }

  @Test("T4 A removed value stays removed, and one set afterwards is there")
  func removes() async throws {
    let bench = try Bench()
    let cache = try bench.open()
    for key in ["a", "b", "c"] { await cache.set(Data(key), for: key) }
    await cache.remove("a")
    #expect(await cache.value(for: "a") == nil)
    await cache.flush()
    #expect(await cache.value(for: "a") == nil)
    #expect(bench.base.files.count == 2)
    await cache.removeAll()
    await cache.set(Data("new"), for: "c")
    #expect(await cache.value(for: "b") == nil)
    #expect(await cache.value(for: "c") == Data("new"))
    await cache.flush()
    #expect(bench.base.files.count == 1)
    #expect(bench.has("c"))
  }

  @Test("T4 A value is written even if the cache is released")
  func survivesItsOwner() async throws {
    let bench = try Bench()
    do {
      let cache = try bench.open()
      for number in 0..<50 { await cache.set(Data("\(number)"), for: "\(number)") }
    }
    let next = try bench.open()
    while !bench.has("49") { await Task.yield() }
    #expect(await next.value(for: "49") == Data("49"))
  }

  @Test("T13 Of 100 concurrent writers of one key one wins, in both tiers")
  func oneKey() async throws {
    let bench = try Bench()
    let cache = try bench.open()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { await cache.set(Data(repeating: UInt8(number), count: 10_000), for: "k") }
      }
    }
    await cache.flush()
    let value = try #require(await cache.value(for: "k"))
    #expect(Set(value).count == 1 && value.count == 10_000)
    #expect(try await bench.open().value(for: "k") == value)
    #expect(bench.base.files.count == 1)
  }

  @Test("T13 Empty and large values are kept", arguments: [0, 1, 6_000_000])
  func sizes(bytes: Int) async throws {
    let bench = try Bench()
    let value = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let cache = try bench.open()
    await cache.set(value, for: "k")
    #expect(await cache.value(for: "k") == value)
    await cache.flush()
    #expect(try await bench.open().value(for: "k") == value)
  }

  @Test("T13 A value larger than a file may be is in memory only, and the older one is gone")
  func tooLarge() async throws {
    var bench = try Bench()
    bench.options.maximumValueBytes = 100
    let cache = try bench.open()
    await cache.set(Data("small"), for: "k")
    await cache.flush()
    await cache.set(Data(count: 101), for: "k")
    await cache.flush()
    #expect(await cache.value(for: "k") == Data(count: 101))
    #expect(bench.base.files == [])
    #expect(await cache.statistics.tooLarge == 1)
    #expect(try await bench.open().value(for: "k") == nil)
  }

  @Test("T13 Reads during clean-ups get whole values")
  func readsDuringCleanUp() async throws {
    var bench = try Bench()
    bench.options.memoryLimit = .entries(1)
    bench.options.diskBytes = 30_000
    let cache = try bench.open()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<300 {
          await cache.set(Data(repeating: UInt8(number % 50), count: 1_000), for: "\(number % 50)")
          if number.isMultiple(of: 10) { await cache.cleanUp() }
        }
      }
      for reader in 0..<3 {
        group.addTask {
          for number in 0..<300 {
            let key = (number * 7 + reader) % 50
            guard let value = await cache.value(for: "\(key)") else { continue }
            #expect(value == Data(repeating: UInt8(key), count: 1_000))
          }
        }
      }
    }
    #expect(await cache.statistics.corruptFiles == 0)
    #expect(await cache.statistics.trimmedFiles > 0)
  }
}
