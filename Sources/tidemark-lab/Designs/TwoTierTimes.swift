import CacheFiles
import FileHashing
import Foundation
import TwoTierCache

/// Measures the two-tier cache with real files.
struct TwoTierTimes {
  typealias Cache = TwoTierCache<Int, Data>

  let plan: DesignPlan
  private let clock: @Sendable () -> Date = { Date(timeIntervalSince1970: 1_000_000_000) }

  init(plan: DesignPlan) { self.plan = plan }

  func samples(entries: Int) async throws -> [DesignSample] {
    var list = SampleList(design: "two-tier", entries: entries)
    let folder = try plan.freshFolder("two-tier")
    let cache = try open(folder, memory: min(20, entries))
    let before = Disk.bytesWritten
    list.add(
      "write all",
      nanoseconds: await Stopwatch.time {
        for index in 0..<entries { await cache.set(plan.body(index), for: index) }
        await cache.flush()
      })
    list.add(
      "bytes written per byte", writtenSince: before, payload: entries * plan.bodyBytes)
    try list.add(usageOf: folder)

    let hot = (entries - min(20, entries))..<entries
    list.add(
      "read: memory",
      try await Stopwatch.times(plan.reads) { read in
        try await check(cache, hot.lowerBound + read % hot.count)
      })
    let cold = try open(folder, memory: 0)
    let order = plan.order(plan.reads, of: entries)
    list.add(
      "read: file", try await Stopwatch.times(plan.reads) { try await check(cold, order[$0]) })
    guard await cold.statistics.diskHits == plan.reads else {
      throw WrongAnswer("two-tier: not every read came from a file")
    }

    try await lifeTimes(folder, entries, &list)
    return list.samples
  }

  /// Measures the start and the clean-up of a full folder.
  private func lifeTimes(_ folder: URL, _ entries: Int, _ list: inout SampleList) async throws {
    var started: Cache?
    list.add(
      "start-up: to the first read",
      nanoseconds: try await Stopwatch.time {
        let cache = try open(folder, memory: 20)
        try await check(cache, 0)
        started = cache
      })
    await started?.flush()
    let clock = clock
    list.add(
      "clean-up: all files past their age",
      nanoseconds: try await Stopwatch.time {
        // A start includes a clean-up, so they are timed together.
        try await open(folder, memory: 20) { clock() + 7_200 }.cleanUp()
      })
    guard try Disk.usage(of: folder).files == 0 else {
      throw WrongAnswer("two-tier: the clean-up left files")
    }
  }

  private func open(
    _ folder: URL, memory: Int, clock: (@Sendable () -> Date)? = nil
  ) throws -> Cache {
    var options = TwoTierOptions()
    options.memoryLimit = .entries(memory)
    options.cleanUpWrites = nil
    return try Cache(
      identifier: "bench", folder: folder, options: options, timeOfDay: clock ?? self.clock)
  }

  private func check(_ cache: Cache, _ key: Int) async throws {
    guard await cache.value(for: key)?.count == plan.bodyBytes else {
      throw WrongAnswer("two-tier: entry \(key) is lost")
    }
  }

  /// Measures a miss with its request and write.
  func samples(of server: DesignServer) async throws -> [DesignSample] {
    var list = SampleList(design: "two-tier", entries: nil)
    let cache = try open(try plan.freshFolder("two-tier-server"), memory: 20)
    server.serve(plan.body(0), at: "/tile")
    list.add(
      "read: server",
      try await Stopwatch.times(plan.requests) { index in
        guard await cache.value(for: index) == nil else {
          throw WrongAnswer("two-tier: a hit where nothing was set")
        }
        await cache.set(try await server.body(at: "/tile"), for: index)
      })
    await cache.flush()
    return list.samples
  }

  /// Measures a hit in memory of a decodable value, stored as a value or as bytes, and the hash of a key.
  func formSamples() async throws -> [DesignSample] {
    var samples: [DesignSample] = []
    for form in TwoTierOptions.MemoryForm.allCases {
      var list = SampleList(design: "two-tier, \(form.rawValue) in memory", entries: nil)
      var options = TwoTierOptions()
      options.memoryForm = form
      let cache = try TwoTierCache<Int, Listing>(
        identifier: "forms", folder: try plan.freshFolder("forms"), options: options)
      let listing = Listing(rows: 20)
      await cache.set(listing, for: 0)
      await cache.flush()
      list.add(
        "read: memory, JSON of \(listing.data.count) bytes",
        try await Stopwatch.times(plan.reads) { _ in
          guard await cache.value(for: 0)?.rows.count == 20 else {
            throw WrongAnswer("two-tier: a listing is lost")
          }
        })
      samples += list.samples
    }
    var list = SampleList(design: "two-tier", entries: nil)
    list.add(
      "hash of a key",
      try await Stopwatch.times(plan.reads) { index in
        guard FileName(hashing: "https://example.com/tile/\(index).png").description.count == 64
        else { throw WrongAnswer("two-tier: a name of another length") }
      })
    return samples + list.samples
  }
}

/// A decodable value: a list of an app.
private struct Listing: Codable, CachedValue {
  struct Row: Codable, Hashable {
    var id: Int
    var title: String
    var isRead: Bool
  }

  var rows: [Row]

  init(rows count: Int) {
    rows = (0..<count).map {
      Row(id: $0, title: "A title of the row numbered \($0)", isRead: false)
    }
  }

  init(data: Data) throws { self = try JSONDecoder().decode(Listing.self, from: data) }

  /// A value without numbers that JSON lacks can always be encoded.
  var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}
