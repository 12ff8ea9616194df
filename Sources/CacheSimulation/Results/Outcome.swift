import RecordingCodec
import ResultModel
import Workloads

/// What became of a read, in the words of the reports.
enum Outcome: CaseIterable, Sendable {
  case hitFresh
  case hitStale
  case partial
  case missCold
  case missExpired
  case missEvicted
  case missInvalidated
  case coalesced
  case bypass
  case failed

  /// The metric that counts it.
  var metric: Metric {
    switch self {
    case .hitFresh: .hitFresh
    case .hitStale: .hitStale
    case .partial: .partial
    case .missCold: .missCold
    case .missExpired: .missExpired
    case .missEvicted: .missEvicted
    case .missInvalidated: .missInvalidated
    case .coalesced: .coalesced
    case .bypass: .bypass
    case .failed: .failed
    }
  }

  /// The place of the outcome in `allCases`.
  var ordinal: Int {
    switch self {
    case .hitFresh: 0
    case .hitStale: 1
    case .partial: 2
    case .missCold: 3
    case .missExpired: 4
    case .missEvicted: 5
    case .missInvalidated: 6
    case .coalesced: 7
    case .bypass: 8
    case .failed: 9
    }
  }
}

extension Outcome {
  /// - Returns: `nil` for a word of a log that leaves open which of several it was.
  init?(_ recorded: RecordedOutcome) {
    guard let named = Self.allCases.first(where: { $0.metric.name == recorded.rawValue }) else {
      return nil
    }
    self = named
  }
}
