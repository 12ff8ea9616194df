import Analysis
import ArgumentParser
import CommandLineInterface
import ResultModel
import Workloads

struct FindingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Answer questions from the committed scenarios.",
    discussion: """
      Documentation/Findings.md is what this writes. All figures are exact: the same seeds give the \
      same text on every machine.

      EXAMPLES
        tidemark findings --output Documentation/Findings.md
        tidemark findings release-buffer-size
      """)

  @Argument(help: ArgumentHelp("Names of questions; default: all.", valueName: "QUESTION"))
  var names: [String] = []

  @Option(help: "Common seeds of every simulation.")
  var seeds = 6

  @Option(help: ArgumentHelp("The file to write, or - for standard output.", valueName: "FILE|-"))
  var output = "-"

  func run() async throws {
    guard (2...100).contains(seeds) else {
      throw CommandFailure(.input, "--seeds is \(seeds); give 2 to 100")
    }
    let known = Question.all
    if let unknown = names.first(where: { name in !known.contains { $0.name == name } }) {
      throw CommandFailure(
        .input,
        "\(unknown): no such question; there are \(known.map(\.name).joined(separator: ", "))")
    }
    try OutputFile.check(output)
    let progress = ProgressLine("findings")
    var text = names.isEmpty ? Self.introduction : ""
    for (index, question) in known.enumerated() where names.isEmpty || names.contains(question.name)
    {
      let run = QuestionRun(question: question, seeds: seeds, progress: progress.of(question.name))
      text += try await run.answer().section(index + 1, seeds: seeds) + "\n"
    }
    progress.end()
    try OutputFile.write(Array(text.utf8.dropLast()), to: output)
  }

  private static let introduction = """
    # Findings

    What the committed scenarios say to questions that every author of a client cache asks. This page is
    made by one command, `make findings`, and is the same on every machine: all figures are exact
    results of simulations ([Methodology](Methodology.md)). Each section is also one command by itself.
    An answer is about its scenario: what it does not cover stands under it.


    """
}
