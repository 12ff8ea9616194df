import CacheFiles
import CacheTestSupport
import FileHashing
import Foundation
import Logging
import Synchronization
import Testing
import TwoTierCache

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The files of a two-tier cache", .timeLimit(.minutes(30)))
struct FileTests {
  @Test("T6 A sibling's write is seen after the lifetime of the value in memory")
  func siblings() async throws {
    let bench = try Bench()
    let (ours, theirs) = (try bench.open(), try bench.open())
    await ours.set(Data("old"), for: "k")
    await ours.flush()
    #expect(await theirs.value(for: "k") == Data("old"))
    bench.clock.advance(by: 1)
    await ours.set(Data("new"), for: "k")
    await ours.flush()
    bench.clock.advance(by: 58)
    #expect(await theirs.value(for: "k") == Data("old"))
    bench.clock.advance(by: 1)
    #expect(await theirs.value(for: "k") == Data("new"))
    await ours.remove("k")
    await ours.flush()
    bench.clock.advance(by: 60)
    #expect(await theirs.value(for: "k") == nil)
  }

  @Test("T6 A file that is as it was costs a look, and memory serves on")
  func unchangedSibling() async throws {
    let bench = try Bench()
    let cache = try bench.open()
    await cache.set(Data("x"), for: "k")
    await cache.flush()
    for _ in 0..<3 {
      bench.clock.advance(by: 60)
      #expect(await cache.value(for: "k") == Data("x"))
    }
    #expect(await cache.statistics.memoryHits == 3)
    #expect(await cache.statistics.promotions == 0)
  }

  @Test("T8 Nothing is served past its age, from memory or a file")
  func age() async throws {
    var bench = try Bench()
    bench.options.memoryLifetime = nil
    let cache = try bench.open()
    await cache.set(Data("x"), for: "k")
    await cache.flush()
    bench.clock.advance(by: 3_600)
    #expect(await cache.value(for: "k") == Data("x"))
    #expect(try await bench.open().value(for: "k") == Data("x"))
    bench.clock.advance(by: 1)
    #expect(await cache.value(for: "k") == nil)
    #expect(await cache.value(for: "k") == nil)
  }

  @Test("T8 Old files go at the start, at the end, and with every hundredth write")
  func cleanUps() async throws {
    let bench = try Bench()
    let cache = try bench.open()
    await cache.set(Data("x"), for: "old")
    await cache.flush()
    bench.clock.advance(by: 3_601)
    await cache.set(Data("y"), for: "new")
    await cache.flush()
    #expect(bench.has("old"))
    let second = try bench.open()
    await second.flush()
    #expect(!bench.has("old"))
    #expect(bench.has("new"))
    #expect(await second.statistics.agedFiles == 1)

    bench.clock.advance(by: 3_601)
    for number in 0..<97 { await cache.set(Data("z"), for: "\(number)") }
    await cache.flush()
    #expect(bench.has("new"))
    await cache.set(Data("z"), for: "last")
    await cache.flush()
    #expect(!bench.has("new"))
    #expect(bench.has("last"))

    bench.clock.advance(by: 3_601)
    await second.close()
    #expect(bench.base.files == [])
    await second.set(Data("z"), for: "late")
    #expect(await second.value(for: "late") == nil)
  }

  @Test("T8 By time, and by count not at all, where the options say so")
  func cleanUpByTime() async throws {
    var bench = try Bench()
    bench.options.cleanUpWrites = nil
    bench.options.cleanUpInterval = .seconds(600)
    let cache = try bench.open()
    for number in 0..<150 { await cache.set(Data("z"), for: "\(number)") }
    await cache.flush()
    #expect(await cache.statistics.cleanUps == 1)
    bench.clock.advance(by: 600)
    _ = await cache.value(for: "0")
    await cache.flush()
    #expect(await cache.statistics.cleanUps == 2)
  }

  @Test("T9 A damaged file is a miss, is removed, counted and logged", arguments: 0..<6)
  func damage(kind: Int) async throws {
    let bench = try Bench()
    let writer = try bench.open()
    for key in ["k", "other"] { await writer.set(Data("value of \(key)"), for: key) }
    await writer.flush()
    let path = bench.path("k")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    switch kind {
    case 0: bytes[bytes.count - 1] ^= 1
    case 1: bytes[3] ^= 1
    case 2: bytes.removeLast()
    case 3: bytes = Data()
    case 4: bytes.append(0)
    default: bytes = try Data(contentsOf: URL(fileURLWithPath: bench.path("other")))
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    // The damage has the date of the machine's clock.
    bench.clock.advance(by: Date().timeIntervalSince(bench.clock.now))
    var options = bench.options
    options.age = nil
    var reading = bench
    reading.options = options
    let reader = try reading.open()
    #expect(await reader.value(for: "k") == nil)
    await reader.flush()
    #expect(!bench.has("k"))
    #expect(await reader.statistics.corruptFiles == 1)
    #expect(bench.lines.all.contains { $0.contains("damaged") })
    #expect(!bench.lines.all.contains { $0.contains("value of") })
    #expect(await reader.value(for: "other") == Data("value of other"))
  }

  @Test("T9 Bytes that the value's type refuses are damage, a file that is not there is none")
  func undecodable() async throws {
    let bench = try Bench()
    let bytes = try bench.open()
    await bytes.set(Data([0xff, 0xfe]), for: "k")
    await bytes.flush()
    let texts = try bench.open(of: Counted.self)
    #expect(await texts.value(for: "absent") == nil)
    #expect(await texts.statistics.corruptFiles == 0)
    #expect(await texts.value(for: "k") == nil)
    await texts.flush()
    #expect(await texts.statistics.corruptFiles == 1)
    #expect(bench.base.files == [])
  }

  @Test("T10 Without a folder the cache is in memory, and says so once")
  func noFolder() async throws {
    let bench = try Bench()
    let file = bench.base.url.appendingPathComponent("\(FileName(hashing: "a"))")
    try Data("in the way").write(to: file)
    let cache = try bench.open()
    await cache.flush()
    for number in 0..<5 {
      await cache.set(Data("\(number)"), for: "\(number)")
      await cache.flush()
    }
    for number in 0..<5 { #expect(await cache.value(for: "\(number)") == Data("\(number)")) }
    #expect(await cache.disk == .unavailable)
    #expect(bench.lines.count(.warning) == 1)
    #expect(try Data(contentsOf: file) == Data("in the way"))
  }

  #if os(Linux)
    @Test("T10 On a full disk the cache is in memory, serves no older file, and tries again")
    func fullDisk() async throws {
      var bench = try Bench()
      bench.options.memoryLimit = .entries(1)
      let box = Shared(isFull: .init(false))
      var folder = FileFolder(path: bench.base.url.appendingPathComponent("f").path)
      let opensDraft = folder.opensDraft
      folder.opensDraft = { path in
        box.isFull.withLock { $0 } ? open("/dev/full", O_WRONLY) : opensDraft(path)
      }
      let clock = bench.clock
      let cache = try TwoTierCache<String, Data>(
        folder, options: bench.options, logger: bench.logger, timeOfDay: { clock.now })
      await cache.set(Data("old"), for: "k")
      await cache.set(Data("kept"), for: "other")
      await cache.flush()
      box.isFull.withLock { $0 = true }
      await cache.set(Data("new"), for: "k")
      await cache.flush()
      #expect(await cache.disk == .full)
      #expect(await cache.value(for: "k") == Data("new"))
      // Evicts the new value; the old file must not come back.
      #expect(await cache.value(for: "other") == Data("kept"))
      #expect(await cache.value(for: "k") == nil)
      await cache.set(Data("newer"), for: "k")
      await cache.flush()
      #expect(bench.lines.count(.warning) == 1)
      box.isFull.withLock { $0 = false }
      clock.advance(by: 31)
      await cache.set(Data("newest"), for: "k")
      await cache.flush()
      #expect(await cache.disk == .available)
      #expect(bench.base.files.count == 2)
    }

    private final class Shared: Sendable {
      let isFull: Mutex<Bool>
      init(isFull: consuming Mutex<Bool>) { self.isFull = isFull }
    }
  #endif

  @Test("T10 A folder that is removed is made again")
  func removedFolder() async throws {
    let bench = try Bench()
    let cache = try bench.open()
    await cache.set(Data("1"), for: "a")
    await cache.flush()
    try FileManager.default.removeItem(at: cache.folder)
    await cache.removeAll()
    await cache.flush()
    await cache.set(Data("2"), for: "b")
    await cache.flush()
    #expect(await cache.disk == .available)
    #expect(bench.has("b"))
  }

  @Test("T11 Above the limit the files go that were used least recently, down to nine tenths")
  func diskLimit() async throws {
    var bench = try Bench()
    bench.options.diskBytes = 10 * 1_040
    bench.options.memoryLimit = .entries(0)
    let cache = try bench.open()
    for number in 0..<10 {
      await cache.set(Data(count: 1_000), for: "\(number)")
      bench.clock.advance(by: 1)
    }
    await cache.flush()
    #expect(bench.base.files.count == 10)
    #expect(await cache.value(for: "0") != nil)
    bench.clock.advance(by: 1)
    await cache.set(Data(count: 1_000), for: "10")
    await cache.flush()
    #expect(bench.base.files.count == 9)
    #expect(bench.has("0"))
    #expect(!bench.has("1"))
    #expect(!bench.has("2"))
    #expect(bench.has("10"))
    #expect(await cache.statistics.trimmedFiles == 2)
  }

  @Test("T12 Intervals begin and end in pairs, and counters add up")
  func instruments() async throws {
    final class Recorder: TwoTierInstrument {
      let open = Mutex<[UInt64: TwoTierInterval]>([:])
      let ended = Mutex<[TwoTierInterval: Int]>([:])
      func didBegin(_ interval: TwoTierInterval, id: UInt64) {
        open.withLock { #expect($0.updateValue(interval, forKey: id) == nil) }
      }
      func didEnd(_ interval: TwoTierInterval, id: UInt64) {
        open.withLock { #expect($0.removeValue(forKey: id) == interval) }
        ended.withLock { $0[interval, default: 0] += 1 }
      }
    }
    var bench = try Bench()
    bench.options.memoryLimit = .entries(1)
    let recorder = Recorder()
    let cache = try bench.open(instrument: recorder)
    await cache.set(Data("1"), for: "one")
    await cache.set(Data("2"), for: "two")
    await cache.flush()
    for key in ["one", "two", "two", "three"] { _ = await cache.value(for: key) }
    await cache.cleanUp()
    let ended = recorder.ended.withLock { $0 }
    #expect(recorder.open.withLock { $0.isEmpty })
    #expect(ended == [.read: 4, .diskRead: 3, .cleanUp: 2])
    var expected = TwoTierStatistics()
    expected.memoryHits = 1
    expected.diskHits = 2
    expected.misses = 1
    expected.promotions = 2
    expected.evictions = 3
    expected.writes = 2
    expected.filesWritten = 2
    expected.fileBytesWritten = 82
    expected.cleanUps = 2
    #expect(await cache.statistics == expected)
  }
}
