import ArgumentParser
import CommandLineInterface
import Reporting
import WorkloadExplanation
import Workloads

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Profile a scenario or a recording.",
    discussion: """
      Of a scenario the figures are those of the stream that is drawn, beside what its fields ask \
      for. A trace of keys: `tidemark trace inspect`.

      With --fit a scenario is written that resembles a recording: what its fields say is estimated, \
      a comment says from how much, and no name and no key of the recording is in it.

      EXAMPLES
        tidemark inspect file-browser
        tidemark inspect session.jsonl
        tidemark inspect session.jsonl --fit fitted.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "A name in Scenarios/, a scenario file (.yaml), a recorded session (.jsonl), or - for standard "
        + "input.", valueName: "INPUT"))
  var path: String

  @Option(help: "The seed of all random numbers of a scenario; default: the scenario's.")
  var seed: UInt64?

  @OptionGroup var result: TableOutput

  @Option(
    help: ArgumentHelp(
      "Also write a scenario that resembles the recording.", valueName: "FILE"))
  var fit: String?

  func run() throws {
    try OutputFile.check(result.output)
    if let fit {
      try OutputFile.check(fit)
      guard fit != result.output else {
        throw CommandFailure(
          .input, "--fit and --output both name \(fit); give each a file of its own")
      }
    }
    try OutputFile.write(try inspection().bytes(result.format), to: result.output)
  }

  private func inspection() throws -> Inspection {
    let inputs = try SimulationInput.load(
      [path], seed: seed, command: Self.configuration.commandName)
    if let fit { try writeFit(of: inputs[0], to: fit) }
    return Inspection(inputs[0], seed: seed)
  }

  private func writeFit(of input: SimulationInput, to path: String) throws {
    let workload = input.workload(seed: seed)
    let hasReads = workload.clients.contains { $0.actions.contains(where: \.kind.isReadOfUser) }
    func failure(_ lack: String) -> CommandFailure {
      CommandFailure(
        .input, "\(InputFile.title(of: input.argument)): nothing to fit: \(lack)")
    }
    guard hasReads else { throw failure("it has no reads; record what a user looks at") }
    var fitted = AppFit(workload)
    if let lack = fitted.lack { throw failure(lack) }
    try fitted.adjust()
    try OutputFile.write(Array(fitted.text.utf8), to: path)
  }
}
