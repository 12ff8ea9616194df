import Reporting
import Text

/// A file to which each commit added a line.
enum TrendFile {
  /// The largest that is read, in bytes.
  private static let byteLimit = 1 << 26

  /// - Throws: ``CommandFailure`` where it cannot be read, or is something else.
  static func load(_ path: String) throws(CommandFailure) -> TrendTable {
    let bytes = try InputFile.read(path, limit: byteLimit)
    do throws(CSVError) {
      return try TrendTable.read(bytes)
    } catch {
      throw CommandFailure(
        .input, "\(FileKind.title(of: path)): \(error); name a file that `tidemark trend` wrote")
    }
  }
}
