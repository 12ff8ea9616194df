import ArgumentParser
import CacheSimulation
import CommandLineInterface
import Reporting
import WorkloadExplanation

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Describe a scenario or a recording in words.",
    discussion: """
      Prints a scenario's declaration, totals, and sample rows and events; then rates, mixes, \
      Zipf exponents and sizes of the generated stream. A deviation from the declaration by more than a \
      tolerance and four standard errors fails the command. Of a recording: users, data, queries, changes, and unknowns. With --format csv or \
      json: every count and estimate.

      --fit writes a scenario that resembles a recording, without its names and keys. Its values are \
      estimates; comments say from how many observations.

      EXAMPLES
        tidemark explain file-browser
        tidemark explain session.jsonl
        tidemark explain session.jsonl --format csv
        tidemark explain session.jsonl --fit fitted.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "Name a scenario in Scenarios/, a scenario file (.yaml), recorded sessions (.jsonl), or - for standard "
        + "input; several are explained one after the other.", valueName: "INPUT"),
    completion: Completions.inputs)
  var inputs: [String]

  @OptionGroup var lender: LenderOption

  @Option(help: "Draw from this seed; default: the scenario's.")
  var seed: UInt64?

  @OptionGroup var result: TableOutput

  @Option(
    help: ArgumentHelp(
      "Also write a scenario that resembles the recording.", valueName: "FILE"))
  var fit: String?

  func run() throws {
    try OutputFile.check(result.output, reading: inputs)
    if let fit {
      try OutputFile.check(fit, reading: inputs)
      guard fit != result.output else {
        throw CommandFailure(
          .input, "--fit and --output both name \(fit); give each a file of its own")
      }
    }
    guard inputs.count == 1 || fit == nil && result.format == .table else {
      throw CommandFailure(
        .input, "--fit and --format csv or json are of one input, not \(inputs.count); name one")
    }
    // Individually: several recordings would otherwise be the users of one app.
    let all = try inputs.map {
      try SimulationInput.load(
        [$0], seed: seed, lender: lender.scenario, command: Self.configuration.commandName)[0]
    }
    if let fit { try writeFit(of: all[0], to: fit) }
    guard result.format == .table else {
      try OutputFile.write(
        try Inspection(all[0], seed: seed).bytes(result.format), to: result.output)
      return
    }
    let explanations = all.map { Explanation(of: $0, seed: seed) }
    let texts = explanations.map {
      $0.lines(width: Console.style.width).joined(separator: "\n") + "\n"
    }
    try OutputFile.write(Console.legible(texts.joined(separator: "\n")), to: result.output)
    let deviations = explanations.flatMap { $0.check?.deviations ?? [] }
    guard deviations.isEmpty else {
      let causes = explanations.flatMap(\.depletions)
      throw CommandFailure(
        .failed,
        "the drawn stream deviates from the declaration: "
          + (causes.isEmpty
            ? deviations.map(\.name).joined(separator: ", ")
              + "; try another --seed: a deviation that persists is not chance"
            : causes.joined(separator: "; ")))
    }
  }

  private func writeFit(of input: SimulationInput, to path: String) throws {
    do {
      let fitted = try AppFit.resembling(input.workload(seed: seed))
      try OutputFile.write(Array(fitted.text.utf8), to: path)
      if let caution = fitted.caution { Console.note("\(path): \(caution)") }
    } catch let lack as AppFit.Lack {
      throw CommandFailure(.input, "\(InputFile.title(of: input.argument)): \(lack)")
    }
  }
}

extension Explanation {
  fileprivate init(of input: SimulationInput, seed: UInt64?) {
    let workload = input.workload(seed: seed)
    if input.isDrawn {
      self.init(input.file.scenario, workload)
    } else {
      let rows = AskedRows(of: workload)
      self.init(of: workload, under: input.file.scenario) { rows[$0] }
    }
  }
}
