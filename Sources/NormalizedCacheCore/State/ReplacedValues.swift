public import CacheModel

/// Values that were replaced and live on for a while, a bounded number: a shell that tells observers
/// first lets them not wait while texts are freed that are no longer needed.
@usableFromInline package struct ReplacedValues<Payload: Sendable>: Sendable {
  /// Whether any are kept.
  @usableFromInline package var isOn = false
  @usableFromInline var values: [VersionedEntity<Payload>] = []
  /// The last batch: where a value lay that has been written, the one lies that it replaced.
  @usableFromInline var batch: [VersionedEntity<Payload>] = []

  @inlinable init() {}

  /// How many values are kept.
  package var count: Int { values.count + batch.count }

  /// Keeps what was given for the value that it replaced.
  @inlinable @inline(__always) mutating func keep(_ former: consuming VersionedEntity<Payload>) {
    guard isOn, values.count < StoreLimits.replacedValues else { return }
    values.append(former)
  }

  /// Keeps a batch, in which values lie that were replaced; the last one only.
  @inlinable mutating func keep(_ batch: consuming [VersionedEntity<Payload>]) {
    if isOn { self.batch = batch }
  }

  @inlinable package mutating func release() {
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if !batch.isEmpty { batch = [] }
  }
}
