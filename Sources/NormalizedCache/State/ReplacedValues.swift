/// Values that were replaced and live on for a while, a bounded number: a shell that tells observers
/// first lets them not wait while texts are freed that nobody needs any longer.
@usableFromInline struct ReplacedValues<Payload: Sendable>: Sendable {
  /// Whether any are kept.
  @usableFromInline var isOn = false
  @usableFromInline var values: [Payload] = []

  @inlinable init() {}

  @inlinable mutating func keep(_ former: consuming Payload?) {
    guard isOn, values.count < StoreLimits.replacedValues, let former = consume former else {
      return
    }
    values.append(former)
  }

  @inlinable mutating func release() { values.removeAll(keepingCapacity: true) }
}
