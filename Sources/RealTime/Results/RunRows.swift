import CacheModel
import Processes
package import ResultModel

/// The limits of the design document, in nanoseconds.
enum LatencyTarget: Int64, Sendable {
  case updateToNotify = 1_000_000
  case serverToUI = 20_000_000

  /// The share of samples within it.
  var share: Metric {
    switch self {
    case .updateToNotify: .updateToNotifyWithinTarget
    case .serverToUI: .serverToUIWithinTarget
    }
  }
}

/// Makes the rows of a run, which say the same of scenario, policy and seed.
struct RunRows {
  let scenario: String
  var policy = ""
  let seed: UInt64
  /// Behind each value, where nothing else is said.
  var samples: Int?

  private static let statistics: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  // A control is no policy's.
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
  /// The value of a statistic of times on the wall clock; `nil` where there are too few samples to state it.
  package func value(of statistic: Statistic) -> MetricValue? {
    guard count >= statistic.fewestSamples else { return nil }
    return statistic == .mean
      ? mean.map { .real($0) } : quantile(statistic).map { .integer($0) }
  }
}

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
  private var views: [Int64] = []
  /// Of events of more than one entity.
  private var batches: [Int64] = []
  /// How many there were, and how many of them concerned an observer.
  var eventCount: Int { updateToNotify.count }
  var toldCount: Int { told.count }
  /// Reads that were hits, by views or without one.
  var readCount: Int { reads.count + views.count }

  /// Adds what a lane saw, and the reads beside it that were hits.
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

  /// Adds what a lane saw that reached the cache by what is made for apps.
  mutating func add(throughApps events: [LaneEvent]) {
    self.throughApps += events.filter { $0.entities == 1 }
      .map { $0.stamps.nanoseconds(of: .updateToNotify) }
  }

  /// The distributions of a policy's cache.
  func rows(scenario: String, policy: String, seed: UInt64) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, policy: policy, seed: seed)
    let single = ResultClass("single")
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
      + rows.distribution(views, .readLatency, class: "view")
      + [rows.share(of: updateToNotify, within: .updateToNotify, class: single)]
  }

  /// The distributions of what took its turn with the caches and has none.
  func controlRows(scenario: String, seed: UInt64) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, seed: seed)
    let single = ResultClass("single")
    return rows.distribution(updateToNotify, .controlNotify, class: single, isControl: true)
      + rows.distribution(ownShare, .controlEventCost, class: single, isControl: true)
      + rows.distribution(controlToUI, .controlToUI, class: single, isControl: true)
  }
}
