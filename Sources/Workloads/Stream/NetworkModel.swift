/// How long a request takes, drawn from its own number: the n-th request of a client takes the same
/// time under every policy.
package struct NetworkModel: Sendable, Hashable {
  /// Every request takes at least this long, there and back, in nanoseconds.
  package var minimumRoundTrip: Int64
  /// The mean of the exponentially distributed rest, in nanoseconds.
  package var meanExtra: Int64
  /// Bytes per second in each direction; `nil`: no limit.
  ///
  /// What is sent takes its turn: responses and events share the way to the client, requests have
  /// the way to the server.
  package var bytesPerSecond: Int?
  package var seed: UInt64

  package init(minimumRoundTrip: Int64, meanExtra: Int64, bytesPerSecond: Int?, seed: UInt64) {
    self.minimumRoundTrip = minimumRoundTrip
    self.meanExtra = meanExtra
    self.bytesPerSecond = bytesPerSecond
    self.seed = seed
  }
}

/// How far back the server can replay.
package struct ServerRetention: Sendable, Hashable {
  /// The most events kept for replay.
  package var events: Int
  /// How long an event is kept for replay.
  package var age: Duration

  package init(events: Int, age: Duration) {
    self.events = events
    self.age = age
  }
}
