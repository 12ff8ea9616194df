import ArgumentParser
import CommandLineInterface
import Foundation
import Processes
import Synchronization
import Text
import TraceReplay

/// A trace on the command line: its path, its format, and its columns.
struct TraceInput: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the trace in this format; `tidemark trace formats` describes each.", valueName: "NAME"))
  var traceFormat: String?

  @OptionGroup var columns: TraceColumnOptions

  @Option(
    help: ArgumentHelp(
      "Limit the memory for the trace; default: three quarters of what is available.",
      valueName: "8GiB"))
  var memoryLimit: String?

  func format() throws -> TraceFormat {
    guard let traceFormat else {
      throw CommandFailure(
        .input, "--trace-format is missing; give a format of `tidemark trace formats`")
    }
    return try Self.format(named: traceFormat)
  }

  static func format(named name: String) throws -> TraceFormat {
    guard let format = TraceFormats.named(name) else {
      let suggestion = Suggestion.text(for: name, among: TraceFormats.all.map(\.name))
      throw CommandFailure(.input, "no trace format is called \"\(name)\"; \(suggestion)")
    }
    return format
  }

  /// Returns the options for reading, including its memory limit.
  func readingOptions() throws -> ReadingOptions {
    var options = try columns.readingOptions(of: try traceFormat.map { try Self.format(named: $0) })
    options.limits.memoryBytes = ProcessMemory.available / 4 * 3
    if let memoryLimit {
      options.limits.memoryBytes = Int(
        try Text.Dimension.size.whole(memoryLimit, of: "--memory-limit", in: 1...1 << 60))
    }
    return options
  }

  /// Returns the name of a trace in results.
  static func title(of path: String) -> String {
    path == InputFile.standardInput ? "stdin" : URL(fileURLWithPath: path).lastPathComponent
  }

  /// Reads and numbers a whole trace.
  static func read(
    _ path: String, format: TraceFormat, options: ReadingOptions, command: String?
  ) throws -> InternedTrace {
    var reader = TraceReader(format: format, name: title(of: path), options: options)
    do {
      let mapped = try InputFile.withSpan(of: path, isText: format.isText, command: command) {
        bytes -> InternedTrace in
        let parts = TraceParts(
          bytes, format: format, name: title(of: path), options: options,
          most: ProcessInfo.processInfo.activeProcessorCount)
        if parts.count > 1, let trace = sideBySide(parts, of: bytes) { return trace }
        try reader.expect(bytes: bytes.count)
        try reader.consume(bytes)
        return try reader.finish()
      }
      if let mapped { return mapped }
      try InputFile.forEachSpan(of: path, isText: format.isText, command: command) {
        try reader.consume($0)
      }
      return try reader.finish()
    } catch let error as TraceError {
      throw CommandFailure(.input, "\(InputFile.title(of: path)): \(error)")
    }
  }

  /// Reads the parts, each on a thread.
  ///
  /// - Returns: `nil` where one of them cannot be read: why and where, a reader of the whole finds out.
  private static func sideBySide(_ parts: TraceParts, of bytes: Span<UInt8>) -> InternedTrace? {
    let readers = Mutex<[TraceReader?]>(Array(repeating: nil, count: parts.count))
    DispatchQueue.concurrentPerform(iterations: parts.count) { part in
      let reader = try? parts.read(part, of: bytes)
      readers.withLock { $0[part] = reader }
    }
    return readers.withLock { try? TraceParts.joined(&$0) }
  }
}

struct TraceColumnOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Name the columns of a csv trace if they are not the usual ones: key, operation, size, \
      ttl, time.
      """, valueName: "size=bytes,time=ts"))
  var columns: String?

  @Option(help: "Read time and ttl of traces with columns in this unit: s, ms, us or ns.")
  var timeUnit: TimeUnit = .seconds

  /// Returns the options for reading a trace of one format.
  func readingOptions(of format: TraceFormat?) throws -> ReadingOptions {
    if columns != nil, let format, !format.namesColumns {
      throw CommandFailure(
        .input,
        "--columns: a trace of the form '\(format.name)' has no columns with names; omit it")
    }
    return ReadingOptions(columnNames: try columnNames(), timeUnit: timeUnit)
  }

  private func columnNames() throws -> [ColumnRole: String] {
    var names: [ColumnRole: String] = [:]
    let pairs = try columns.map {
      try NameList.names(in: $0, of: "--columns", example: "size=bytes")
    }
    for pair in pairs ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1)
      let known = ColumnRole.allCases.map(\.rawValue)
      guard let first = parts.first, let role = ColumnRole(rawValue: String(first)) else {
        let suggestion = Suggestion.text(for: String(parts.first ?? ""), among: known)
        throw CommandFailure(.input, "--columns: no column means \"\(pair)\"; \(suggestion)")
      }
      guard parts.count == 2 else {
        throw CommandFailure(
          .input, "--columns: \"\(pair)\" names no column; write \(role.rawValue)=NAME")
      }
      guard names.updateValue(String(parts[1]), forKey: role) == nil else {
        throw CommandFailure(.input, "--columns: \(role.rawValue) is given twice; give it once")
      }
    }
    return names
  }
}

extension TimeUnit: ExpressibleByArgument {}
