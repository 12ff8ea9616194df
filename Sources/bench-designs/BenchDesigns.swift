import ArgumentParser

/// The other cache designs with real parts: files, SQLite, and HTTP on this machine.
@main
struct BenchDesigns: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-designs",
    abstract: "Measure the other cache designs with real files, SQLite and HTTP.",
    discussion: """
      Results go to standard output, progress to standard error.

      EXIT CODES
        0   done
        1   a cache did not answer as it should, or a file could not be written
        64  the command line is wrong
      """,
    subcommands: [TimeCommand.self, CountCommand.self], defaultSubcommand: TimeCommand.self)
}
