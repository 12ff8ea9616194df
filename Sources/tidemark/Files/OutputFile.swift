/// Where a single result goes: a file that is replaced whole, or standard output.
enum OutputFile {
  /// - Throws: ``CommandFailure``; the former content is then as it was.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard path != "-" else {
      try Console.write(bytes)
      return
    }
    do throws(FileWriter.Failure) {
      try FileWriter.replace(path, with: bytes)
    } catch {
      throw failure(path, error)
    }
  }

  /// Asks before the work whether its result will have a place.
  ///
  /// - Throws: ``CommandFailure`` where no result could be written there.
  static func check(_ path: String) throws(CommandFailure) {
    guard path != "-" else { return }
    do throws(FileWriter.Failure) {
      try FileWriter.check(path)
    } catch {
      throw failure(path, error)
    }
  }

  private static func failure(_ path: String, _ reason: FileWriter.Failure) -> CommandFailure {
    CommandFailure(.output, "\(path): not written: \(reason); make room, or choose another file")
  }
}
