import CacheFiles
import CacheModel
package import CacheSimulation
package import Workloads

/// A cache design in the simulation: the product's core in virtual time.
///
/// To add one:
///
/// 1. Declare its name and its fields as a `DesignPreset` in `Workloads/Scenario/Policies`, with the default
///   values of its documentation.
/// 2. Create a folder here with a class that conforms to `MeasuredCache` and calls the design's core. It
///   receives one turn after another and never waits: work that takes time is added to an ``Agenda``, and the
///   turn returns its next wake-up. ``Requests`` stores the pending fetches and their waiting reads,
///   ``OwnWrites`` sends the user's changes, ``VirtualFolder`` is a disk that persists across processes.
/// 3. Add a line to ``all``.
///
/// A design without events declares that, and receives none: nothing is delivered to it, and it has no event
/// bytes.
package struct SimulatedDesign: Sendable {
  package let preset: DesignPreset
  /// Prepares the shared data of a run's clients, and returns a factory for the cache of each process.
  let prepare: @Sendable (DesignSettings, DesignInput) -> Maker

  package typealias Maker = (CacheLaunch) throws(CacheFault) -> any MeasuredCache

  package static let all: [SimulatedDesign] = [twoTier, response, streamingRepository]

  package static func named(_ name: String) -> SimulatedDesign? {
    all.first { $0.preset.name == name }
  }

  /// Returns the factory of a workload, which creates a cache for each client and process.
  ///
  /// The factory contains the storage of each client's processes: the first process, which begins at zero,
  /// finds it empty. So a factory is for one run.
  ///
  /// - Precondition: the settings belong to this design.
  package func maker(_ settings: DesignSettings, for workload: Workload) -> Maker {
    precondition(settings.design == preset.name, "the settings are of \(settings.design)")
    return prepare(settings, DesignInput(workload))
  }
}

/// A design with its settings, which can be used in place of a policy.
package struct ConfiguredDesign: BlackBoxCache {
  private let design: SimulatedDesign
  package private(set) var settings: DesignSettings

  /// Finds the settings' design; `nil` if its name is unknown.
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

/// The shared data of a workload's clients, by number.
package final class DesignInput: Sendable {
  package let workload: Workload
  /// The mean size of initial entities, in bytes.
  let meanEntityBytes: Int
  private let isKept: [Bool]
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

  /// Returns whether an app stores the answer to a request: not if it always requests the server, as for a
  /// search with one letter.
  func isKept(_ target: CacheReply.Target) -> Bool {
    guard case .query(let query) = target else { return true }
    return isKept[query]
  }

  /// Returns whether a query may list entities of these types.
  func lists(_ query: Int, any types: Set<ResourceType>) -> Bool {
    listed[query].contains { types.contains($0) }
  }

  /// Returns the rows of an answer by state; the highest bit marks a partial entity.
  func states(of sent: [SentRow]) -> [UInt32] {
    sent.map { $0.isPart ? $0.state | Self.partBit : $0.state }
  }

  /// The numbers of states are below 2³¹, like those of objects.
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

  /// Returns the size of rows as JSON.
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
  /// Returns the maximum size of values in memory; if only entities are limited, that number times their mean
  /// size.
  func valueLimit(_ input: DesignInput) -> Int? {
    let ofEntities = capacity.entities.map { entities in
      let (bytes, overflow) = entities.multipliedReportingOverflow(by: input.meanEntityBytes)
      return overflow ? .max : bytes
    }
    return [capacity.bytes, ofEntities].compactMap(\.self).min()
  }

  /// Returns the memory limit, for a design that includes its tables.
  func memoryLimit(_ input: DesignInput) -> Int? {
    [capacity.memory, valueLimit(input)].compactMap(\.self).min()
  }
}

/// A design's core in the middle of a run, removed so that an allocator can measure it.
///
/// The values of a simulation are placeholders. So the caller allocates memory for each size in ``values``
/// and ``lists``, and releases the core (``close()``): the freed memory is that of its tables.
package final class DesignCore {
  /// The number of values in memory, of entries, or of collections.
  package let entries: Int
  /// The memory of the tables that the simulation predicts.
  package let predictedTables: Int
  /// The predicted total memory, including values.
  package let predicted: Int
  package let values: [Int]
  /// The sizes of the values in an app's arrays for its views, array by array.
  package let lists: [[Int]]
  /// The objects that the core shares, which must not be released with it.
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

  package func close() { core = nil }
}

/// A design's cache whose core can be removed from a run, which ends its use.
package protocol CountableCache: AnyObject {
  func takeCore() throws -> DesignCore
}

extension FileName {
  /// Creates the file name of a simulated query or entity: unique, and distributed like a hash.
  ///
  /// Apps use SHA-256, which a simulation does not need.
  init(_ target: CacheReply.Target) {
    let (label, number): (StaticString, UInt64) =
      switch target {
      case .query(let query): ("query", UInt64(query))
      case .object(let object): ("object", UInt64(object))
      }
    var source = RandomSource(seed: number).substream(label)
    var words = (0..<3).map { _ in source.next() }
    // The bits that distinguish two numbers of one kind, independent of random values.
    words.append(number)
    self.init(
      digest: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
  }
}

/// The stored rows of an answer: states in the order of the list.
struct StoredRows: Sendable {
  var states: [UInt32]
  var bytes: Int
}
