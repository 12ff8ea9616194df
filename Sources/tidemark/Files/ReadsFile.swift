import Analysis
import Reporting
import Text

/// A file with what became of reads, as `simulate --outcomes` writes it.
enum ReadsFile {
  /// The largest that is read, in bytes.
  private static let byteLimit = 1 << 28

  /// - Throws: ``CommandFailure`` where it cannot be read, is something else, or has no reads.
  static func load(_ path: String) throws(CommandFailure) -> [ReadLine] {
    let bytes = try InputFile.read(path, limit: byteLimit)
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
        .input, "\(FileKind.title(of: path)): it has no reads; write it anew")
    }
    return reads
  }
}
