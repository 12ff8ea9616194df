/// Where a single result goes: a file that is replaced whole, or standard output.
package enum OutputFile {
  /// - Throws: ``CommandFailure``; the former content is then as it was.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
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

  /// Writes what `body` hands over, a piece at a time.
  ///
  /// - Throws: ``CommandFailure``, or what `body` throws; a file's former content is then as it was.
  package static func write(
    to path: String, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    guard path != "-" else {
      try body { try Console.write($0) }
      return
    }
    do {
      try FileWriter.replace(path, by: body)
    } catch let failure as FileWriter.Failure {
      throw Self.failure(path, failure)
    }
  }

  /// Asks before the work whether its result will have a place.
  ///
  /// - Throws: ``CommandFailure`` where no result could be written there.
  package static func check(_ path: String) throws(CommandFailure) {
    guard path != "-" else { return }
    do throws(FileWriter.Failure) {
      try FileWriter.check(path)
    } catch {
      throw failure(path, error)
    }
  }

  private static func failure(_ path: String, _ reason: FileWriter.Failure) -> CommandFailure {
    CommandFailure(
      .output, "\(FileKind.title(of: path)): not written: \(reason); \(reason.remedy)")
  }
}
