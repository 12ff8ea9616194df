import CacheModel
import Foundation
import Reporting
import ResponseCache
import Synchronization

/// Compares the layouts of metadata: one file for all entries, or a file for each.
struct LayoutCounts {
  let plan: DesignPlan

  func section() async throws -> CountSection {
    var rows: [[String]] = []
    for entries in [20, 200, 500] {
      for layout in ResponseOptions.MetadataLayout.allCases {
        rows.append(try await row(entries, layout))
      }
    }
    return CountSection(
      "Manifest against sidecar files",
      columns: ["entries, layout", "files", "bytes of metadata", "bytes of the largest file"],
      rows: rows)
  }

  private func row(_ entries: Int, _ layout: ResponseOptions.MetadataLayout) async throws
    -> [String]
  {
    let folder = try plan.freshFolder("layout")
    var options = ResponseOptions()
    options.metadataLayout = layout
    options.maximumEntries = entries
    options.sweepInterval = nil
    let clock = SteadyClock()
    let cache = try ResponseCache(
      folder: folder, transport: CountingTransport(bodyBytes: 100), options: options,
      timeOfDay: { clock.date })
    for index in 0..<entries { try await cache.fetch(try DesignPlan.url(index)) }
    try await cache.flush()
    let files = try metadata(in: folder)
    let all = files.reduce(0) { $0 + $1.bytes }
    return [
      "\(entries), \(layout.rawValue)", "\(files.count)", HumanNumber.count(Double(all)),
      HumanNumber.count(Double(files.map(\.bytes).max() ?? 0)),
    ]
  }

  /// Returns the files of metadata, without the bodies.
  private func metadata(in folder: URL) throws -> [(name: String, bytes: Int)] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0 == "manifest.json" || $0.hasSuffix(".meta") }
      .map { name in
        let path = folder.appendingPathComponent(name).path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (name, size ?? 0)
      }
  }
}

/// A day of reads in virtual time: popular entries more often, at a fixed interval of seconds.
struct ReadingDay {
  struct Read {
    var entry: Int
    /// The time in seconds since the first read.
    var second: Int
  }

  let reads: [Read]

  /// - Parameters:
  ///   - count: the number of reads.
  ///   - entries: the number of entries; the index of a read is the product of two uniform random numbers, so
  ///     that the first quarter has 60% of the reads.
  ///   - seconds: the time between two reads.
  init(count: Int, entries: Int, seconds: Int) {
    var random = RandomSource(seed: 18)
    reads = (0..<count).map { index in
      Read(
        entry: Int(Double(entries) * random.unit() * random.unit()), second: index * seconds)
    }
  }
}

/// A manually set clock.
final class SteadyClock: Sendable {
  private let seconds = Mutex(1_000_000_000)

  var date: Date { Date(timeIntervalSince1970: Double(seconds.withLock { $0 })) }

  /// Sets the seconds since the beginning.
  func set(_ second: Int) { seconds.withLock { $0 = 1_000_000_000 + second } }
}

/// Compares intervals of sweeps: 1,000 reads among 600 entries in a day, of which 100 may remain.
struct SweepCounts {
  let plan: DesignPlan
  private let maximumEntries = 100

  func section() async throws -> CountSection {
    let intervals = [
      ("2 min", 120), ("10 min", 600), ("1 h", 3_600), ("6 h", 21_600), ("never", Int.max),
    ]
    var rows: [[String]] = []
    for (name, seconds) in intervals { rows.append(try await row(name, every: seconds)) }
    return CountSection(
      "The interval of sweeps",
      columns: ["sweep", "sweeps", "entries removed", "bodies fetched", "304", "most entries"],
      rows: rows)
  }

  private func row(_ name: String, every interval: Int) async throws -> [String] {
    var options = ResponseOptions()
    options.maximumEntries = maximumEntries
    options.sweepInterval = nil
    let (clock, transport) = (SteadyClock(), CountingTransport(bodyBytes: 100))
    let cache = try ResponseCache(
      folder: try plan.freshFolder("sweep"), transport: transport, options: options,
      timeOfDay: { clock.date })
    try await cache.flush()
    let atStart = await cache.statistics.sweeps
    var (next, most) = (interval, 0)
    for read in ReadingDay(count: 1_000, entries: 600, seconds: 86).reads {
      while read.second >= next {
        await cache.sweep()
        next += interval
      }
      clock.set(read.second)
      try await cache.fetch(try DesignPlan.url(read.entry))
      most = max(most, await cache.byteCount / 100)
    }
    let (statistics, answers) = (await cache.statistics, transport.answers)
    try await cache.flush()
    return [
      name, "\(statistics.sweeps - atStart)", "\(statistics.sweptEntries)", "\(answers.bodies)",
      "\(answers.unchanged)", "\(most)",
    ]
  }
}

/// Measures the harm of expiring tagged entries: an issue of 60 is fetched, 300 others are read, and an hour
/// later it is read.
///
/// Without its tag the entries are in the state after an expiration: a sweep may remove them.
struct TagCounts {
  let plan: DesignPlan
  private let issue = 0..<60

  func section() async throws -> CountSection {
    var rows: [[String]] = []
    for tag in ["issue", nil] {
      rows.append(try await row(tag, isOnline: true))
      rows.append(try await row(tag, isOnline: false))
    }
    return CountSection(
      "Expiry of tagged entries",
      columns: ["issue", "read", "served", "bodies fetched again", "304"], rows: rows)
  }

  private func row(_ tag: String?, isOnline: Bool) async throws -> [String] {
    var options = ResponseOptions()
    options.sweepInterval = nil
    let (clock, transport) = (SteadyClock(), CountingTransport(bodyBytes: 100))
    let cache = try ResponseCache(
      folder: try plan.freshFolder("tags"), transport: transport, options: options,
      timeOfDay: { clock.date })
    for index in issue { try await cache.fetch(try DesignPlan.url(index), tag: tag) }
    for index in 100..<400 {
      clock.set(index)
      try await cache.fetch(try DesignPlan.url(index))
    }
    await cache.sweep()
    clock.set(3_600)
    await cache.setOnline(isOnline)
    let before = transport.answers
    var served = 0
    for index in issue {
      do {
        try await cache.fetch(try DesignPlan.url(index))
        served += 1
      } catch is ResponseError {
        // A missing entry offline is the counted event.
      }
    }
    let after = transport.answers
    try await cache.flush()
    return [
      tag == nil ? "may expire" : "tagged, for good", isOnline ? "online" : "offline",
      "\(served) of \(issue.count)", "\(after.bodies - before.bodies)",
      "\(after.unchanged - before.unchanged)",
    ]
  }
}
