import CacheChecking
import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@testable import DesignSimulation

/// An app with a few pages, and other writers.
enum SmallApp {
  /// With more lines of a scenario, such as faults, and more steps of its users after each visit.
  static func workload(
    seed: UInt64 = 1, with lines: String = "", steps: String = ""
  ) throws -> Workload {
    let scenario = try Scenario.parse(
      Array((text(steps) + lines).utf8), file: "pages.yaml", vocabulary: .unchecked)
    return Workload.generate(scenario, seed: seed)
  }

  private static func text(_ steps: String) -> String {
    """
    name: pages
    duration: 6 h
    drain: 30 s
    warm-up: 0 %
    data:
      entities:
        book: {count: 30 books, size: 400 B, has: {name: text}}
        page:
          count: 300 pages
          size: {median: 2 kB, p99: 20 kB}
          has: {book: {one: book, cascade: yes}, name: text, number: {integer: 0..500}}
      queries:
        books: {list: book, order: name, first: 30 rows}
        pages: {list: page, where: book is subject, order: number, first: 10 rows}
        find:  {list: page, where: name begins with typed, order: number, first: 5 rows,
                cached-from: 2 letters}
      operations:
        write: {set: page.name}
        add:   {create: page}
    writers: [{name: writers, rate: 200/h, mix: {write: 80 %, add: 20 %}}]
    users:
      - name: reader
        clients: 2 clients
        think: 20 s
        mix: {read: 90 %, find: 10 %}
        activities:
          read: [{visit: pages, zipf: 0.8, revisit: 40 %}\(steps), {open: 0.6 rows}]
          find: [{type: find, letters: 3 letters}]
    network: {round-trip: 50 ms, round-trip-jitter: 0 ms}

    """
  }

  static func run(
    _ workload: Workload, _ design: SimulatedDesign = .twoTier,
    capacity: Capacity = .unlimited, change: (inout DesignSettings) -> Void = { _ in }
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    var settings = DesignSettings(design.preset, capacity: capacity)
    change(&settings)
    let cache = try #require(ConfiguredDesign(settings))
    return try Simulation(
      of: workload, sharedLimits: SharedLimits(capacity: capacity, maximumQueries: nil)
    ).run(cache: design.preset.name, predictsMemory: true, cache.maker(for: workload))
  }
}

extension SimulationResult {
  /// The value of a metric; `nil` if it has none.
  func value(
    _ metric: Metric, _ statistic: Statistic = .value, in class: ResultClass = .total
  ) -> Double? {
    rows.first { $0.metric == metric && $0.statistic == statistic && $0.class == `class` }?
      .value?.asDouble
  }
}

@Suite("Every design", .timeLimit(.minutes(30)))
struct DesignConformanceTests {
  @Test(
    "A run has nothing of the one before, and pushes nothing",
    arguments: SimulatedDesign.all.map(\.preset.name))
  func repeats(_ name: String) throws {
    let design = try #require(SimulatedDesign.named(name))
    let workload = try SmallApp.workload(
      with: "faults: [{kind: app-restart, at: 1 h, every: 1 h}]\n")
    let cache = try #require(ConfiguredDesign(DesignSettings(design.preset)))
    let maker = cache.maker(for: workload)
    let simulation = Simulation(of: workload)
    let first = try simulation.run(cache: name, predictsMemory: true, maker)
    let second = try simulation.run(cache: name, predictsMemory: true, maker)
    #expect(first.result.rows == second.result.rows && first.reads == second.reads)
    #expect(first.result.value(.bytesPushed) == 0)
  }

  /// Cases that a design fails by its document, with the promise of `Documentation/Designs.md`.
  private static let departures: [String: [String: String]] = [
    "streaming-repository": [
      "writes/7": "S7: without a network a change fails, and is not kept",
      "writes/8": "S7: likewise",
      "writes/9": "S6: a change without an answer is undone; its rows are fetched again",
    ]
  ]

  @Test(
    "No design fails in any but those that its document rules out",
    arguments: SimulatedDesign.all.map(\.preset.name))
  func failsNowhere(_ name: String) throws {
    let design = try #require(SimulatedDesign.named(name))
    let conformance = Conformance()
    let cases = Conformance.cases(nil)
    #expect(cases.count >= 70)
    let departures = Self.departures[name] ?? [:]
    var failed: [String] = []
    for test in cases {
      var settings = DesignSettings(design.preset, capacity: test.capacity)
      // A case is about served rows, and does not wait for a disk.
      for field in design.preset.fields where field.name.hasPrefix("disk-") {
        settings.set(field.name, to: .duration(.zero))
      }
      let result = conformance.run(test) { launch throws(CacheFault) in
        try design.maker(settings, for: ConformanceWorld.workload)(launch)
      }
      guard result.verdict == .fail else { continue }
      failed.append(test.address)
      #expect(
        departures[test.address] != nil,
        "\(test.address) \(test.title): \(result.findings); told: \(result.told)")
    }
    #expect(failed.sorted() == departures.keys.sorted())
  }
}
