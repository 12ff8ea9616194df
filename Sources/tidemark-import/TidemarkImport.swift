import ArgumentParser
import CommandLineInterface

/// The commands of `tidemark import`: recordings from other programs' files.
struct TidemarkImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark", abstract: "Make recordings from other programs' files.",
    version: CommandLineMain.version,
    subcommands: [ImportCommand.self])
}

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make recordings from other programs' files.",
    subcommands: [HARCommand.self])
}

@main
enum Main {
  static func main() async { await CommandLineMain.run(TidemarkImport.self) }
}
