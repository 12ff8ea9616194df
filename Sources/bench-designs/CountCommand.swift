import ArgumentParser
import Reporting

/// Counts what does not depend on the machine.
struct CountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract:
      "Print the counted tables of Documentation/DesignFindings.md: the same on every machine.")

  func run() async throws {
    let sections = try await TemporaryPlace.use(nil) { place in
      try await DesignCounts.sections(in: BenchPlan(folder: place))
    }
    for section in sections { print("\(section.title)\n\n\(section.table.markdown())\n") }
  }
}
