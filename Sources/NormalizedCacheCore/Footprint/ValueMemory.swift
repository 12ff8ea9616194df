/// What values take from the allocator, where a store must say it of all of them at once.
@usableFromInline package struct ValueMemory: Hashable, Sendable {
  /// The width of the place of a value, or of none, in bytes; `nil`: that of the store's payload.
  @usableFromInline let stride: Int?
  /// What a value takes beyond its place for each byte of its weight, as a mean.
  @usableFromInline let bytesPerWeight: Double

  @usableFromInline package init(stride: Int? = nil, bytesPerWeight: Double) {
    self.stride = stride
    self.bytesPerWeight = bytesPerWeight
  }

  /// Each value takes its weight beyond its place: what a store supposes that is told nothing else.
  @usableFromInline package static let weight = ValueMemory(bytesPerWeight: 1)

  /// What values of so much weight together take beyond their places, in bytes.
  @inlinable package func bytes(of weight: Int) -> Int {
    Int(exactly: (Double(weight) * bytesPerWeight).rounded()) ?? .max
  }

  /// The weight of values that take so many bytes.
  @inlinable func weight(in bytes: Int) -> Int {
    bytesPerWeight > 0
      ? Int(exactly: (Double(bytes) / bytesPerWeight).rounded(.down)) ?? .max : .max
  }
}
