import CacheModel
import CacheSimulation
import DesignSimulation
import RealTime
import ResultModel
import Workloads

/// Measures the other cache designs, filled by the turns of a simulation with this many entries and a quarter
/// more: the rest is evicted, so that tables have been full and have gaps.
struct DesignMemory {
  /// The numbers of entries in the designs' documentation.
  static let populations = [200, 2_000, 20_000]

  let entries: Int

  /// Returns rows for each design.
  func run(counter: some AllocationCounter) throws -> [ResultRow] {
    let workload = Workload.generate(try scenario, seed: 1)
    return try DesignPreset.all.flatMap { preset in
      try DesignPrediction("\(entries) entries", preset.name, try filledCore(of: preset, workload))
        .rows(seed: 1, counter: counter)
    }
  }

  /// Returns the core of the first client at the end of a run.
  static func coreAtEnd(of workload: Workload, _ settings: DesignSettings) throws -> DesignCore {
    let maker = try maker(for: workload, settings)
    var last: (any CacheUnderTest)?
    let simulation = Simulation(
      of: workload, sharedLimits: SharedLimits(capacity: settings.capacity, maximumQueries: nil))
    _ = try simulation.run(cache: settings.design, predictsMemory: true) {
      launch throws(CacheFault) in
      let cache = try maker(launch)
      if launch.place == 0 { last = cache }
      return cache
    }
    return try core(of: last)
  }

  private static func maker(
    for workload: Workload, _ settings: DesignSettings
  ) throws -> ConfiguredDesign.Maker {
    guard let design = ConfiguredDesign(settings) else { throw DesignMemoryError(settings.design) }
    return design.maker(for: workload)
  }

  private static func core(of cache: (any CacheUnderTest)?) throws -> DesignCore {
    guard let cache = cache as? any CountableCache else { throw DesignMemoryError("the cache") }
    return try cache.takeCore()
  }

  private var scenario: Scenario {
    get throws {
      let text = """
        name: designs
        duration: 1 h
        data:
          entities:
            book: {count: \(entries / 20) books, size: 400 B, has: {name: text}}
            page:
              count: \(entries + entries / 4) pages
              size: {median: 2 kB, p99: 20 kB}
              has: {book: {one: book, cascade: yes}, name: text}
          queries:
            pages: {list: page, where: book is subject, order: name, first: 10 rows}
        users:
          - name: reader
            clients: 1 client
            think: 20 s
            mix: {read: 100 %}
            activities: {read: [{visit: pages, zipf: 0.8}]}

        """
      return try Scenario.parse(Array(text.utf8), file: "designs", vocabulary: .unchecked)
    }
  }

  private func filledCore(of preset: DesignPreset, _ workload: Workload) throws -> DesignCore {
    var settings = DesignSettings(preset, capacity: Capacity(entities: entries))
    // Writes reach their file before the next turn.
    settings.set("disk-write-time", to: .duration(.zero))
    if preset.name == DesignPreset.response.name {
      settings.set("maximum-entries", to: .number(Int64(entries)))
      // A tenth, as in the design's documentation.
      settings.set("memory-entries", to: .number(Int64(entries / 10)))
    }
    let maker = try Self.maker(for: workload, settings)
    let cache = try maker(
      CacheLaunch(workload, place: 0, capacity: settings.capacity, at: .zero))
    var reader = Reader(cache: cache, catalog: workload.catalog)
    for query in workload.queries.indices {
      try reader.tell(.observe(query))
      if query.isMultiple(of: 5) { try reader.tell(.tag(query)) }
    }
    for object in reader.states.keys.sorted() { try reader.tell(.open(object)) }
    // Enough time for all timed work.
    for _ in 0..<5 { try reader.tell(.wake, after: .seconds(20)) }
    return try Self.core(of: cache)
  }

  /// A user's reads, and a server with all rows from the beginning.
  private struct Reader {
    private let cache: any CacheUnderTest
    let states: [UInt32: UInt32]
    private let listed: [UInt32]
    private let position = StreamPosition(epoch: 1, sequence: 1)
    private var now = Instant.zero
    private var number = 0

    init(cache: any CacheUnderTest, catalog: Catalog) {
      self.cache = cache
      let initial = catalog.revisions.prefix(catalog.initialCount)
      states = Dictionary(
        initial.indices.map { (initial[$0].object, UInt32($0)) }, uniquingKeysWith: { $1 })
      listed = states.keys.sorted()
    }

    mutating func tell(_ operation: CacheOperation, after pause: Duration = .milliseconds(1)) throws
    {
      now = now.advanced(by: pause)
      number += 1
      let answer = try cache.take(CacheTurn(number: number, at: now, operation: operation))
      for reply in answer.replies {
        guard case .fetch(let id, let target, _) = reply else { continue }
        try tell(.response(id, .rows(rows(of: target), hasMore: false, position)))
      }
    }

    private func rows(of target: CacheReply.Target) -> [SentRow] {
      let objects =
        switch target {
        case .object(let object): [object]
        case .query(let query): (0..<10).map { listed[(10 * query + $0) % listed.count] }
        }
      return objects.compactMap { object in
        states[object].map { SentRow(object: object, state: $0, version: .none) }
      }
    }
  }
}

struct DesignMemoryError: Error, CustomStringConvertible {
  let description: String

  init(_ name: String) { description = "\(name) has no core that can be counted" }
}

/// Compares the simulator's prediction for a design with the memory of its core.
///
/// Tables are separate, since values of some kilobytes would hide any error in them.
struct DesignPrediction {
  private let scenario: String
  private let design: String
  private let core: DesignCore

  init(_ scenario: String, _ design: String, _ core: DesignCore) {
    self.scenario = scenario
    self.design = design
    self.core = core
  }

  /// Returns rows of the total and of the tables: the prediction, the measurement, and the difference.
  func rows(seed: UInt64, counter: some AllocationCounter) throws -> [ResultRow] {
    let (tables, values) = try count(counter)
    func rows(of part: ResultClass, _ predicted: Int, _ measured: Int) -> [ResultRow] {
      MemoryPrediction(predicted: predicted, measured: measured, entries: core.entries)
        .rows(scenario: scenario, policy: design, seed: seed, class: part)
    }
    return rows(of: .total, core.predicted, tables + values)
      + rows(of: "tables", core.predictedTables, tables)
  }

  /// Measures values of the core's sizes by allocating them, and its tables by releasing it.
  private func count(_ counter: some AllocationCounter) throws -> (tables: Int, values: Int) {
    func value(_ size: Int) -> [UInt8] { [UInt8](repeating: 0, count: size) }
    var (values, lists): ([[UInt8]], [[[UInt8]]]) = ([], [])
    values.reserveCapacity(core.values.count)
    lists.reserveCapacity(core.lists.count)
    let bare = try counter.read().allocated
    for size in core.values { values.append(value(size)) }
    for list in core.lists { lists.append(list.map(value)) }
    let full = try withExtendedLifetime((values, lists)) { try counter.read().allocated }
    core.close()
    let closed = try withExtendedLifetime((values, lists)) { try counter.read().allocated }
    return (full - closed, full - bare)
  }
}
