/// Finds what a policy remembers of a departed entity by the entity's fingerprint.
///
/// A policy with ghosts is generic over it, so that one source serves two worlds: in a cache
/// fingerprints are hashes (``HashedGhosts``), in a replay they are numbers from 0 (``DenseGhosts``)
/// and finding one is one load from a flat array.
protocol GhostIndex: ~Copyable, SendableMetatype {
  /// What is kept of a ghost beside its place.
  associatedtype Ghost: GhostRecord

  init()

  /// Makes room for `count` ghosts at once; called before there are more.
  mutating func reserve(ghosts count: Int)
  /// Tells that every fingerprint will be below `limit`.
  mutating func reserve(fingerprintsBelow limit: Int)

  /// Asks for the memory that ``value(of:)`` will read.
  func prefetch(_ fingerprint: UInt64)
  /// What was last set for the fingerprint; -1: nothing.
  func value(of fingerprint: UInt64) -> Int32
  /// Replaces what is known of the fingerprint; at least 0.
  mutating func set(_ value: Int32, of fingerprint: UInt64)
  /// Forgets a fingerprint, unless another value than this was set for it since.
  mutating func remove(_ fingerprint: UInt64, ifValue value: Int32)
}

/// A departed entity: its fingerprint and its weight.
protocol GhostRecord: BitwiseCopyable, SendableMetatype {
  init(fingerprint: UInt64, weight: Int32)
  /// What stands where a ghost was.
  static var hole: Self { get }
  var isHole: Bool { get }
  var fingerprint: UInt64 { get }
  var weight: Int { get }
}
