import ArgumentParser
import CommandLineInterface
import WorkloadExplanation
import Workloads

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Read a scenario back in words; check its stream.",
    discussion: """
      Says what the scenario declares, what that comes to, and shows a few drawn rows and events. Then \
      rates, mixes, exponents and sizes are measured on the stream that is drawn: one that deviates from \
      the declaration by more than chance fails the command.

      EXAMPLES
        tidemark explain file-browser
        tidemark explain my-app.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "A name in Scenarios/, or a scenario file (.yaml).", valueName: "SCENARIO"))
  var scenario: String

  @Option(help: "The seed of all random numbers; default: the scenario's.")
  var seed: UInt64?

  @Option(help: ArgumentHelp("A file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  func run() throws {
    try OutputFile.check(output)
    let scenario = try ScenarioFile.load(scenario).scenario
    let explanation = Explanation(scenario, Workload.generate(scenario, seed: seed))
    let text = explanation.lines.joined(separator: "\n") + "\n"
    try OutputFile.write(Console.legible(text), to: output)
    let deviations = explanation.check.deviations
    guard deviations.isEmpty else {
      throw CommandFailure(
        .failed,
        "the drawn stream is not what is declared: "
          + deviations.map(\.name).joined(separator: ", ")
          + "; another --seed tells whether it is chance")
    }
  }
}
