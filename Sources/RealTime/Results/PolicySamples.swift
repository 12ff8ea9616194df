import CacheModel
import ResultModel

/// What events and reads took, of one subject.
struct PolicySamples: Sendable {
  // In nanoseconds.

  /// Of all single events, to the last observer's call or, where none is concerned, the commit.
  private var updateToNotify: [Int64] = []
  /// Of those that concern an observer.
  private var told: [Int64] = []
  private var ownShare: [Int64] = []
  private var decode: [Int64] = []
  private var throughApps: [Int64] = []
  private var serverToUI: [Int64] = []
  private var notifyToUI: [Int64] = []
  private var controlToUI: [Int64] = []
  private var reads: [Int64] = []
  /// Of events of more than one entity.
  private var batches: [Int64] = []
  /// How many there were, and how many of them concerned an observer.
  var eventCount: Int { updateToNotify.count }
  var toldCount: Int { told.count }

  /// Adds what a lane saw.
  mutating func add(_ events: [LaneEvent], reads: [Int64]) {
    for event in events {
      guard event.entities == 1 else {
        batches.append(event.stamps.nanoseconds(of: .updateToNotify))
        continue
      }
      decode.append(event.stamps.nanoseconds(of: .decode))
      ownShare.append(event.stamps.notified.nanoseconds - event.stamps.decoded.nanoseconds)
      controlToUI.append(event.stamps.nanoseconds(of: .responseTime) + event.frameLateness)
      updateToNotify.append(event.stamps.nanoseconds(of: .updateToNotify))
      guard event.isTold else { continue }
      told.append(event.stamps.nanoseconds(of: .updateToNotify))
      guard let drawn = event.drawn else { continue }
      serverToUI.append(drawn.nanoseconds - event.stamps.intended.nanoseconds)
      notifyToUI.append(drawn.nanoseconds - event.stamps.notified.nanoseconds)
    }
    self.reads += reads
  }

  /// Adds what a lane saw that reached the cache by what is made for apps.
  mutating func add(throughApps events: [LaneEvent]) {
    self.throughApps += events.filter { $0.entities == 1 }
      .map { $0.stamps.nanoseconds(of: .updateToNotify) }
  }

  /// The distributions of a policy's cache.
  func rows(scenario: String, policy: String, seed: UInt64) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, policy: policy, seed: seed)
    let single = ResultClass(EventClass.single.rawValue)
    return rows.distribution(updateToNotify, .updateToNotify, class: single)
      + rows.distribution(told, .updateToNotify, class: single.by(.told))
      + (throughApps.isEmpty
        ? []
        : rows.distribution(throughApps, .updateToNotify, class: single.by(.apps)))
      + (batches.isEmpty ? [] : rows.distribution(batches, .updateToNotify, class: "batch"))
      + rows.distribution(ownShare, .eventCost, class: single)
      + rows.distribution(decode, .decode, class: single)
      + rows.distribution(serverToUI, .serverToUI, class: single)
      + rows.distribution(notifyToUI, .notifyToUI, class: single)
      + rows.distribution(reads, .readLatency, class: "hit")
      + [rows.share(of: updateToNotify, within: .updateToNotify, class: single)]
  }

  /// The distributions of what took its turn with the caches and has none.
  func controlRows(scenario: String, seed: UInt64) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, seed: seed)
    let single = ResultClass(EventClass.single.rawValue)
    return rows.distribution(updateToNotify, .controlNotify, class: single, isControl: true)
      + rows.distribution(ownShare, .controlEventCost, class: single, isControl: true)
      + rows.distribution(controlToUI, .controlToUI, class: single, isControl: true)
  }
}
