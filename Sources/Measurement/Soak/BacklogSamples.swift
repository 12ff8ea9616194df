/// How far a client was behind, over a trial of one rate, in events.
///
/// Behind is what was due and is not in the client: not sent yet, under way, held back behind a gap, or
/// being asked for again.
struct BacklogSamples: Hashable, Sendable {
  private(set) var samples: [Double] = []
  let rate: Double

  /// What a client that keeps up may be behind, in seconds: a lost event is missed for the reorder window
  /// of 200 ms, and what it held back comes then.
  private static let limit = 0.5

  init(rate: Double) {
    self.rate = rate
  }

  mutating func add(_ events: Double) { samples.append(events) }

  /// Seconds by which it was behind in the last third: the middle of the samples, so that a pause of the
  /// machine is not taken for a rate too high; `nil` with too few.
  var behind: Double? {
    let last = samples.suffix(samples.count / 3).sorted()
    return last.isEmpty ? nil : last[last.count / 2] / rate
  }

  /// Whether the backlog stays where it is.
  ///
  /// Where more comes than goes, it grows for all of the trial: by half a second within three where the
  /// rate is a quarter too high.
  var isBounded: Bool { behind.map { $0 <= Self.limit } ?? false }
}
