/// The simulator's payload: which object, in which of its states, and whether only a summary of it.
///
/// A value is a number here, so a cache of a hundred thousand entities costs a few megabytes and two
/// values are compared in one instruction.
package struct Handle: Hashable, Sendable, BitwiseCopyable {
  /// The object; the highest bit says whether it is a summary.
  package private(set) var place: UInt32
  /// An index of `Catalog.revisions`.
  package var revision: UInt32

  private static let summaryBit: UInt32 = 1 << 31

  package init(object: UInt32, revision: UInt32) {
    place = object & ~Self.summaryBit
    self.revision = revision
  }

  package init(place: UInt32, revision: UInt32) {
    self.place = place
    self.revision = revision
  }

  /// An index of `Catalog.objects`, of which there are fewer than 2³¹.
  package var object: UInt32 { place & ~Self.summaryBit }

  /// Whether it stands for the summary of the state, and not for the whole.
  package var isSummary: Bool { place & Self.summaryBit != 0 }

  /// The summary of the state.
  package var summary: Handle {
    var summary = self
    summary.place |= Self.summaryBit
    return summary
  }

  /// Another state of the object, of as much.
  func inState(_ revision: UInt32) -> Handle {
    var other = self
    other.revision = revision
    return other
  }

  /// Stands where nothing is known to be shown.
  static let unknown = Handle(object: .max, revision: .max)

  /// Whether the state is known.
  var hasValue: Bool { revision != .max }
}
