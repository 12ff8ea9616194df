import Analysis
import CommandLineInterface
import Reporting
import Text

/// A file with what became of reads.
enum TableFile {
  /// What became of reads, as `simulate --outcomes` writes it.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be read, is something else, or has no reads.
  static func reads(_ path: String) throws(CommandFailure) -> [ReadLine] {
    let bytes = try InputFile.read(path, limit: 1 << 28)
    let reads: [ReadLine]
    do throws(CSVError) {
      reads = try ReadTable.read(bytes)
    } catch {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: path)): \(error); name a file that `simulate --outcomes` wrote")
    }
    guard !reads.isEmpty else {
      throw CommandFailure(
        .input, "\(FileKind.title(of: path)): it has no reads; write it again")
    }
    return reads
  }
}
