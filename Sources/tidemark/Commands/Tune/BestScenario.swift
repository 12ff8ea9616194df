import Analysis
import CommandLineInterface
import Workloads

/// The first scenario with the best setting as its only policy: a file that runs.
struct BestScenario {
  private let bytes: [UInt8]

  /// - Throws: ``CommandFailure`` where nothing is best, or no scenario file was read.
  init(_ found: TuningOutcome, _ study: TuningTask) throws {
    if case .noneFeasible? = found.line?.verdict.outcome {
      throw CommandFailure(.data, "--best: no setting keeps the limits, so nothing is written")
    }
    guard let best = found.best else {
      throw CommandFailure(
        .data, "--best: nothing is best over all scenarios, so nothing is written")
    }
    guard let input = study.inputs.first, input.isDrawn,
      var document = input.file.document
    else {
      throw CommandFailure(.input, "--best: a recording is no scenario file; name a scenario first")
    }
    var own: [(field: String, value: String)] = []
    for (parameter, value) in zip(best.plan.parameters, best.plan.values(of: best.trial)) {
      switch parameter.owner {
      case .cache: document = try document.setting("cache.\(parameter.field.name)", to: value)
      case .policy: own.append((parameter.field.name, value))
      // It stands in the command.
      case .command: continue
      }
    }
    if let command = try best.setting(in: input.file)?.cache.command {
      bytes =
        document.replacingPolicies(by: [
          (name: best.policy, base: .command(command), fields: [])
        ]).yaml
      return
    }
    let entry = document.policy(best.policy) ?? (preset: best.policy, fields: [])
    let kept = entry.fields.filter { field in !own.contains { $0.field == field.field } }
    let isOwn = !(kept + own).isEmpty || entry.preset != best.policy
    bytes =
      document.replacingPolicies(by: [
        (
          name: own.isEmpty ? best.policy : isOwn ? "best" : best.policy,
          base: .preset(entry.preset),
          fields: kept + own
        )
      ]).yaml
  }

  func write(to path: String) throws {
    try OutputFile.write(bytes, to: path)
  }
}
