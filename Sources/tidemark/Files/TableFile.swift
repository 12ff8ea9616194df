import Analysis
import CommandLineInterface
import Reporting
import Text

/// Files with a table that a command wrote.
enum TableFile {
  /// What became of reads, as `simulate --outcomes` writes it.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be read, is something else, or has no reads.
  static func reads(_ path: String) throws(CommandFailure) -> [ReadLine] {
    let reads = try load(path, limit: 1 << 28, writer: "simulate --outcomes", ReadTable.read)
    guard !reads.isEmpty else {
      throw CommandFailure(
        .input, "\(FileKind.title(of: path)): it has no reads; write it anew")
    }
    return reads
  }

  /// A file to which each commit added a line.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be read, or is something else.
  static func trend(_ path: String) throws(CommandFailure) -> TrendTable {
    try load(path, limit: 1 << 26, writer: "tidemark trend", TrendTable.read)
  }

  private static func load<Table>(
    _ path: String, limit: Int, writer: String, _ read: ([UInt8]) throws(CSVError) -> Table
  ) throws(CommandFailure) -> Table {
    let bytes = try InputFile.read(path, limit: limit)
    do throws(CSVError) {
      return try read(bytes)
    } catch {
      throw CommandFailure(
        .input, "\(FileKind.title(of: path)): \(error); name a file that `\(writer)` wrote")
    }
  }
}
