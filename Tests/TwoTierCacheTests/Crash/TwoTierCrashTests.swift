import CacheModel
import CacheTestSupport
import Foundation
import Testing
import TwoTierCache

/// Child processes write numbered values at full speed and are killed, again and again, on one folder.
@Suite("Processes with a two-tier cache that are killed", .startsProcesses)
struct TwoTierCrashTests {
  static let kills = Trials.count(10, of: 200)

  @Test("T13 After SIGKILL at any moment every file is complete, and flushed values are there")
  func killed() async throws {
    let base = try CacheFolder()
    var random = RandomSource(seed: 13)
    var first: UInt64 = 0
    var flushed: [String: UInt64] = [:]
    for kill in 0..<Self.kills {
      let child = try CrashChild(["two-tier", base.url.path, "\(first)"])
      let told = child.kill(afterWritten: random.below(12), share: random.unit())
      try #require(told.failure == nil, "kill \(kill): \(told.failure ?? "")")
      for number in first..<((told.written.last ?? first) + (told.written.isEmpty ? 0 : 1)) {
        flushed[NumberedValue.key(of: number)] = number
      }
      // The last line may have been cut off.
      let end = (told.taken.last ?? first) + 1
      try await check(base, flushed, before: end, "kill \(kill)")
      first = end + 1
    }
    #expect(flushed.count == NumberedValue.keys)
  }

  @Test("T6 T13 Two processes on one folder, killed at different moments, leave whole files")
  func twoProcesses() async throws {
    let base = try CacheFolder()
    var random = RandomSource(seed: 14)
    for round in 0..<max(1, Self.kills / 10) {
      let one = try CrashChild(["two-tier", base.url.path, "0"])
      let other = try CrashChild(["two-tier", base.url.path, "1000000"])
      let told = [one, other].map {
        $0.kill(afterWritten: 1 + random.below(12), share: random.unit())
      }
      #expect(told.allSatisfy { $0.failure == nil && !$0.taken.isEmpty })
      try await check(base, [:], before: .max, "round \(round)")
    }
  }

  /// Opens the folder as the next process would, and reads every value.
  private func check(
    _ base: CacheFolder, _ flushed: [String: UInt64], before end: UInt64, _ comment: String
  ) async throws {
    let cache = try TwoTierCache<String, Data>(
      identifier: NumberedValue.identifier, folder: base.url)
    await cache.flush()
    #expect(!base.files.contains { $0.contains("draft") }, "\(comment)")
    for index in 0..<NumberedValue.keys {
      let key = NumberedValue.key(of: UInt64(index))
      guard let data = await cache.value(for: key) else {
        #expect(flushed[key] == nil, "\(comment): \(key) is lost")
        continue
      }
      let number = try #require(NumberedValue.number(of: data), "\(comment): \(key) is not whole")
      #expect(NumberedValue.key(of: number) == key)
      #expect(number >= flushed[key] ?? 0 && number <= end, "\(comment): \(key)")
    }
    #expect(await cache.statistics.corruptFiles == 0, "\(comment)")
  }
}
