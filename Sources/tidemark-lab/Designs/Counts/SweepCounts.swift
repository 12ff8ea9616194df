import Foundation
import Reporting
import ResponseCache

/// How often to sweep: 1,000 reads among 600 entries in a day, of which 100 may stay.
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
