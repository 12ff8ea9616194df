package import CacheModel
package import FoundationEssentials

/// Something that a session is played to in real time: a cache, or what stands in its place.
///
/// A session is what one client's cache is given: single events, which come when the driver says, and
/// between them everything else in its order: reads, answers, batches.
package protocol SessionSubject: Sendable {
  /// Gives it what comes before a single event, or behind the last.
  ///
  /// - Throws: where it does not take part.
  func play(before event: Int) async throws

  /// Decodes the bytes of a single event and hands the event over.
  ///
  /// - Throws: what the decoder throws.
  func receive(_ event: Int, _ bytes: Data) async throws -> SessionHandover

  /// Reads the rows of every list that changed since it was last asked, as a screen shows them.
  func draw() async
}

/// How far an event had come, and when.
package struct SessionHandover: Sendable {
  package var decoded: Instant
  package var committed: Instant
  /// When the last observer was called; `nil`: it concerned none.
  package var notified: Instant?

  package init(decoded: Instant, committed: Instant, notified: Instant?) {
    self.decoded = decoded
    self.committed = committed
    self.notified = notified
  }
}
