import CommandLineInterface
import Text

/// The command that recreates a gate's baseline, for messages.
struct BaselineRenewal {
  /// The folder of the baseline.
  var folder: String
  /// The scenarios named to the gate; none: all of `Scenarios/`.
  var scenarios: [String]
  /// The options that say which caches take part, and what is said of recordings.
  var options: [String]

  /// The maximum bytes of a makefile that is searched.
  private static let makefileLimit = 1 << 20

  /// Returns the command.
  ///
  /// - Parameters:
  ///   - known: the scenarios of the baseline, which is replaced as a whole.
  ///   - names: the scenarios of the gate, by their names in results.
  /// - Returns: `make baseline` if a makefile here has that target; with the gate's scenarios if the baseline
  ///   has no others.
  func command(beside known: [String] = [], of names: [String] = []) -> String {
    let isUsual = folder == GateCommand.usualBaseline
    let isWhole = Set(known).isSubset(of: names)
    if isUsual, options.isEmpty, isWhole || scenarios.isEmpty, Self.makefileHasTarget {
      return "make baseline"
    }
    let words =
      ["tidemark", "bench"] + (isWhole ? scenarios : []) + ["--baseline"]
      + (FileKind.of("\(folder)/\(StoredCounts.fileName)") == nil ? [] : ["--counts"])
      + (isUsual ? [] : ["--output", folder]) + options
    return ShellWord.line(words)
  }

  private static var makefileHasTarget: Bool {
    let files = ["GNUmakefile", "makefile", "Makefile"]
    guard let file = files.first(where: { FileKind.of($0) == .file }),
      let bytes = try? InputFile.read(file, limit: makefileLimit)
    else { return false }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .contains { $0.hasPrefix("baseline:") }
  }
}
