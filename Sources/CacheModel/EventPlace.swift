/// Where an event stands: its stream and the place in it.
public struct EventPlace: Hashable, Sendable {
  public var stream: StreamID
  public var position: StreamPosition
  /// The sequence of the event before this one, where a subscription is told of some only; `nil`:
  /// one less than its own.
  public var previous: UInt64?

  public init(stream: StreamID, position: StreamPosition, previous: UInt64? = nil) {
    self.stream = stream
    self.position = position
    self.previous = previous
  }
}
