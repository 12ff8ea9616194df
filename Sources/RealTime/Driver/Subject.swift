package import CacheModel
package import FoundationEssentials

/// Something that a ``Lane`` gives events to in real time: a cache, or what stands in its place.
package protocol Subject: Sendable {
  /// Gives it what comes before an event, or behind the last: reads, answers, the passing of time.
  ///
  /// - Throws: where it does not take part.
  func play(before event: Int) async throws

  /// Decodes the bytes of an event and hands the event over.
  ///
  /// - Throws: what the decoder throws.
  func receive(_ event: Int, _ bytes: Data) async throws -> Handover

  /// Reads the rows of every list that changed since it was last asked, as a screen shows them.
  func draw() async
}

extension Subject {
  package func play(before event: Int) async throws {}
  package func draw() async {}
}

/// How far an event had come, and when.
package struct Handover: Sendable {
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

/// An event as it travels.
package struct Message: Sendable {
  package var bytes: Data
  /// How many entities it changes or deletes.
  package var entities: Int

  package init(bytes: Data, entities: Int = 1) {
    self.bytes = bytes
    self.entities = entities
  }
}
