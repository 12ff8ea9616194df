public import CacheModel

/// Values that were replaced and live on for a while, a bounded number: a shell that tells observers
/// first lets them not wait while texts are freed that nobody needs any longer.
@usableFromInline struct ReplacedValues<Payload: Sendable>: Sendable {
  /// Whether any are kept.
  @usableFromInline var isOn = false
  @usableFromInline var values: [Payload] = []
  /// The last batch: where a value lay that has been written, the one lies that it replaced.
  @usableFromInline var batch: [VersionedEntity<Payload>] = []

  @inlinable init() {}

  /// How many values are kept.
  var count: Int { values.count + batch.count }

  @inlinable @inline(__always) mutating func keep(_ former: consuming Payload?) {
    guard isOn, values.count < StoreLimits.replacedValues, let former = consume former else {
      return
    }
    values.append(former)
  }

  /// Puts the value that was kept last where the one lay that has replaced it.
  @inlinable mutating func moveLast(into place: inout Payload) {
    if let last = values.popLast() { place = last }
  }

  /// Keeps a batch, in which values lie that were replaced; the last one only.
  @inlinable mutating func keep(_ batch: consuming [VersionedEntity<Payload>]) {
    self.batch = batch
  }

  @inlinable mutating func release() {
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if !batch.isEmpty { batch = [] }
  }
}
