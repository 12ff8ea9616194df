package import ArgumentParser
import Foundation
package import Reporting
import Synchronization
import Text

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output for results, standard error for everything else.
package enum Console {
  /// Whether standard error is a terminal.
  package static let isInteractive = isatty(STDERR_FILENO) == 1

  /// The style: coloured if the terminal supports it and it was not switched off (https://no-color.org), or
  /// if it was requested (https://bixense.com/clicolors); lines as wide as the terminal, and unwrapped for a
  /// file or another program, which may search them.
  package static let style: TextStyle = {
    let environment = ProcessInfo.processInfo.environment
    let isWanted =
      isatty(STDOUT_FILENO) == 1 || environment["CLICOLOR_FORCE"].map { $0 != "0" } ?? false
    return TextStyle(
      isColoured: isWanted && environment["NO_COLOR"]?.isEmpty != false,
      width: width(of: STDOUT_FILENO) ?? unwrapped)
  }()

  /// Wider than any line.
  private static let unwrapped = 10_000

  /// Text is hard to read in longer lines, and tables do not fit in shorter ones.
  private static let widths = 40...120

  /// Returns the width by `COLUMNS`, or of a file's terminal; `nil` without either.
  private static func width(of file: Int32) -> Int? {
    var size = winsize()
    let asked = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
    guard
      let width = asked
        ?? (isatty(file) == 1 && ioctl(file, UInt(TIOCGWINSZ), &size) == 0
          ? Int(size.ws_col) : nil),
      width > 0
    else { return nil }
    return min(max(width, widths.lowerBound), widths.upperBound)
  }

  package static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(FileWriter.Failure) {
      try FileWriter.write(bytes, toOpen: STDOUT_FILENO)
    } catch {
      throw CommandFailure(.output, "standard output: not written: \(error); \(error.remedy)")
    }
  }

  package static func write(_ text: String) throws(CommandFailure) {
    try write(legible(text))
  }

  /// Writes lines unchanged for the process that started this one.
  package static func tell(_ text: String) throws(CommandFailure) {
    try write(Array(text.utf8))
  }

  /// Returns a text for a terminal: wrapped at its width, and with names from files that can neither move the
  /// cursor nor change the direction of text.
  package static func legible(_ text: String) -> [UInt8] {
    Array(style.legible(style.fitted(text)).utf8)
  }

  /// Writes lines to standard error; failures are ignored.
  ///
  /// Names of files, and messages of the system or a library, are untrusted: only a line feed may move the
  /// cursor.
  package static func note(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // A line for each problem, as editors and scripts parse them; wrapped for a terminal.
    let shown = lines.map { line in
      let line = String(line).legible
      let fitted =
        width(of: STDERR_FILENO).map { WrappedText.lines(line, width: $0, indent: 2) } ?? [line]
      return fitted.joined(separator: "\n") + "\n"
    }.joined()
    try? FileHandle.standardError.write(contentsOf: Array(shown.utf8))
  }

  /// The maximum number of lines for a wrong input.
  private static let mostProblems = 4

  /// Ends the process for an error.
  package static func exit(
    for error: any Error, of root: any ParsableCommand.Type
  ) -> Never {
    if let failure = failure(for: error, of: root) {
      // Separately, since editors that jump to errors parse single lines.
      let problems = failure.message.split(separator: "\n")
      // Most of many in one file have the same cause.
      let isCut = failure.status == .input && problems.count > mostProblems
      let shown = isCut ? problems.prefix(mostProblems - 1) : problems[...]
      for line in shown { note("tidemark: \(line)") }
      if isCut { note("tidemark: \(problems.count - shown.count) more; correct these first") }
      Foundation.exit(failure.status.rawValue)
    }
    // Help, version, or a command line that does not parse.
    let text = root.fullMessage(for: error)
    if root.exitCode(for: error) == .success {
      do {
        try write(Array((text + "\n").utf8))
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
      // ArgumentParser's own errors are internal; all of them concern the command line.
      root.exitCode(for: error) == .validationFailure || root.exitCode(for: error) == .success
        ? nil : CommandFailure(.fault, "\(error)")
    }
  }
}

/// Shows progress at a terminal, in one line that is overwritten; elsewhere, as in a log, in a line every ten
/// seconds.
package struct ProgressLine: Sendable {
  private let title: String

  private static let interval = Duration.seconds(10)
  /// For the whole process: the time of the last line, or of the first report.
  private static let lastLine = Mutex<ContinuousClock.Instant?>(nil)

  /// Whether a line is due without a terminal.
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

  package func of(_ part: String) -> ProgressLine { ProgressLine("\(title), \(part)") }

  package func report(_ step: String) {
    // With several parts, a step names its own; otherwise the title already contains it.
    let line = (step.hasPrefix("\(title): ") ? step : "\(title): \(step)").prefix(100)
    TerminationSignals.note { $0.step = String(line) }
    guard Console.isInteractive || Self.isDue else { return }
    guard Console.isInteractive else {
      Console.note(String(line))
      return
    }
    try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[2K\(line)".utf8))
  }

  /// Shows a result at a terminal that comes before the end, such as a verdict that is still to be checked.
  package func announce(_ result: String) {
    guard Console.isInteractive else { return }
    end()
    Console.note(result)
  }

  package func end() {
    TerminationSignals.note { $0.step = nil }
    guard Console.isInteractive else { return }
    try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[2K".utf8))
  }
}

/// The exit status of the process; `tidemark --help` lists the same.
package enum ExitStatus: Int32 {
  /// `gate`: a regression, or a missed target; `check`, `soak`: a violated guarantee; `memory`: a wrong
  /// prediction; `diff`: reads differ; `conform`: a case fails.
  case failed = 1
  /// The command line or an input file is invalid.
  case input = 2
  case baseline = 3
  /// Data are missing, invalid or inconclusive.
  case data = 4
  /// Output could not be written.
  case output = 5
  /// A fault of tidemark itself.
  case fault = 70
}

/// A failure of a command: the message for the user, and the status for the calling script.
package struct CommandFailure: Error {
  package var status: ExitStatus
  /// One line for each problem (place, cause, remedy); empty if the result already says everything.
  package var message: String

  package init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }
}
