import CacheModel
import Metrics
import Testing

@testable import Measurement

@Suite("Latency runs, small ones", .timeLimit(.minutes(10)))
struct LatencyRunTests {
  private func plan(_ preset: String, _ eventClass: EventClass) throws -> LatencyPlan {
    var plan = try #require(LatencyPlan.standard(preset: preset, seed: 1))
    plan.library = FileLibrary(directories: 4, filesPerDirectory: 30, seed: 1)
    plan.phases = [
      .init(
        eventClass: eventClass, samples: 24, warmUp: 3, rate: 400, frameSamples: 8, frameRate: 200)
    ]
    plan.aloneSamples = 24
    return plan
  }

  @Test(
    "Every lane counts every event, and each row is of a registered metric",
    arguments: ["spacedrive", "lru", "refcount", "ttl", "unbounded"],
    [EventClass.single, .batch100])
  func rows(preset: String, eventClass: EventClass) async throws {
    let rows = try await LatencyRun(plan: plan(preset, eventClass)).run()
    let name = eventClass.rawValue
    func row(_ metric: String, _ class: String, _ statistic: Statistic = .max) throws -> ResultRow {
      try #require(
        rows.first {
          $0.metric == metric && $0.class == `class` && $0.statistic == statistic.rawValue
        }, "\(metric) \(`class`) \(statistic)")
    }
    for stage in LatencyStage.allCases {
      for door in [name, "\(name)/stream"] {
        #expect(try row(stage.rawValue, door).sampleCount == 24)
        #expect(try row(stage.rawValue, door).value != nil)
        #expect(try row(stage.rawValue, door, .p50).value != nil)
        #expect(try row(stage.rawValue, door, .p99).value == nil)
        #expect(try row(stage.rawValue, door, .p999).value == nil)
      }
    }
    #expect(try row("control_notify", name).sampleCount == 24)
    #expect(try row("control_notify", name).policy == "")
    // Beside nothing it is only of single events.
    #expect(
      rows.contains { $0.metric == "control_notify" && $0.class == "single/alone" }
        == (eventClass == .single))
    #expect(try row("sleeper_lateness", name).value != nil)
    #expect(try row("server_to_ui", name).sampleCount == 8)
    #expect(try row("server_to_ui", "\(name)/frame-boundary").sampleCount == 8)
    let share = try #require(row("share_within_target", name, .value).value).asDouble
    #expect((0...1).contains(share))
    for row in rows {
      let metric = try #require(MetricRegistry.named(row.metric), "\(row.metric)")
      #expect(metric.allows(statistic: row.statistic))
    }
    #expect(Set(rows.map(\.identity)).count == rows.count)
  }

  @Test("A composition that keeps nothing is refused by name, not reported as fast")
  func noCache() async throws {
    let plan = try plan("no-cache", .single)
    await #expect(throws: LatencyRunError.self) {
      try await LatencyRun(plan: plan).run()
    }
  }

  @Test("Progress names each phase")
  func progress() async throws {
    let plan = try plan("spacedrive", .single)
    await confirmation(expectedCount: 3) { confirm in
      _ = try? await LatencyRun(plan: plan) { message in
        #expect(message.contains("single") || message.contains("alone"))
        confirm()
      }.run()
    }
  }

  @Test("Only presets have a plan, and a full plan has the samples that p99.9 needs")
  func plans() throws {
    #expect(LatencyPlan.standard(preset: "fastest", seed: 1) == nil)
    let plan = try #require(LatencyPlan.standard(preset: "spacedrive", seed: 1))
    let single = try #require(plan.phases.first { $0.eventClass == .single })
    #expect(single.samples >= Distribution.samplesNeeded(for: .p999))
    #expect(plan.aloneSamples >= Distribution.samplesNeeded(for: .p99))
    #expect(single.frameSamples >= Distribution.samplesNeeded(for: .p99))
    let quick = try #require(LatencyPlan.standard(preset: "spacedrive", seed: 1, isQuick: true))
    #expect(quick.phases.map(\.eventClass) == plan.phases.map(\.eventClass))
  }
}
