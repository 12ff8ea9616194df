package import CacheModel
package import ResultModel

/// The life of one event from a device to the screen, in nanoseconds of ``MonotonicClock``.
package struct PipelineStamps: Hashable, Sendable {
  /// What the client saw of it; intended is when the arrival process of the device wanted it sent.
  package var client: EventStamps
  /// When the device sent it.
  package var sent: Instant
  /// When the server had given it its place; encoding it and telling subscribers comes after.
  package var published: Instant
  /// When the frame that drew it began to.
  package var frameBegan: Instant
  /// When that frame had read every row that it draws.
  package var drawn: Instant

  /// Every seam in order: a stage lies between two neighbours.
  private var seams: [Instant] {
    [
      client.intended, sent, published, client.received, client.started, client.decoded,
      client.committed, client.notified, frameBegan, drawn,
    ]
  }

  /// Whether no stamp precedes the one before it.
  package var areMonotone: Bool {
    zip(seams, seams.dropFirst()).allSatisfy { $0 <= $1 }
  }

  /// The time that one stage took, in nanoseconds; the stages add up to ``total``.
  package func nanoseconds(of stage: PipelineStage) -> Int64 {
    let seams = seams
    return seams[stage.rawValue + 1].nanoseconds - seams[stage.rawValue].nanoseconds
  }

  /// From the intended start to the screen.
  package var total: Int64 { drawn.nanoseconds - client.intended.nanoseconds }
}

/// A part of an event's way from a device to the screen, in order.
package enum PipelineStage: Int, Hashable, Sendable, CaseIterable {
  case generatorLateness, uplink, downlink, inboxWait, decode, apply, notify, frameWait, draw

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
