package import CacheModel
package import Metrics

/// The life of one event from a device to the screen, in nanoseconds of ``MonotonicClock``.
package struct PipelineStamps: Hashable, Sendable {
  /// When the arrival process of the device wanted it sent.
  package var intended: Instant
  /// When the device sent it.
  package var sent: Instant
  /// When the server had given it its place; encoding it and telling subscribers comes after.
  package var published: Instant
  /// When its whole line lay in the client's inbox.
  package var received: Instant
  /// When the decoding task took it from there.
  package var taken: Instant
  /// When the typed values existed.
  package var decoded: Instant
  /// When the cache held them, before any observer was told.
  package var committed: Instant
  /// When the last observer concerned had been told.
  package var notified: Instant
  /// When the frame that drew it began to.
  package var frameBegan: Instant
  /// When that frame had read every row that it draws.
  package var drawn: Instant

  package init(
    intended: Instant, sent: Instant, published: Instant, received: Instant, taken: Instant,
    decoded: Instant, committed: Instant, notified: Instant, frameBegan: Instant, drawn: Instant
  ) {
    self.intended = intended
    self.sent = sent
    self.published = published
    self.received = received
    self.taken = taken
    self.decoded = decoded
    self.committed = committed
    self.notified = notified
    self.frameBegan = frameBegan
    self.drawn = drawn
  }

  /// Every seam in order.
  private var seams: [Instant] {
    [
      intended, sent, published, received, taken, decoded, committed, notified, frameBegan, drawn,
    ]
  }

  /// Whether no stamp precedes the one before it.
  package var areMonotone: Bool {
    zip(seams, seams.dropFirst()).allSatisfy { $0 <= $1 }
  }

  /// The time that one stage took, in nanoseconds; the stages add up to ``total``.
  package func nanoseconds(of stage: PipelineStage) -> Int64 {
    let (from, to) =
      switch stage {
      case .generatorLateness: (intended, sent)
      case .uplink: (sent, published)
      case .downlink: (published, received)
      case .inboxWait: (received, taken)
      case .decode: (taken, decoded)
      case .apply: (decoded, committed)
      case .notify: (committed, notified)
      case .frameWait: (notified, frameBegan)
      case .draw: (frameBegan, drawn)
      }
    return to.nanoseconds - from.nanoseconds
  }

  /// From the intended start to the screen.
  package var total: Int64 { drawn.nanoseconds - intended.nanoseconds }

  /// From the bytes in the client's hands to the last observer.
  package var updateToNotify: Int64 { notified.nanoseconds - received.nanoseconds }

  /// From the start of the client's work to the last observer.
  package var serviceTime: Int64 { notified.nanoseconds - taken.nanoseconds }

  /// From the intended start to the last observer.
  package var responseTime: Int64 { notified.nanoseconds - intended.nanoseconds }
}

/// A part of an event's way from a device to the screen, in order.
package enum PipelineStage: Hashable, Sendable, CaseIterable {
  case generatorLateness
  case uplink
  case downlink
  case inboxWait
  case decode
  case apply
  case notify
  case frameWait
  case draw

  package var metric: Metric {
    switch self {
    case .generatorLateness: .generatorLateness
    case .uplink: .uplink
    case .downlink: .downlink
    case .inboxWait: .inboxWait
    case .decode: .decode
    case .apply: .apply
    case .notify: .notify
    case .frameWait: .frameWait
    case .draw: .draw
    }
  }
}
