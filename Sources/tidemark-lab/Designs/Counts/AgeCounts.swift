import Foundation
import TwoTierCache

/// Count or time for the clean-up, and which age: 1,000 reads of 60 images that are replaced every five minutes.
struct AgeCounts {
  let plan: DesignPlan
  private let replaced = 300

  private struct Setting {
    var age: Int
    var writes: Int?
    var interval: Int?
  }

  func section() async throws -> CountSection {
    let settings = [
      Setting(age: 300, writes: 100), Setting(age: 300, interval: 600),
      Setting(age: 900, writes: 100), Setting(age: 3_600, writes: 100),
      Setting(age: 3_600, interval: 600), Setting(age: 14_400, writes: 100),
    ]
    var rows: [[String]] = []
    for setting in settings { rows.append(try await row(setting)) }
    return CountSection(
      "The clean-up and the age of files",
      columns: [
        "age, clean-up", "hits", "of these replaced since", "fetched", "clean-ups",
        "files past their age, at most",
      ], rows: rows)
  }

  private func row(_ setting: Setting) async throws -> [String] {
    var options = TwoTierOptions()
    options.age = .seconds(setting.age)
    options.cleanUpWrites = setting.writes
    options.cleanUpInterval = setting.interval.map { .seconds($0) }
    options.memoryLimit = .entries(10)
    let clock = SteadyClock()
    let cache = try TwoTierCache<Int, Data>(
      identifier: "age", folder: try plan.freshFolder("age"), options: options,
      timeOfDay: { clock.date })
    await cache.flush()
    let atStart = await cache.statistics.cleanUps
    var (hits, stale, fetched, most) = (0, 0, 0, 0)
    for read in ReadingDay(count: 1_000, entries: 60, seconds: 86).reads {
      clock.set(read.second)
      let scan = read.second / replaced
      if let value = await cache.value(for: read.entry) {
        hits += 1
        if value != Data("\(scan)".utf8) { stale += 1 }
      } else {
        fetched += 1
        await cache.set(Data("\(scan)".utf8), for: read.entry)
      }
      await cache.flush()
      most = max(most, try agedFiles(of: cache, at: clock.date, past: setting.age))
    }
    let cleanUps = await cache.statistics.cleanUps - atStart
    return [
      "\(setting.age / 60) min, "
        + (setting.interval.map { "each \($0 / 60) min" } ?? "each 100 writes"),
      "\(hits)", "\(stale)", "\(fetched)", "\(cleanUps)", "\(most)",
    ]
  }

  /// The files that are served no more and take space.
  private func agedFiles(
    of cache: TwoTierCache<Int, Data>, at now: Date, past age: Int
  ) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: cache.folder.path).count { name in
      let path = cache.folder.appendingPathComponent(name).path
      let written = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
      return (written as? Date).map { now.timeIntervalSince($0) > Double(age) } ?? false
    }
  }
}
