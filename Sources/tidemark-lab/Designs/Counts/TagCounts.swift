import Foundation
import ResponseCache

/// Does expiry of tagged entries harm? An issue of 60 is fetched, 300 others are read, and an hour later it is read.
///
/// Without its tag it is what an expiry would leave: entries that a sweep may take.
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
        // Offline and not stored: what is counted.
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
