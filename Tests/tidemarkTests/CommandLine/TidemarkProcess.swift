import Foundation
import Testing

/// The built executable, run as a user runs it.
struct TidemarkProcess {
  var status: Int32
  var output: String
  var errors: String

  /// The output with its lines unwrapped.
  var sentences: String { output.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  static let executable = executable(named: "tidemark")

  /// An executable next to the tests' own product.
  static func executable(named name: String) -> URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let own = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return own.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  /// Runs `tidemark` in a folder and waits for its end.
  static func run(_ arguments: String..., in folder: URL) async throws -> TidemarkProcess {
    try await run(arguments, in: folder)
  }

  /// Runs `tidemark` in a folder and waits for its end.
  static func run(_ arguments: [String], in folder: URL) async throws -> TidemarkProcess {
    try await run(executable, arguments, in: folder)
  }

  /// Runs `tidemark` by way of a shell: `command` may say `"$@"` for it and its arguments.
  static func run(
    _ arguments: String..., in folder: URL, by command: String
  ) async throws -> TidemarkProcess {
    try await run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["bash", "-c", command, "bash", executable.path] + arguments, in: folder)
  }

  /// Runs an executable in a folder and waits for its end.
  static func run(
    _ executable: URL, _ arguments: [String], in folder: URL
  ) async throws -> TidemarkProcess {
    try await withTemporaryFolder { own in
      let process = Process()
      process.executableURL = executable
      process.arguments = arguments
      process.currentDirectoryURL = folder
      // Files, since a full pipe would make the process wait for a reader.
      let (output, errors) = (own.appendingPathComponent("out"), own.appendingPathComponent("err"))
      for file in [output, errors] { try Data().write(to: file) }
      let handles = try [output, errors].map { try FileHandle(forWritingTo: $0) }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = handles[0]
      process.standardError = handles[1]
      try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { _ in continuation.resume() }
        do {
          try process.run()
          // The process has its own; hundreds of tests may wait for their turn with theirs open.
          for handle in handles { try? handle.close() }
        } catch {
          process.terminationHandler = nil
          continuation.resume(throwing: error)
        }
      }
      #expect(process.terminationReason == .exit, "ended by a signal")
      return TidemarkProcess(
        status: process.terminationStatus,
        output: try String(contentsOf: output, encoding: .utf8),
        errors: try String(contentsOf: errors, encoding: .utf8))
    }
  }
}

/// Makes a folder for a test, and removes it after.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("tidemark-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

extension URL {
  /// Writes a text file into this folder.
  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: appendingPathComponent(name))
  }

  /// Reads a text file of this folder.
  func read(_ name: String) throws -> String {
    try String(contentsOf: appendingPathComponent(name), encoding: .utf8)
  }

  /// The names of this folder's files, hidden ones too, in order.
  func entries() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
