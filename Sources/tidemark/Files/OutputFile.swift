/// Where a single result goes: a file that is replaced whole, or standard output.
enum OutputFile {
  /// - Throws: ``CommandFailure``; the former content is then as it was.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    guard path != "-" else {
      try Console.write(bytes)
      return
    }
    do {
      try FileWriter.replace(path, with: bytes)
    } catch {
      throw CommandFailure(
        .output, "\(path): not written: \(error); make room, or choose another file")
    }
  }
}
