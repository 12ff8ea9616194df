import Analysis
import ArgumentParser
import CacheModel
import CacheSimulation
import Foundation
import Measurement
import NormalizedCache
import Reporting
import ResultModel
import SyncStack
import Text
import TraceReplay
import Workloads

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output for results, standard error for everything else.
enum Console {
  /// Whether a person reads along on standard error.
  static let isInteractive = isatty(STDERR_FILENO) == 1

  /// Colour only where a terminal shows it and it was not switched off (https://no-color.org).
  static let style: TextStyle =
    isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    ? .ansi : .plain

  /// - Throws: ``CommandFailure`` where the bytes cannot be written.
  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(FileWriter.Failure) {
      try FileWriter.write(bytes, toOpen: STDOUT_FILENO)
    } catch {
      throw CommandFailure(.output, "standard output: not written: \(error)")
    }
  }

  static func write(_ text: String) throws(CommandFailure) {
    try write(legible(text))
  }

  /// A text for a person: names that came from a file neither move the cursor nor turn the direction of writing.
  static func legible(_ text: String) -> [UInt8] { Array(style.legible(text).utf8) }

  /// Lines on standard error; that they cannot be written changes nothing for the caller.
  ///
  /// Names of files, and what a system or a library says, come as they are: nothing but a line feed may
  /// move the cursor.
  static func note(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.map { String($0).legible + "\n" }.joined()
    try? FileHandle.standardError.write(contentsOf: Array(shown.utf8))
  }

  /// Ends the process as the error demands.
  static func exit(for error: any Error) -> Never {
    let failure = failure(for: error)
    if let failure {
      // Each line for itself: an editor that jumps to errors reads them one by one.
      for line in failure.message.split(separator: "\n") { note("tidemark: \(line)") }
      Foundation.exit(failure.status.rawValue)
    }
    // Help, version, or a command line that does not parse.
    let text = Tidemark.fullMessage(for: error)
    if Tidemark.exitCode(for: error) == .success {
      try? write(text + "\n")
      Foundation.exit(0)
    }
    note(text)
    Foundation.exit(ExitStatus.input.rawValue)
  }

  private static func failure(for error: any Error) -> CommandFailure? {
    switch error {
    case let failure as CommandFailure: failure
    case let error as ScenarioError: CommandFailure(.input, "\(error)")
    case let error as QuantityError: CommandFailure(.input, "\(error)")
    case let error as TraceError: CommandFailure(.input, "\(error)")
    case let error as ConversionError: CommandFailure(.input, "\(error)")
    case let error as CapacityError: CommandFailure(.input, "\(error)")
    case let error as CompositionError: CommandFailure(.input, "\(error)")
    case let error as DivergenceError: CommandFailure(.data, "\(error)")
    case let error as MemoryRunError: CommandFailure(.data, "memory: \(error)")
    case let error as DesignRunError: CommandFailure(.data, "\(error)")
    case let error as MeasurementError: CommandFailure(.data, "latency: \(error)")
    // That was asked for; the others happened.
    case PipelineError.keepsNothing:
      CommandFailure(.input, "pipeline: \(PipelineError.keepsNothing)")
    case let error as PipelineError: CommandFailure(.data, "pipeline: \(error)")
    case let error as SyncProtocolError: CommandFailure(.data, "pipeline: \(error)")
    case let error as StorageError: CommandFailure(.data, "storage: \(error)")
    case let error as ExportError: CommandFailure(.fault, "\(error)")
    case is ValidationError, is CleanExit, is ExitCode: nil
    default:
      // ArgumentParser's own errors are internal to it; all of them are about the command line.
      Tidemark.exitCode(for: error) == .validationFailure
        || Tidemark.exitCode(for: error) == .success
        ? nil : CommandFailure(.fault, "\(error)")
    }
  }
}
