import Foundation
import Measurement

/// Runs one round of a peer in a process of its own, and reads its samples.
struct PeerProcess {
  var arguments: [String]

  /// Longer than any round may take: its phases end by themselves.
  private static let deadline = Duration.seconds(300)

  /// - Throws: ``CommandFailure`` where the process fails, with what it said.
  func run() async throws -> DesignSamples {
    let process = Process()
    process.executableURL = ChildProcess.executable
    process.arguments = arguments
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      throw CommandFailure(.fault, "\(ChildProcess.executable.path): not started: \(error)")
    }
    // Its input ends with this process, and it leaves.
    let expiry = Task { [input] in
      try await Task.sleep(for: Self.deadline)
      try input.fileHandleForWriting.close()
    }
    // Side by side: a child whose complaints nobody reads would wait, and never end its output.
    async let said = Self.wholeText(of: output)
    async let complained = Self.wholeText(of: errors)
    let (text, complaint) = await (said, complained)
    process.waitUntilExit()
    expiry.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let reason = complaint.isEmpty ? "it ended early" : complaint
      throw CommandFailure(.data, "\(arguments.joined(separator: " ")): \(reason)")
    }
    return try DesignSamples(text: text)
  }

  /// Reads on a thread of its own, since it waits.
  private static func wholeText(of pipe: Pipe) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let bytes = try? pipe.fileHandleForReading.readToEnd()
        let text = String(decoding: bytes ?? Data(), as: UTF8.self)
        continuation.resume(returning: text.trimmingCharacters(in: .newlines))
      }
    }
  }
}
