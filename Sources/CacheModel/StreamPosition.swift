/// A stream of events: of one library, from one source.
public struct StreamID: Hashable, Sendable {
  public var library: LibraryID
  /// Which of the library's sources; 0 where there is only one.
  public var source: UInt32

  public init(library: LibraryID, source: UInt32 = 0) {
    self.library = library
    self.source = source
  }
}

/// A place in a stream, ordered by epoch, then sequence.
///
/// A restarted source begins a new epoch; sequences say nothing across epochs, so whoever followed
/// the old one must resynchronise.
public struct StreamPosition: Hashable, Comparable, Sendable {
  /// A stream begins in epoch 1.
  public var epoch: UInt32
  /// The sequence of the last event included; the first event of an epoch has sequence 1.
  public var sequence: UInt64

  public init(epoch: UInt32, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  public static func < (lhs: StreamPosition, rhs: StreamPosition) -> Bool {
    lhs.epoch != rhs.epoch ? lhs.epoch < rhs.epoch : lhs.sequence < rhs.sequence
  }
}
