import ArgumentParser
import Foundation
import TraceReplay

/// A trace on the command line: where it is, its form, and how its columns are found.
struct TraceInput: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The form of the trace; `tidemark list formats` describes each.", valueName: "NAME"))
  var traceFormat: String?

  @OptionGroup var columns: TraceColumnOptions

  @Option(
    help: ArgumentHelp(
      "The most memory for the trace; default: three quarters of what is available.",
      valueName: "8GiB"))
  var memoryLimit: String?

  /// - Throws: ``CommandFailure`` for a format that there is not.
  func format() throws -> TraceFormat {
    guard let traceFormat else {
      throw CommandFailure(
        .input, "the form of the trace is needed: --trace-format NAME; see tidemark list formats")
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

  /// What the options say about reading, and how much memory it may take.
  func readingOptions() throws -> ReadingOptions {
    var options = try columns.readingOptions(of: try traceFormat.map { try Self.format(named: $0) })
    options.limits.memoryBytes = AvailableMemory.bytes / 4 * 3
    if let memoryLimit {
      guard case .bytes(let bytes)? = try? CapacityRequest(memoryLimit) else {
        throw CommandFailure(
          .input, "--memory-limit: '\(memoryLimit)' is no size; write for example 8GiB")
      }
      options.limits.memoryBytes = bytes
    }
    return options
  }

  /// What results call a trace.
  static func title(of path: String) -> String {
    path == InputFile.standardInput ? "stdin" : URL(fileURLWithPath: path).lastPathComponent
  }

  /// Reads and numbers a whole trace.
  ///
  /// - Throws: ``CommandFailure`` with the path, the place in it, the cause and the remedy.
  static func read(
    _ path: String, format: TraceFormat, options: ReadingOptions
  ) throws -> InternedTrace {
    var reader = TraceReader(format: format, name: title(of: path), options: options)
    do {
      if let size = InputFile.size(of: path) { try reader.expect(bytes: size) }
      try InputFile.forEachSpan(of: path) { try reader.consume($0) }
      return try reader.finish()
    } catch let error as TraceError {
      throw CommandFailure(.input, "\(path): \(error)")
    }
  }
}

/// How the columns of a trace are found and read.
struct TraceColumnOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Names of the columns of a csv trace where they are not the usual ones: key, operation, size, \
      ttl, time.
      """, valueName: "size=bytes,time=ts"))
  var columns: String?

  @Option(help: "The unit of time and ttl in traces with columns: s, ms, us or ns.")
  var timeUnit: TimeUnit = .seconds

  /// What the options say about reading a trace of one form.
  ///
  /// - Throws: ``CommandFailure``, also where the form has no columns to be named.
  func readingOptions(of format: TraceFormat?) throws -> ReadingOptions {
    if columns != nil, let format, !format.namesColumns {
      throw CommandFailure(
        .input,
        "--columns: a trace of the form '\(format.name)' has no columns with names; leave it away")
    }
    return ReadingOptions(columnNames: try columnNames(), timeUnit: timeUnit)
  }

  private func columnNames() throws -> [ColumnRole: String] {
    var names: [ColumnRole: String] = [:]
    for pair in columns?.split(separator: ",") ?? [] {
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
      names[role] = String(parts[1])
    }
    return names
  }
}

extension TimeUnit: ExpressibleByArgument {}

/// A duration on the command line: `300s`, `1ms`.
enum DurationText {
  /// Nanoseconds, above 0.
  static func nanoseconds(_ text: String, option: String) throws -> Int64 {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units: [(String, Int64)] = [
      ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
      ("min", 60_000_000_000), ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
    ]
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let number = Int64(digits), let scale = units.first(where: { $0.0 == unit })?.1 else {
      throw CommandFailure(
        .input, "\(option): '\(text)' is not a duration; write for example 300s, 5min or 2ms")
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: scale)
    guard !overflow, product > 0 else {
      throw CommandFailure(
        .input, "\(option): '\(text)' is out of range; it is above 0 and below 292 years")
    }
    return product
  }
}
