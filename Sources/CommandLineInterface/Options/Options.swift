package import ArgumentParser
package import CacheProcesses
package import Reporting
package import ResultModel
import Text
import Workloads

package enum ResultFormat: String, ExpressibleByArgument, CaseIterable {
  case csv, json, table
}

/// `--policies a,b`: names separated by commas.
package struct PolicyNames: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run these policies, separated by commas; default: the scenario's own list.",
      valueName: "a,b"),
    completion: Completions.policies)
  package var policies: String?

  package init() {}

  /// Returns the names; none if the option was omitted.
  ///
  /// - Throws: ``CommandFailure`` for an empty list, as from a script's unset variable.
  package func names() throws(CommandFailure) -> [String] {
    try policies.map { text throws(CommandFailure) in try Self.list(text) } ?? []
  }

  /// Returns the names of a list, without duplicates.
  ///
  /// - Throws: ``CommandFailure`` for an empty list.
  package static func list(_ text: String) throws(CommandFailure) -> [String] {
    let names = try NameList.names(in: text, of: "--policies", example: "lru,ttl")
    return names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
  }
}

/// Names separated by commas, at least one.
package enum NameList {
  /// - Throws: ``CommandFailure`` for an empty list, as from a script's unset variable.
  package static func names(
    in text: String, of option: String, example: String
  ) throws(CommandFailure) -> [String] {
    let names = text.split(separator: ",").map(String.init)
    guard !names.isEmpty else {
      throw CommandFailure(
        .input, "\(option) is empty; write for example \(option) \(example), or omit it")
    }
    return names
  }
}

package struct ResultOutput: ParsableArguments {
  @Option(help: "Write csv (tidy: one value a row), json or table.")
  package var format: ResultFormat = .table

  @Option(help: ArgumentHelp("Write to this file, or - for standard output.", valueName: "FILE"))
  package var output = "-"

  package init() {}

  /// Writes rows in the requested format; `table` is evaluated only if needed.
  package func write(
    _ rows: [ResultRow], added: AddedColumns? = nil, table: () -> String
  ) throws {
    let bytes =
      switch format {
      case .csv: try TidyTable.csv(rows, added: added)
      case .json: try ResultRowsJSON.array(rows, added: added)
      case .table: Console.legible(table())
      }
    try OutputFile.write(bytes, to: output)
  }
}

/// The destination and format of a table with a command's own columns.
package struct TableOutput: ParsableArguments {
  @Option(help: "Write in this format.")
  package var format: ResultFormat = .table

  @Option(help: ArgumentHelp("Write to this file, or - for standard output.", valueName: "FILE"))
  package var output = "-"

  package init() {}
}

package enum Suggestion {
  /// Of a long list a command says all, if there is one.
  package static func text(
    for name: String, among known: [String], listedBy command: String? = nil
  ) -> String {
    let isLong = known.count > mostListed
    let all = "known: \(known.joined(separator: ", "))"
    guard let nearest = NearestName.suggestion(for: name, among: known) else {
      return isLong ? command.map { "`\($0)` names all" } ?? all : all
    }
    return "did you mean \"\(nearest)\"?" + (isLong ? "" : " \(all)")
  }

  /// The maximum length of a list shown next to a suggestion.
  private static let mostListed = 12
}

package struct ListOutput: ParsableArguments {
  package enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, markdown
  }

  @Option(help: "Write in this format: json for scripts, markdown for documents.")
  package var format: Format = .table

  package init() {}

  /// Writes a table of texts: as it is, or as one object for each row.
  package func write(columns: [String], rows: [[String]]) throws {
    var table = TextTable(columns: columns.map { TextTable.Column($0) })
    for row in rows { table.append(row) }
    switch format {
    case .table: try Console.write(table.terminal(style: Console.style))
    case .markdown: try Console.write(Array(table.markdown().utf8))
    case .json:
      let objects = rows.map { row in
        JSONValue.object(zip(columns, row).map { JSONMember($0, .string($1)) })
      }
      try Console.write(JSONWriter.document(.array(objects)))
    }
  }
}

extension Inspection {
  package func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv: try csv()
    case .json: try json()
    case .table: Console.legible(text(style: Console.style))
    }
  }
}

/// The options for a process's limits, if they differ from the defaults.
package struct CacheLimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Limit the time of an external cache's start; default: 30s.", valueName: "TIME"))
  package var cacheStart: String?

  @Option(
    help: ArgumentHelp(
      "Limit the time of a turn, from its line to `done`; default: 10s.", valueName: "TIME"))
  package var cacheTurn: String?

  @Option(
    help: ArgumentHelp(
      "Limit the resident memory of an external cache; default: 4GiB.", valueName: "SIZE"))
  package var cacheMemory: String?

  package init() {}

  package func limits() throws -> CacheLimits {
    var limits = CacheLimits()
    if let cacheStart {
      limits.startSeconds = try Self.seconds(cacheStart, of: "--cache-start")
    }
    if let cacheTurn { limits.turnSeconds = try Self.seconds(cacheTurn, of: "--cache-turn") }
    if let cacheMemory {
      limits.memoryBytes = Int(
        try Dimension.size.whole(cacheMemory, of: "--cache-memory", in: 1 << 20...1 << 50))
    }
    return limits
  }

  private static func seconds(_ text: String, of option: String) throws -> Double {
    let day: Int64 = 86_400_000_000_000
    return Double(try Dimension.duration.whole(text, of: option, in: 1_000_000...day)) / 1e9
  }
}

extension CacheCommand {
  /// Parses the argument of `--cache`.
  package init(option text: String) throws(CommandFailure) {
    guard let command = CacheCommand(text) else {
      throw CommandFailure(
        .input,
        "--cache takes NAME=COMMAND, not \"\(text)\"; a name has letters, digits, -, _ and .")
    }
    self = command
  }

  /// Checks before anything is run that its program is there.
  package func checkProgram(of owner: String) throws(CommandFailure) {
    guard let program = missingProgram else { return }
    throw CommandFailure(
      .input, "\(owner): `\(program.excerpt)` cannot be started: no such program; check the path")
  }
}
