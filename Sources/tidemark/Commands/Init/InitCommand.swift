import ArgumentParser
import CommandLineInterface
import Foundation
import Text
import WorkloadExplanation
import Workloads

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a folder for an app: scenario, baseline, gate.",
    discussion: """
      Writes a commented scenario with its schema, a Makefile, a baseline, and pipelines for GitHub Actions \
      and GitLab CI. Replaces nothing that exists. With --from the scenario has the types, queries, sizes and \
      rates of the recording, and default limits.

      EXAMPLES
        tidemark init my-first-app
        tidemark init my-recorded-app --from session.jsonl
      """)

  @Argument(
    help: ArgumentHelp(
      "Make this folder; its last part names the scenario.", valueName: "NAME"))
  var name: String

  @Option(
    help: ArgumentHelp("Fit the scenario to this recording.", valueName: "SESSION"))
  var from: String?

  func run() async throws {
    let folder = URL(fileURLWithPath: name).standardizedFileURL
    let scenario = name.isEmpty ? "" : folder.lastPathComponent
    try check(scenario)
    guard FileKind.of(folder.path) == nil else {
      throw CommandFailure(
        .output, "\(name): already exists, and nothing is replaced; choose another name")
    }
    let top = Self.topOfRepository(above: folder)
    let templates = InitTemplates(
      name: scenario, place: top.map { Self.path(of: folder, in: $0) } ?? ".")
    let text = try from.map { try Self.fitted(to: $0, named: scenario) } ?? templates.scenario
    let manager = FileManager.default
    let parent = folder.deletingLastPathComponent()
    let draft = parent.appendingPathComponent(".\(scenario).\(UUID().uuidString)")
    TerminationSignals.add(draft: draft.path)
    // A reader of the output that goes away is an error, after which the draft goes too.
    signal(SIGPIPE, SIG_IGN)
    do {
      try manager.createDirectory(
        at: draft.appendingPathComponent("Scenarios"), withIntermediateDirectories: true)
      try manager.createDirectory(
        at: draft.appendingPathComponent(".github/workflows"), withIntermediateDirectories: true)
      for (file, text) in [
        ("Scenarios/\(scenario).yaml", InitTemplates.schemaLine + text),
        ("Makefile", templates.makefile), (".gitignore", templates.ignored),
        (".github/workflows/tidemark.yml", templates.github),
        (".gitlab-ci.yml", templates.gitlab),
      ] {
        try FileWriter.write(Array(text.utf8), to: draft.appendingPathComponent(file).path)
      }
      try FileWriter.write(
        try ScenarioSchema(vocabulary: .all).document(),
        to: draft.appendingPathComponent("Scenarios/schema.json").path)
      try await Self.makeBaseline(in: draft)
      try TerminationSignals.settle(draft: draft.path) {
        try manager.moveItem(at: draft, to: folder)
      }
    } catch {
      TerminationSignals.settle(draft: draft.path) { try? manager.removeItem(at: draft) }
      if error is any ReportedError { throw error }
      throw CommandFailure(
        .output, "\(name): \(SystemReason.text(of: error)); nothing was made; choose another folder"
      )
    }
    try Console.write(summary(of: scenario, templates, isInRepository: top != nil))
  }

  private func check(_ scenario: String) throws(CommandFailure) {
    let isName =
      !scenario.isEmpty && scenario.utf8.count <= 64
      && scenario.utf8.allSatisfy {
        (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-")
      }
    guard isName else {
      throw CommandFailure(
        .input,
        "\"\(scenario)\" cannot name a scenario; use up to 64 lower-case letters, digits and hyphens"
      )
    }
  }

  private static func fitted(to argument: String, named name: String) throws -> String {
    let inputs = try SimulationInput.load(
      [argument], seed: nil, command: configuration.commandName)
    guard let input = inputs.first, !input.isDrawn else {
      throw CommandFailure(.input, "--from \(argument): no recording; name a file of .jsonl")
    }
    let title = InputFile.title(of: argument)
    var fitted: AppFit
    do throws(AppFit.Lack) {
      fitted = try AppFit.resembling(input.workload(seed: nil))
    } catch {
      throw CommandFailure(.input, "\(title): \(error)")
    }
    fitted.name = name
    return fitted.text
  }

  /// Creates the baseline by `tidemark bench --baseline` in that folder.
  private static func makeBaseline(in folder: URL) async throws {
    let former = FileManager.default.currentDirectoryPath
    guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
      throw CommandFailure(.output, "\(folder.path): cannot be entered")
    }
    defer { _ = FileManager.default.changeCurrentDirectoryPath(former) }
    let bench = try BenchCommand.parse(["--baseline"])
    try await bench.run()
  }

  private func summary(
    of scenario: String, _ templates: InitTemplates, isInRepository: Bool
  ) -> String {
    let folder = ShellWord.quoted(name)
    let pipelines =
      isInRepository
      ? "  pipelines run at the top of a repository: move \(name)/.github/workflows/tidemark.yml there, and\n"
        + "  include \(templates.place)/.gitlab-ci.yml from the one there\n"
      : ""
    return """
      made: \(name)
        Scenarios/\(scenario).yaml: describe your app here
        Reports/baseline: what gate compares with; commit it
        Makefile: make explain, simulate, gate, baseline
        .github/workflows, .gitlab-ci.yml: run the gate
      next: cd \(folder) && tidemark simulate \(scenario) --seeds auto && tidemark gate

      """ + pipelines
  }

  // MARK: The repository around

  /// Returns the nearest enclosing folder with a git repository; `nil`: none.
  private static func topOfRepository(above folder: URL) -> URL? {
    var place = folder
    while place.pathComponents.count > 1 {
      place = place.deletingLastPathComponent()
      if FileKind.of(place.appendingPathComponent(".git").path) != nil { return place }
    }
    return nil
  }

  private static func path(of folder: URL, in top: URL) -> String {
    folder.pathComponents.dropFirst(top.pathComponents.count).joined(separator: "/")
  }
}
