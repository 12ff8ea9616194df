import Analysis
import CacheModel
import CommandLineInterface
import Text
import Workloads

/// One run of a study: a cache on one seed of one workload.
struct StudyCell: Sendable {
  /// The place of its input among the study's.
  var input: Int
  /// `nil` of a recording, which has none.
  var seed: UInt64?
  var contender: Contender
  /// Whether it is run twice where it may not be deterministic.
  var isChecked = false

  /// By which its figures are found again: a digest of configuration, workload and seed, and of the
  /// program's version, whose figures may differ.
  func key(workload: Fingerprint) -> String {
    var digest = workload
    digest.combine(seed.map { "seed \($0)" } ?? "recorded")
    for value in contender.cache.content {
      digest.combine("\(value.path)=\(value.text)")
    }
    return digest.text
  }
}

extension SimulationInput {
  /// A digest of what happens, of the limits that all share, and of the program that runs it.
  var fingerprint: Fingerprint {
    var digest = Fingerprint()
    digest.combine(CommandLineMain.version)
    for field in identity.workload where field.path != "seed" {
      digest.combine("\(field.path)=\(field.value)")
    }
    for value in ScenarioContent.values(of: sharedLimits) {
      digest.combine("limits\(value.path)=\(value.text)")
    }
    return digest
  }
}
