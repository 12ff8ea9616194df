import Analysis
import CacheSimulation
import CommandLineInterface
import Reporting
import ResultModel

extension RecordedOutcomes {
  /// That some reads have no outcome; `nil` where all have one.
  var gapsText: String? {
    guard told < reads else { return nil }
    let (told, reads) = (HumanNumber.count(Double(told)), HumanNumber.count(Double(reads)))
    return "\(told) of \(reads) reads have an `outcome`; "
      + "the row \(ResultRow.recordedPolicy) is of these alone"
  }
}

extension RecordedGap {
  /// What a person is told.
  var text: String {
    "by its outcomes the app had \(HumanNumber.percent(recorded)) hits, more than 10 points from every "
      + "policy (nearest: \(nearest), \(HumanNumber.percent(nearestRatio))), so the log is wrong or the "
      + "app's cache is none of these; check `outcome` and `order`, or name a policy like it"
  }
}
