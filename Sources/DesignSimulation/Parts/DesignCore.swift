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
