import CacheModel
import Text

@testable import Workloads

/// One value of one axis of a policy, and when a scenario's policy exercises it.
struct AxisValue: Sendable, CustomStringConvertible {
  var axis: String
  var value: String
  /// Whether a composition has the value, in a scenario in which that matters.
  var isExercised: @Sendable (CachePolicy, Scenario) -> Bool

  var description: String { "\(axis): \(value)" }

  /// Every value of every axis that scenarios should exercise.
  static let all: [AxisValue] =
    (PolicyAxis.all.filter { !$0.name.contains(".") }.flatMap { values(of: $0) } + batches + times)
    .filter { !exempt.contains($0.description) }

  /// Values that no scenario needs: an interval that no preset has any more, and what is like another axis's.
  private static let exempt: Set = [
    "time-to-live-from: request", "flush-window: another", "stale-if-error: none",
  ]

  /// Each word of a choice; of a quantity a limit and none, or its usual value and another.
  private static func values(of axis: PolicyAxis) -> [AxisValue] {
    func value(
      _ name: String, _ isIt: @escaping @Sendable (PolicyValue) -> Bool
    ) -> AxisValue {
      AxisValue(axis: axis.name, value: name) { policy, scenario in
        axis.read(policy).map(isIt) == true
          && conditions[axis.name].map { $0(policy, scenario) } != false
          && conditions["\(axis.name): \(name)"].map { $0(policy, scenario) } != false
      }
    }
    func words(_ words: [String]) -> [AxisValue] {
      words.map { word in value(word) { $0 == .word(word) } }
    }
    switch axis.field.form {
    case .choice(let names): return words(names)
    case .registered(.evictionOrders): return words(["lru", "fifo", "sieve"])
    case .registered(.admissions): return words(["always", "tinylfu", "probation"])
    case .quantity(.share, _): return [value("below the limit") { $0 != .share(1) }]
    default:
      if axis.field.mayBeUnlimited {
        return [
          value("a limit") { ![.unlimited, .number(0), .duration(.zero)].contains($0) },
          value("none") { $0 == .unlimited },
        ]
      }
      let usual = axis.read(
        CachePolicy(
          evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
          maximumQueries: nil, storage: DiskStorage()))
      return [value("the usual one") { $0 == usual }, value("another") { $0 != usual }]
    }
  }

  /// When an axis, or one of its values, makes a difference.
  private static let conditions: [String: @Sendable (CachePolicy, Scenario) -> Bool] = [
    "retention: tags": { marksViews($1) },
    "release-buffer-age: a limit": { policy, scenario in
      policy.releaseBuffer?.age.map { $0 < scenario.duration } == true
    },
    "time-to-live-from": { policy, _ in policy.freshness.timeToLive != nil },
    "drops-expired": { policy, _ in policy.freshness.timeToLive != nil },
    "stale-while-revalidate": { policy, _ in policy.freshness.timeToLive != nil },
    "stale-if-error": { policy, scenario in
      policy.freshness.timeToLive != nil && has(.errors, scenario)
    },
    "time-to-live: a limit": { policy, scenario in
      policy.freshness.timeToLive.map { $0 < scenario.duration } == true
    },
    "event-admission": { hasIndex($1) }, "gap-response": { has(.partition, $1) },
    "events": { $1.network.events == .push }, "reorder-window": { $1.network.reorder > 0 },
    "poll-interval: a limit": { policy, scenario in
      policy.pollInterval.map { $0 < scenario.duration } == true
    },
    // It takes changes that come faster than the window.
    "coalescing-window: another": { $1.writers.contains { $0.burst != nil } },
    // A storage matters where a process ends.
    "storage": { has(.appRestart, $1) }, "disk-bytes": { has(.appRestart, $1) },
    "flush-window": { has(.appRestart, $1) },
  ]

  /// The rules for batches of an index job that differ from those for other events.
  private static let batches = [
    AxisValue(axis: "event-admission.index", value: "of their own") {
      $0.batchRules[.index]?.admission == .updateOnly && hasIndex($1)
    },
    AxisValue(axis: "marks-stale.index", value: "some") {
      $0.batchRules[.index]?.staleMethods.isEmpty == false && hasIndex($1)
    },
    AxisValue(axis: "marks-stale.index", value: "none") {
      $0.batchRules.isEmpty && hasIndex($1)
    },
  ]

  private static let times = [
    AxisValue(axis: "time-to-live", value: "none at all") { policy, _ in
      policy.freshness.timeToLive == .zero
    },
    AxisValue(axis: "time-to-live.METHOD", value: "differs") { policy, _ in
      policy.freshness.perMethod.values.contains { $0 != policy.freshness.timeToLive }
    },
    AxisValue(axis: "low-watermark", value: "below the high one") { policy, _ in
      policy.capacity.lowWatermark < policy.capacity.highWatermark
    },
    AxisValue(axis: "maximum-queries", value: "more than is usual") { policy, _ in
      (policy.maximumQueries ?? 0) > 100
    },
  ]

  private static func has(_ kind: FaultSection.Kind, _ scenario: Scenario) -> Bool {
    scenario.faults.contains { $0.kind == kind }
  }

  /// Whether there is a storm of unrequested entities.
  static func hasIndex(_ scenario: Scenario) -> Bool {
    scenario.writers.contains { $0.jobs.contains { $0.count > 1_000 } }
  }

  /// Whether users mark views, to keep them at hand.
  private static func marksViews(_ scenario: Scenario) -> Bool {
    let steps = scenario.users.flatMap(\.activities).flatMap(\.steps)
    return steps.contains { step in
      switch step.action {
      case .pin: true
      case .stroll(let stroll): stroll.pin > 0
      default: false
      }
    }
  }
}
