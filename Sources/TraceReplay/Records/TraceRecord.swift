package import EvictionPolicies

/// What one record of a trace says about its key; what it does not say has the default.
package struct TraceRecord: Hashable, Sendable, BitwiseCopyable {
  package var operation = TraceOperation.get
  /// Bytes; 0: not known.
  package var weight: Int32 = 0
  /// Nanoseconds; 0: none.
  package var lifetime: Int64 = 0
  /// Nanoseconds, from any origin.
  package var time: Int64 = 0
  /// How many lines the record stands for.
  package var count = 1
  /// Whether these lines name integer keys that follow each other, rather than one key.
  package var isRun = false

  package init(
    operation: TraceOperation = .get, weight: Int32 = 0, lifetime: Int64 = 0, time: Int64 = 0,
    count: Int = 1, isRun: Bool = false
  ) {
    self.operation = operation
    self.weight = weight
    self.lifetime = lifetime
    self.time = time
    self.count = count
    self.isRun = isRun
  }
}
