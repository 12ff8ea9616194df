public import CacheModel

/// A place in one of the store's streams.
///
/// Places compare within one stream only; two streams of a library say nothing of each other.
@usableFromInline struct StreamPlace: Hashable, Sendable {
  /// The store's index of the stream.
  @usableFromInline var stream: Int
  @usableFromInline var position: StreamPosition

  @inlinable init(stream: Int, position: StreamPosition) {
    self.stream = stream
    self.position = position
  }

  /// Whether what was read here shows what happened there.
  @inlinable func shows(_ other: StreamPlace) -> Bool {
    stream == other.stream && position >= other.position
  }
}
