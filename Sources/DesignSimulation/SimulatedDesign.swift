import CacheFiles
import CacheModel
package import CacheSimulation
package import Workloads

/// A cache design behind the simulation: the core that ships, in virtual time.
///
/// To add one:
///
/// 1. Declare its name and its fields as a `DesignPreset` in `Workloads/Scenario/Policies`, with the documents' own
///    numbers as what holds where a scenario says nothing.
/// 2. Write a folder here with a class that conforms to `MeasuredCache` and drives the design's core. It is told
///    of one turn after the other and never waits: what takes time goes into an ``Agenda``, and the turn says when
///    to be woken. ``Requests`` keeps the fetches under way and who waits for them, ``OwnWrites`` sends what the
///    user changes, ``VirtualFolder`` is a disk that outlives processes.
/// 3. Add a line to ``all``.
///
/// A design that takes no events says so, and gets none: nothing is delivered to it, and no byte of events counts
/// against it.
package struct SimulatedDesign: Sendable {
  package let preset: DesignPreset
  /// Prepares for a run what its clients have in common, and gives what begins the cache of each of their processes.
  let prepare: @Sendable (DesignSettings, DesignInput) -> Maker

  package typealias Maker = (CacheLaunch) throws(CacheFault) -> any MeasuredCache

  package static let all: [SimulatedDesign] = [twoTier, response, streamingRepository]

  package static func named(_ name: String) -> SimulatedDesign? {
    all.first { $0.preset.name == name }
  }

  /// What begins a cache for each client of a workload, and for each of its processes.
  ///
  /// What a client's processes store lies in the maker: a client's first process, which begins at zero, finds
  /// nothing. So a maker is for one run.
  ///
  /// - Precondition: the settings are of this design.
  package func maker(_ settings: DesignSettings, for workload: Workload) -> Maker {
    precondition(settings.design == preset.name, "the settings are of \(settings.design)")
    return prepare(settings, DesignInput(workload))
  }
}

/// A design with its settings: where policies go, it can go too.
package struct ConfiguredDesign: BlackBoxCache {
  private let design: SimulatedDesign
  package private(set) var settings: DesignSettings

  /// `nil` where no design has the name that the settings say.
  package init?(_ settings: DesignSettings) {
    guard let design = SimulatedDesign.named(settings.design) else { return nil }
    self.design = design
    self.settings = settings
  }

  package var content: [ScenarioContent.Value] { ScenarioContent.values(of: settings) }
  package var isDeterministic: Bool { true }
  package var predictsMemory: Bool { true }

  package func held(toMemory bytes: Int) -> (any BlackBoxCache)? {
    var held = self
    held.settings.capacity = Capacity(entities: nil, memory: bytes)
    return held
  }

  package func maker(for workload: Workload) -> Maker {
    let make = design.maker(settings, for: workload)
    return { launch throws(CacheFault) in try make(launch) }
  }
}

/// What the clients of a workload have in common, looked up by numbers.
package final class DesignInput: Sendable {
  package let workload: Workload
  /// The mean size of what exists at the beginning, in bytes.
  let meanEntityBytes: Int
  private let isKept: [Bool]
  /// By query: the types that it lists.
  private let listed: [[ResourceType]]

  package init(_ workload: Workload) {
    self.workload = workload
    let model = workload.model
    isKept = workload.queries.map { model.isCacheable($0) }
    listed = workload.queries.map { query in
      (model.shape(of: query.kind)?.types ?? []).map { DataModel.resourceType(ofType: $0) }
    }
    let initial = workload.catalog.revisions.prefix(workload.catalog.initialCount)
    let bytes = initial.reduce(0) { $0 + Int($1.bytes) }
    meanEntityBytes = initial.isEmpty ? 0 : bytes / initial.count
  }

  /// Whether an app keeps the answer to a request at all: not what the server answers every time, as a search
  /// for one letter.
  func isKept(_ target: CacheReply.Target) -> Bool {
    guard case .query(let query) = target else { return true }
    return isKept[query]
  }

  /// Whether a query may list something of these types.
  func lists(_ query: Int, any types: Set<ResourceType>) -> Bool {
    listed[query].contains { types.contains($0) }
  }

  /// The rows of an answer, each by its state; the highest bit says that it shows a part of it.
  func states(of sent: [SentRow]) -> [UInt32] {
    sent.map { $0.isPart ? $0.state | Self.partBit : $0.state }
  }

  /// States have fewer than 2³¹ numbers, as objects have.
  private static let partBit: UInt32 = 1 << 31

  static func isPart(_ state: UInt32) -> Bool { state & partBit != 0 }

  private func revision(of state: UInt32) -> Revision {
    workload.catalog.revisions[Int(state & ~Self.partBit)]
  }

  func object(of state: UInt32) -> UInt32 { revision(of: state).object }

  func type(of object: UInt32) -> ResourceType? {
    let objects = workload.catalog.objects
    return objects.indices.contains(Int(object)) ? objects[Int(object)].type : nil
  }

  /// The bytes of rows as JSON.
  func bytes(of states: [UInt32]) -> Int {
    states.reduce(0) { sum, state in
      let revision = revision(of: state)
      guard Self.isPart(state), let type = type(of: revision.object) else {
        return sum + Int(revision.bytes)
      }
      let summary = workload.model.types[Int(type.rawValue) - 1].summary
      return sum + (summary?.bytes(ofWhole: Int(revision.bytes)) ?? Int(revision.bytes))
    }
  }

  func storedRows(_ states: [UInt32]) -> StoredRows {
    StoredRows(states: states, bytes: bytes(of: states))
  }

  func rows(_ states: [UInt32]) -> [ServedRow] {
    states.map { state in
      SentRow(
        object: object(of: state), state: state & ~Self.partBit, version: .none,
        isPart: Self.isPart(state)
      ).served
    }
  }
}

extension DesignSettings {
  /// The bytes that values may have in memory; where only entities are limited, as many as they have on average.
  func valueLimit(_ input: DesignInput) -> Int? {
    let ofEntities = capacity.entities.map { entities in
      let (bytes, overflow) = entities.multipliedReportingOverflow(by: input.meanEntityBytes)
      return overflow ? .max : bytes
    }
    return [capacity.bytes, ofEntities].compactMap(\.self).min()
  }

  /// The bytes that memory may take, for a design that counts its tables too.
  func memoryLimit(_ input: DesignInput) -> Int? {
    [capacity.memory, valueLimit(input)].compactMap(\.self).min()
  }
}

/// A design's core as it stands in a run, taken out of it so that an allocator can count what it takes.
///
/// The values of a simulation are stand-ins for an app's. So whoever counts makes a piece of memory for each size in
/// ``values`` and ``lists``, and lets the core itself go (``close()``): what becomes free are its tables.
package final class DesignCore {
  /// What it knows: values in memory, entries, or collections.
  package let entries: Int
  /// What the simulation says that the tables take.
  package let predictedTables: Int
  /// What it says of all, values included.
  package let predicted: Int
  /// The size of each value in memory.
  package let values: [Int]
  /// The sizes of the values that an app has in arrays, array by array: what its views show.
  package let lists: [[Int]]
  /// What is not the core's own, and so must stay where the core goes.
  private let shared: Any
  private var core: AnyObject?

  private final class Box<Core: ~Copyable> {
    let core: Core

    init(_ core: consuming Core) { self.core = core }
  }

  init<Core: ~Copyable>(
    _ core: consuming Core, entries: Int, predictedTables: Int, predicted: Int,
    values: [Int] = [], lists: [[Int]] = [], shared: Any = ()
  ) {
    self.entries = entries
    self.predictedTables = predictedTables
    self.predicted = predicted
    self.values = values
    self.lists = lists
    self.shared = shared
    self.core = Box(core)
  }

  /// Lets the core go.
  package func close() { core = nil }
}

/// A design's cache whose core can be taken out of a run; it is of no further use then.
package protocol CountableCache: AnyObject {
  /// - Throws: what the core throws that takes its place.
  func takeCore() throws -> DesignCore
}

extension FileName {
  /// Names the file of a simulated query or entity: distinct, and spread like a digest.
  ///
  /// Apps name files by SHA-256, which no simulation needs.
  init(_ target: CacheReply.Target) {
    let (label, number): (StaticString, UInt64) =
      switch target {
      case .query(let query): ("query", UInt64(query))
      case .object(let object): ("object", UInt64(object))
      }
    var source = RandomSource(seed: number).substream(label)
    var words = (0..<3).map { _ in source.next() }
    // What tells two numbers apart, of one kind, whatever was drawn.
    words.append(number)
    self.init(
      digest: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
  }
}

/// What a cache of answers keeps of one: states, in the order of the list.
struct StoredRows: Sendable {
  var states: [UInt32]
  var bytes: Int
}
