import CommandLineInterface
import Foundation
import Text
import TraceReplay

/// Replays every row of a table of known results, and says which do not come out.
struct MissCheck {
  var table: String
  var folder: String

  private static let tableLimit = 1 << 26

  /// - Throws: ``CommandFailure`` where a row differs, or cannot be checked.
  func run() async throws {
    guard FileKind.of(folder) == .directory else {
      throw CommandFailure(
        .input, "--traces \(folder): no directory is there; name the one that holds the traces")
    }
    let expected: ExpectedMisses
    do {
      expected = try ExpectedMisses(csv: try InputFile.read(table, limit: Self.tableLimit))
    } catch let error as TraceError {
      throw CommandFailure(.input, "\(table): \(error)")
    }
    let progress = ProgressLine("replay")
    let report = try await expected.check(
      width: ProcessInfo.processInfo.activeProcessorCount
    ) { source in
      progress.report(source.name)
      return try load(source)
    }
    progress.end()
    for mismatch in report.mismatches { Console.note("mismatch: \(mismatch)") }
    for missing in report.missingTraces {
      Console.note("no trace for \(missing.rows) rows of \(missing.name)")
    }
    let skipped = report.unknownPolicies.map { "\($0.name) \($0.rows)" }.joined(separator: ", ")
    try Console.write(
      "\(report.checked) rows checked, \(report.mismatches.count) mismatches"
        + (skipped.isEmpty ? "" : "; not checked, no such order here: \(skipped)") + "\n")
    if !report.passes { throw CommandFailure(.failed) }
  }

  /// Decompresses a trace by the system's own tools; `nil` where the file is not there.
  private func load(_ source: TraceSource) throws -> InternedTrace? {
    let path = URL(fileURLWithPath: folder).appendingPathComponent(source.fileName).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [source.compression.rawValue, "-dc", path]
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      throw CommandFailure(.input, "\(path): \(SystemReason.text(of: error))")
    }
    let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandFailure(
        .input,
        "\(path): `\(source.compression.rawValue) -dc` failed; install it, or check the file")
    }
    guard let format = TraceFormats.named(source.format) else { return nil }
    do {
      let start = format.isText ? try ByteOrderMark.length(in: bytes.prefix(ByteOrderMark.most)) : 0
      return try TraceReader.read(Array(bytes[start...]), format: format, name: source.name)
    } catch {
      throw CommandFailure(.input, "\(path): \(error)")
    }
  }
}
