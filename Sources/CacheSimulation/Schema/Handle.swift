/// The simulator's payload: which object, in which of its states.
///
/// A value is a number here, so a cache of a hundred thousand entities costs a few megabytes and two
/// values are compared in one instruction.
package struct Handle: Hashable, Sendable, BitwiseCopyable {
  /// An index of `Catalog.objects`.
  package var object: UInt32
  /// An index of `Catalog.revisions`.
  package var revision: UInt32

  package init(object: UInt32, revision: UInt32) {
    self.object = object
    self.revision = revision
  }

  /// Stands where nothing is known to be shown.
  static let unknown = Handle(object: .max, revision: .max)

  /// Whether the state is known.
  var hasValue: Bool { revision != .max }
}
