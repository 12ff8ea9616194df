import Foundation

/// Where a single result goes: a file that is replaced whole, or standard output.
enum OutputFile {
  /// - Throws: ``CommandFailure``; the former content is then as it was.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard path != "-" else {
      try Console.write(bytes)
      return
    }
    do {
      // Foundation writes to a temporary name beside it, then renames.
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .output, "\(path): \(error.localizedDescription); choose another file with --output")
    }
  }
}
