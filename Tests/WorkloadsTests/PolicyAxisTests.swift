import CacheModel
import Testing

@testable import Workloads

@Suite("The axes of a policy, over all scenario files")
struct PolicyAxisTests {
  /// The values that no policy of the scenarios has; the bounds do not count.
  private func unexercised(in scenarios: [Scenario]) -> [String] {
    let cases = scenarios.flatMap { scenario in
      scenario.policies.filter { !$0.isBound }.compactMap { entry in
        scenario.composition(for: entry.name).map { ($0, scenario) }
      }
    }
    return AxisValue.all
      .filter { value in !cases.contains { value.isExercised($0.0, $0.1) } }
      .map(\.description)
  }

  @Test("Every value of every axis is exercised by a scenario")
  func exercised() throws {
    let scenarios = try ScenarioFiles.names.map { try ScenarioFiles.load($0) }
    #expect(unexercised(in: scenarios) == [])
  }

  @Test("A value that no scenario has is missed by name")
  func missed() throws {
    #expect(unexercised(in: []).count == AxisValue.all.count)
    let some = ["index-storm", "new-arrivals", "photo-albums", "tight-memory"].map { $0 + ".yaml" }
    let others = try ScenarioFiles.names.filter { !some.contains($0) }
      .map { try ScenarioFiles.load($0) }
    #expect(
      unexercised(in: others)
        == [
          "admission: tinylfu", "admission: probation", "retention: observed",
          "eventAdmission: probation", "batchRules: an admission of their own",
          "coalescingWindow: a window",
        ])
  }

  @Test("No axis is forgotten: every stored property of a composition has its values")
  func complete() throws {
    let whole = PolicyComposition(
      evictionOrder: "lru", capacity: Capacity(entities: 1, bytes: 1), retention: .none,
      releaseBuffer: ReleaseBuffer(queries: 1, age: .zero), freshness: .neverExpires,
      maximumQueries: 1, storage: DiskStorage())
    let parts: [String: Any] = [
      "capacity": whole.capacity, "freshness": whole.freshness,
      "releaseBuffer": try #require(whole.releaseBuffer),
      "storage": try #require(whole.storage),
    ]
    let known = AxisValue.all.map(\.axis)
    for child in Mirror(reflecting: whole).children {
      let axis = try #require(child.label)
      guard let part = parts[axis] else {
        #expect(known.contains(axis), "\(axis) has no values")
        continue
      }
      for field in Mirror(reflecting: part).children {
        let name = "\(axis).\(try #require(field.label))"
        #expect(known.contains(name), "\(name) has no values")
      }
    }
  }

  @Test("Every axis is a field of a scenario")
  func fields() {
    let fields = [
      "evictionOrder": "eviction-order", "admission": "admission",
      "capacity.entities": "capacity-entities",
      "capacity.bytes": "capacity-bytes", "capacity.memory": "capacity-memory",
      "batchRules": "marks-stale.index", "limit": "limit",
      "capacity.highWatermark": "high-watermark",
      "capacity.lowWatermark": "low-watermark", "maximumQueries": "maximum-queries",
      "retention": "retention", "releaseBuffer": "release-buffer-queries",
      "releaseBuffer.queries": "release-buffer-queries",
      "releaseBuffer.age": "release-buffer-age",
      "releaseBuffer.reads": "release-buffer-reads", "freshness.timeToLive": "time-to-live",
      "freshness.start": "time-to-live-from",
      "freshness.perMethod": "time-to-live.files.search",
      "freshness.dropsExpired": "drops-expired",
      "freshness.staleWhileRevalidate": "stale-while-revalidate",
      "freshness.staleIfError": "stale-if-error", "eventAdmission": "event-admission",
      "membership": "membership", "gapResponse": "gap-response",
      "reorderWindow": "reorder-window", "coalescingWindow": "coalescing-window",
      "pollInterval": "poll-interval", "takesEvents": "events", "storage": "storage",
      "storage.maximumBytes": "disk-bytes", "storage.window": "flush-window",
    ]
    for axis in Set(AxisValue.all.map(\.axis)).sorted() {
      let field = fields[axis].flatMap { ScenarioField.ofCache(named: $0) }
      #expect(field != nil, "\(axis) is no field")
    }
  }
}
