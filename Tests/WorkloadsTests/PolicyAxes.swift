import CacheModel

@testable import Workloads

/// One value of one axis of a policy, and when a scenario's policy exercises it.
struct AxisValue: Sendable, CustomStringConvertible {
  /// The stored property of `PolicyComposition`, or of a part of it.
  var axis: String
  var value: String
  /// Whether a composition has the value, in a scenario in which that matters.
  var isExercised: @Sendable (PolicyComposition, Scenario) -> Bool

  var description: String { "\(axis): \(value)" }

  init(
    _ axis: String, _ value: String,
    _ isExercised: @escaping @Sendable (PolicyComposition, Scenario) -> Bool
  ) {
    self.axis = axis
    self.value = value
    self.isExercised = isExercised
  }

  /// Every value of every axis.
  static let all: [AxisValue] =
    orders + admissions + limits + retention + freshness + events + storage

  private static let orders = ["lru", "fifo", "sieve"].map { name in
    AxisValue("evictionOrder", name) { policy, _ in policy.evictionOrder == name }
  }

  private static let admissions = ["always", "tinylfu", "probation"].map { name in
    AxisValue("admission", name) { policy, _ in policy.admission == name }
  }

  private static let limits = [
    AxisValue("capacity.entities", "a limit") { policy, _ in policy.capacity.entities != nil },
    AxisValue("capacity.entities", "none") { policy, _ in policy.capacity.entities == nil },
    AxisValue("capacity.bytes", "a limit") { policy, _ in policy.capacity.bytes != nil },
    AxisValue("capacity.bytes", "none") { policy, _ in policy.capacity.bytes == nil },
    AxisValue("capacity.memory", "a limit") { policy, _ in policy.capacity.memory != nil },
    AxisValue("capacity.memory", "none") { policy, _ in policy.capacity.memory == nil },
    AxisValue("limit", "hard") { policy, _ in policy.limit == .hard },
    AxisValue("limit", "soft") { policy, _ in policy.limit == .soft },
    AxisValue("capacity.highWatermark", "below the limit") { policy, _ in
      policy.capacity.highWatermark < 1
    },
    AxisValue("capacity.lowWatermark", "below the high one") { policy, _ in
      policy.capacity.lowWatermark < policy.capacity.highWatermark
    },
    AxisValue("capacity.lowWatermark", "at the high one") { policy, _ in
      policy.capacity.lowWatermark == policy.capacity.highWatermark
    },
    AxisValue("maximumQueries", "the usual limit") { policy, _ in policy.maximumQueries == 100 },
    AxisValue("maximumQueries", "another") { policy, _ in (policy.maximumQueries ?? 0) > 100 },
  ]

  private static let retention =
    Retention.allCases.map { retention in
      AxisValue("retention", retention.rawValue) { policy, scenario in
        policy.retention == retention
          && (retention != .tags || marksViews(scenario))
      }
    } + [
      AxisValue("releaseBuffer", "none") { policy, _ in
        policy.releaseBuffer == nil && policy.retention == .referenceCountObserved
      },
      AxisValue("releaseBuffer.queries", "a limit") { policy, _ in
        (policy.releaseBuffer?.queries ?? 0) > 0
      },
      AxisValue("releaseBuffer.queries", "none") { policy, _ in
        policy.releaseBuffer.map { $0.queries == nil } == true
      },
      AxisValue("releaseBuffer.age", "a limit") { policy, scenario in
        policy.releaseBuffer?.age.map { $0 > .zero && $0 < scenario.duration } == true
      },
      AxisValue("releaseBuffer.age", "none") { policy, _ in
        policy.releaseBuffer.map { $0.age == nil } == true
      },
    ]
    + ReleaseBuffer.Reads.allCases.map { reads in
      AxisValue("releaseBuffer.reads", reads.rawValue) { policy, _ in
        policy.releaseBuffer?.reads == reads
      }
    }

  /// A storage matters where a process ends.
  private static let storage = [
    AxisValue("storage", "none") { policy, scenario in
      policy.storage == nil && scenario.faults.contains { $0.kind == .relaunch }
    },
    AxisValue("storage.maximumBytes", "a limit") { policy, scenario in
      policy.storage?.maximumBytes != nil && scenario.faults.contains { $0.kind == .relaunch }
    },
    AxisValue("storage.maximumBytes", "none") { policy, scenario in
      policy.storage.map { $0.maximumBytes == nil } == true
        && scenario.faults.contains { $0.kind == .relaunch }
    },
    AxisValue("storage.window", "the usual one") { policy, scenario in
      policy.storage?.window == .milliseconds(500)
        && scenario.faults.contains { $0.kind == .relaunch }
    },
  ]

  private static let freshness = [
    AxisValue("freshness.timeToLive", "never expires") { policy, _ in
      policy.freshness.timeToLive == nil
    },
    AxisValue("freshness.timeToLive", "none at all") { policy, _ in
      policy.freshness.timeToLive == .zero
    },
    AxisValue("freshness.timeToLive", "shorter than the run") { policy, scenario in
      policy.freshness.timeToLive.map { $0 > .zero && $0 < scenario.duration } == true
    },
    AxisValue("freshness.perMethod", "differs") { policy, _ in
      policy.freshness.perMethod.values.contains { $0 != policy.freshness.timeToLive }
    },
    AxisValue("freshness.start", "answer") { policy, _ in
      policy.freshness.start == .answer && policy.freshness.timeToLive != nil
    },
    AxisValue("freshness.start", "answer while observed") { policy, _ in
      policy.freshness.start == .answerWhileObserved && policy.freshness.timeToLive != nil
    },
    AxisValue("freshness.dropsExpired", "true") { policy, _ in policy.freshness.dropsExpired },
    AxisValue("freshness.dropsExpired", "false") { policy, _ in
      !policy.freshness.dropsExpired && policy.freshness.timeToLive != nil
    },
    AxisValue("freshness.staleWhileRevalidate", "a window") { policy, _ in
      policy.freshness.staleWhileRevalidate > .zero && policy.freshness.timeToLive != nil
    },
    AxisValue("freshness.staleIfError", "a window") { policy, scenario in
      policy.freshness.staleIfError > .zero && policy.freshness.timeToLive != nil
        && scenario.faults.contains { $0.kind == .errors }
    },
  ]

  /// What batches of an index job do otherwise than events in general.
  private static let batches = [
    AxisValue("batchRules", "an admission of their own") { policy, scenario in
      policy.batchRules[.index]?.admission == .updateOnly && hasIndex(scenario)
    },
    AxisValue("batchRules", "lists that they make stale") { policy, scenario in
      policy.batchRules[.index]?.staleMethods.isEmpty == false && hasIndex(scenario)
    },
    AxisValue("batchRules", "none") { policy, scenario in
      policy.batchRules.isEmpty && hasIndex(scenario)
    },
  ]

  /// Whether there is a storm of what nobody has asked for.
  static func hasIndex(_ scenario: Scenario) -> Bool {
    scenario.app?.writers.contains { $0.origin == .index } == true
  }

  /// Whether users mark views, to keep them at hand.
  private static func marksViews(_ scenario: Scenario) -> Bool {
    let steps = scenario.app?.users.flatMap(\.activities).flatMap(\.steps) ?? []
    return steps.contains { step in
      switch step.action {
      case .tag: true
      case .stroll(let stroll): stroll.pin > 0
      default: false
      }
    }
  }

  private static let events =
    EventAdmission.allCases.map { admission in
      AxisValue("eventAdmission", admission.rawValue) { policy, scenario in
        policy.eventAdmission == admission && hasIndex(scenario)
      }
    }
    + Membership.allCases.map { membership in
      AxisValue("membership", membership.rawValue) { policy, _ in policy.membership == membership }
    }
    + batches
    + GapResponse.allCases.map { response in
      AxisValue("gapResponse", response.rawValue) { policy, scenario in
        policy.gapResponse == response && scenario.faults.contains { $0.kind == .partition }
      }
    } + [
      AxisValue("reorderWindow", "the usual one") { policy, scenario in
        policy.reorderWindow == .milliseconds(200) && scenario.network.reorder > 0
      },
      AxisValue("reorderWindow", "another") { policy, scenario in
        policy.reorderWindow != .milliseconds(200) && scenario.network.reorder > 0
      },
      AxisValue("pollInterval", "none") { policy, _ in policy.pollInterval == nil },
      AxisValue("pollInterval", "an interval") { policy, scenario in
        policy.pollInterval.map { $0 < scenario.duration } == true
      },
      AxisValue("takesEvents", "yes") { policy, scenario in
        policy.takesEvents && scenario.network.events == .push
      },
      AxisValue("takesEvents", "no") { policy, scenario in
        !policy.takesEvents && scenario.network.events == .push
      },
      AxisValue("coalescingWindow", "none") { policy, _ in policy.coalescingWindow == .zero },
      AxisValue("coalescingWindow", "a window") { policy, scenario in
        // It takes changes that come faster than the window.
        policy.coalescingWindow > .zero
          && scenario.app?.writers.contains { $0.burst != nil } == true
      },
    ]
}
