package import ArgumentParser
import CacheModel
import CacheSimulation
import Foundation
import NormalizedCacheCore
package import Reporting
import Synchronization
import Text
import Workloads

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output for results, standard error for everything else.
package enum Console {
  /// Whether a person reads along on standard error.
  package static let isInteractive = isatty(STDERR_FILENO) == 1

  /// Colour only where a terminal shows it and it was not switched off (https://no-color.org).
  package static let style: TextStyle =
    isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    ? .ansi : .plain

  /// - Throws: ``CommandFailure`` where the bytes cannot be written.
  package static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(FileWriter.Failure) {
      try FileWriter.write(bytes, toOpen: STDOUT_FILENO)
    } catch {
      throw CommandFailure(.output, "standard output: not written: \(error)")
    }
  }

  package static func write(_ text: String) throws(CommandFailure) {
    try write(legible(text))
  }

  /// Lines for the process that started this one, as they are.
  package static func tell(_ text: String) throws(CommandFailure) {
    try write(Array(text.utf8))
  }

  /// A text for a person: names that came from a file neither move the cursor nor turn the direction of writing.
  package static func legible(_ text: String) -> [UInt8] { Array(style.legible(text).utf8) }

  /// Lines on standard error; that they cannot be written changes nothing for the caller.
  ///
  /// Names of files, and what a system or a library says, come as they are: nothing but a line feed may
  /// move the cursor.
  package static func note(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.map { String($0).legible + "\n" }.joined()
    try? FileHandle.standardError.write(contentsOf: Array(shown.utf8))
  }

  /// Ends the process as the error demands.
  ///
  /// - Parameters:
  ///   - error: what ended the command.
  ///   - root: the root command of the executable, which knows its own help.
  package static func exit(
    for error: any Error, of root: any ParsableCommand.Type
  ) -> Never {
    if let failure = failure(for: error, of: root) {
      // Each line for itself: an editor that jumps to errors reads them one by one.
      for line in failure.message.split(separator: "\n") { note("tidemark: \(line)") }
      Foundation.exit(failure.status.rawValue)
    }
    // Help, version, or a command line that does not parse.
    let text = root.fullMessage(for: error)
    if root.exitCode(for: error) == .success {
      do {
        try write(text + "\n")
      } catch {
        exit(for: error, of: root)
      }
      Foundation.exit(0)
    }
    note(text)
    Foundation.exit(ExitStatus.input.rawValue)
  }

  private static func failure(
    for error: any Error, of root: any ParsableCommand.Type
  ) -> CommandFailure? {
    switch error {
    case let error as any ReportedError: error.failure
    case is ValidationError, is CleanExit, is ExitCode: nil
    default:
      // ArgumentParser's own errors are internal to it; all of them are about the command line.
      root.exitCode(for: error) == .validationFailure || root.exitCode(for: error) == .success
        ? nil : CommandFailure(.fault, "\(error)")
    }
  }
}

/// Tells a person at a terminal what is going on, in one line that is written over; elsewhere, as in a log,
/// in a line every ten seconds.
package struct ProgressLine: Sendable {
  private let title: String

  private static let interval = Duration.seconds(10)
  /// Of the process, whatever the title: when the last line was written, or the first report came.
  private static let lastLine = Mutex<ContinuousClock.Instant?>(nil)

  /// Whether a line is due where there is no terminal.
  private static var isDue: Bool {
    lastLine.withLock { last in
      let now = ContinuousClock.now
      guard let former = last else {
        last = now
        return false
      }
      guard former.duration(to: now) >= interval else { return false }
      last = now
      return true
    }
  }

  package init(_ title: String) {
    self.title = title
  }

  /// That of a part.
  package func of(_ part: String) -> ProgressLine { ProgressLine("\(title), \(part)") }

  package func report(_ step: String) {
    // What is measured among others names itself; alone it has said so in the title.
    let line = (step.hasPrefix("\(title): ") ? step : "\(title): \(step)").prefix(100)
    TerminationSignals.note(progress: String(line))
    guard Console.isInteractive || Self.isDue else { return }
    guard Console.isInteractive else {
      Console.note(String(line))
      return
    }
    try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[2K\(line)".utf8))
  }

  package func end() {
    TerminationSignals.note(progress: nil)
    Self.clear()
  }

  /// Leaves the line empty for what is written next; a signal's last words may do so too.
  package static func clear() {
    guard Console.isInteractive else { return }
    try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[2K".utf8))
  }
}

/// What the process tells its caller; `tidemark --help` lists the same.
package enum ExitStatus: Int32 {
  /// `gate`: regressed, or a target was missed; `check`, `soak`: a promise is broken;
  /// `memory`: a prediction is wrong; `diff`: reads differ; `conform`: a case fails.
  case failed = 1
  /// The command line or an input file is wrong.
  case input = 2
  /// The baseline is missing or does not fit.
  case baseline = 3
  /// Data are missing, invalid or inconclusive.
  case data = 4
  /// Output could not be written.
  case output = 5
  /// A fault of tidemark itself.
  case fault = 70
}

/// Why a command ends early: what the user reads, and what the caller's script sees.
package struct CommandFailure: Error {
  package var status: ExitStatus
  /// One line for each problem (place, cause, remedy); empty where the result said it all.
  package var message: String

  package init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }
}
