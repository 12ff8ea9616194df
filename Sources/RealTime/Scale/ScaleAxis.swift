/// What is made larger to see whether an operation becomes dearer.
package enum ScaleAxis: String, CaseIterable, Sendable {
  /// Entities in the cache, of which any may change.
  case entities
  /// Entities in the cache, of which one and the same hundred change: what the processor's caches do
  /// is left out.
  case hotEntities = "hot-entities"
  /// Entities whose values are handles of eight bytes, of which any may change.
  case handles
  /// Cached queries that do not list what changes.
  case queries
  /// Observers of queries that do not list what changes.
  case observers
  /// Queries that list what changes: here the cost of an event must grow, with exponent 1 at most.
  case fanOut = "fan-out"
  /// Tasks that read at once, on the actor.
  case readers
  /// Tasks that read at once, each by a `QueryReader` of its own.
  case queryReaders = "query-readers"

  /// The sizes of the axis, smallest first.
  package func sizes(isQuick: Bool) -> [Int] {
    switch (self, isQuick) {
    case (.entities, false), (.hotEntities, false): [1_000, 10_000, 100_000, 1_000_000]
    case (.handles, false): [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    case (.queries, false): [100, 1_000, 10_000, 100_000]
    case (.observers, false): [1, 10, 100, 1_000, 10_000]
    case (.fanOut, false): [1, 10, 100, 1_000]
    case (.readers, false), (.queryReaders, false): [1, 2, 4]
    case (.entities, true), (.hotEntities, true), (.handles, true): [1_000, 10_000]
    case (.queries, true): [100, 1_000]
    case (.observers, true): [1, 100]
    case (.fanOut, true): [1, 10]
    case (.readers, true), (.queryReaders, true): [1, 2]
    }
  }

  /// The exponent above which the cost counts as growing with the size.
  ///
  /// A cost that is the same at a thousand and at a million is fitted an exponent of 0; one that has
  /// doubled over these three decades, as what leaves the processor's caches does, 0.1. So beyond it
  /// lies more than one doubling in a thousandfold. The fan-out is what the work itself grows by.
  package var flatExponent: Double { self == .fanOut ? 1.1 : 0.1 }
}
