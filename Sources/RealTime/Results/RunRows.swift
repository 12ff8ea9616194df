import CacheModel
import Processes
package import ResultModel

/// The latency limits of the design document, in nanoseconds.
enum LatencyTarget: Int64, Sendable {
  case updateToNotify = 1_000_000
  case serverToUI = 20_000_000

  /// The metric for the share of samples within it.
  var share: Metric {
    switch self {
    case .updateToNotify: .updateToNotifyWithinTarget
    case .serverToUI: .serverToUIWithinTarget
    }
  }
}

/// Creates the rows of a run with the same scenario, policy and seed.
struct RunRows {
  let scenario: String
  var policy = ""
  let seed: UInt64
  /// The default number of samples of each value.
  var samples: Int?

  private static let statistics: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  // The control has no policy.
  func distribution(
    _ samples: [Int64], _ metric: Metric, class: ResultClass, isControl: Bool = false
  ) -> [ResultRow] {
    precondition(samples.allSatisfy { $0 >= 0 }, "a duration is negative: the clock went back")
    let summary = SampleSummary(samples)
    return Self.statistics.map { statistic in
      row(
        metric, summary.value(of: statistic), class: `class`, statistic, count: summary.count,
        isControl: isControl)
    }
  }

  func share(
    of samples: [Int64], within target: LatencyTarget, class: ResultClass, isControl: Bool = false
  ) -> ResultRow {
    let met = samples.count { $0 <= target.rawValue }
    return row(
      target.share, samples.isEmpty ? nil : .real(Double(met) / Double(samples.count)),
      class: `class`, count: samples.count, isControl: isControl)
  }

  func row(
    _ metric: Metric, _ value: MetricValue?, class: ResultClass = .total,
    _ statistic: Statistic = .value, count: Int? = nil, interval: ClosedRange<Double>? = nil,
    isControl: Bool = false
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: isControl ? "" : policy, seed: seed, class: `class`,
      metric: metric, statistic: statistic, value: value, sampleCount: count ?? samples,
      confidenceInterval: interval)
  }
}

extension SampleSummary {
  /// Returns the value of a statistic of wall-clock times; `nil` if there are too few samples.
  package func value(of statistic: Statistic) -> MetricValue? {
    guard count >= statistic.fewestSamples else { return nil }
    return statistic == .mean
      ? mean.map { .real($0) } : quantile(statistic).map { .integer($0) }
  }
}

/// The durations of events and reads of one subject.
struct PolicySamples: Sendable {
  // All in nanoseconds.

  /// The times of all single events, to the last observer's call or, without an affected observer, the
  /// commit.
  private var updateToNotify: [Int64] = []
  /// The times of those that affect an observer.
  private var told: [Int64] = []
  private var ownShare: [Int64] = []
  private var decode: [Int64] = []
  private var throughApps: [Int64] = []
  private var serverToUI: [Int64] = []
  private var notifyToUI: [Int64] = []
  private var controlToUI: [Int64] = []
  private var reads: [Int64] = []
  private var views: [Int64] = []
  /// Of events of more than one entity.
  private var batches: [Int64] = []
  /// The number of events, and of those that affected an observer.
  var eventCount: Int { updateToNotify.count }
  var toldCount: Int { told.count }
  /// Reads that were hits, by views or without one.
  var readCount: Int { reads.count + views.count }

  /// Adds a lane's events, and the reads during them that were hits.
  mutating func add(_ events: [LaneEvent], reads: [Int64] = [], views: [Int64] = []) {
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
    self.views += views
  }

  /// Adds the measurements of a lane that used the API for apps.
  mutating func add(throughApps events: [LaneEvent]) {
    self.throughApps += events.filter { $0.entities == 1 }
      .map { $0.stamps.nanoseconds(of: .updateToNotify) }
  }

  /// Returns the distributions of a policy's cache.
  func rows(scenario: String, policy: String, seed: UInt64) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, policy: policy, seed: seed)
    let single = ResultClass("single")
    return rows.distribution(updateToNotify, .updateToNotify, class: single)
      + rows.distribution(told, .updateToNotify, class: single.by(.notified))
      + (throughApps.isEmpty
        ? []
        : rows.distribution(throughApps, .updateToNotify, class: single.by(.apps)))
      + (batches.isEmpty ? [] : rows.distribution(batches, .updateToNotify, class: "batch"))
      + rows.distribution(ownShare, .eventCost, class: single)
      + rows.distribution(decode, .decode, class: single)
      + rows.distribution(serverToUI, .serverToUI, class: single)
      + rows.distribution(notifyToUI, .notifyToUI, class: single)
      + rows.distribution(reads, .readLatency, class: "hit")
      + rows.distribution(views, .readLatency, class: "view")
      + [rows.share(of: updateToNotify, within: .updateToNotify, class: single)]
  }

  /// Returns the distributions of a control that alternated with the caches.
  func controlRows(scenario: String, seed: UInt64) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, seed: seed)
    let single = ResultClass("single")
    return rows.distribution(updateToNotify, .controlNotify, class: single, isControl: true)
      + rows.distribution(ownShare, .controlEventCost, class: single, isControl: true)
      + rows.distribution(controlToUI, .controlToUI, class: single, isControl: true)
  }
}
