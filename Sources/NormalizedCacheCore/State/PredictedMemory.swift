/// What a store's tables are predicted to take, where memory is limited.
@usableFromInline struct PredictedMemory: Sendable {
  /// `nil`: memory is not limited.
  @usableFromInline let model: MemoryModel?
  /// As of the last look at the tables, in bytes; they may have grown since.
  @usableFromInline var tables = 0

  @inlinable init(model: MemoryModel?) {
    self.model = model
  }

  /// What tables take that have grown so far, in bytes; 0 where memory is not limited.
  @usableFromInline func tables(_ counts: StoreCounts) -> Int {
    model?.bytes(of: counts, valueBytes: 0) ?? 0
  }
}
