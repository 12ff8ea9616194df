import CommandLineInterface
import Text

/// One part of a sweep: consecutive runs, so that each shard generates few workloads.
struct SweepShard: Hashable, Sendable {
  /// From 1.
  let number: Int
  let count: Int

  /// The maximum number of tasks of a job array.
  static let most = 100_000

  init(_ number: Int, of count: Int, named option: String) throws(CommandFailure) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else {
      throw CommandFailure(
        .input, "\(option): there is no shard \(number) of \(count); write for example --shard 2/8")
    }
    self.number = number
    self.count = count
  }

  /// Parses `I/N`.
  init(_ text: String) throws(CommandFailure) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]) else {
      throw CommandFailure(.input, "--shard \(text): write for example --shard 2/8")
    }
    try self.init(number, of: count, named: "--shard \(text)")
  }

  /// The variables in which job schedulers number their tasks, and the offset to count from 1.
  private static let variables: [(name: String, offset: Int)] = [
    ("SLURM_ARRAY_TASK_ID", 0), ("JOB_COMPLETION_INDEX", 1), ("PARALLEL_SEQ", 0),
  ]

  /// Creates the shard of the current task.
  init(of count: Int, in environment: [String: String]) throws(CommandFailure) {
    let found = Self.variables.filter { environment[$0.name] != nil }
    let names = Self.variables.map(\.name)
    guard let variable = found.first, found.count == 1 else {
      throw CommandFailure(
        .input,
        found.isEmpty
          ? "no shard: give --shard I/N, or run with --shards N under an engine that sets one of "
            + names.joined(separator: ", ")
          : "two engines number this task: \(found.map(\.name).joined(separator: ", ")); give "
            + "--shard I/N")
    }
    guard let number = environment[variable.name].flatMap({ Int($0) }) else {
      throw CommandFailure(.input, "\(variable.name) is not a whole number; give --shard I/N")
    }
    try self.init(
      number + variable.offset, of: count,
      named: "\(variable.name)=\(number) with --shards \(count)")
  }

  /// Returns its part of this many runs; parts differ by at most one.
  func range(of runs: Int) -> Range<Int> {
    runs * (number - 1) / count..<runs * number / count
  }

  var fileName: String { "shard-\(number)-of-\(count).jsonl" }
}

/// The file of a shard: a header, then its runs in order.
struct ShardFile: Sendable {
  let name: String
  let plan: String
  let shard: SweepShard
  let entries: [StudyJournal.Entry]

  private static let format = "tidemark shard 1"
  private static let byteLimit = 1 << 31

  init(name: String, plan: String, shard: SweepShard, entries: [StudyJournal.Entry]) {
    self.name = name
    self.plan = plan
    self.shard = shard
    self.entries = entries
  }

  func bytes() throws -> [UInt8] {
    var writer = JSONWriter()
    writer.line {
      $0.member("format", Self.format)
      $0.member("plan", plan)
      $0.member("shard", shard.number)
      $0.member("of", shard.count)
      $0.member("runs", entries.count)
    }
    var bytes = writer.bytes
    var columns: [[RunRecord.Column]] = []
    for entry in entries { bytes += try StudyJournal.lines(of: entry, columns: &columns) }
    return bytes
  }

  init(path: String, name: String) throws {
    let bytes = try InputFile.read(path, limit: Self.byteLimit)
    func refusal(_ line: Int, _ cause: String) -> CommandFailure {
      CommandFailure(.data, "\(name):\(line): \(cause); remove the file, and run its shard again")
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first, let head = try? JSONParser.parse(first),
      head["format"]?.text == Self.format, let plan = head["plan"]?.text,
      let place = head["shard"]?.count, let count = head["of"]?.count,
      let runs = head["runs"]?.count,
      let shard = try? SweepShard(place, of: count, named: name)
    else { throw refusal(1, "this is not a shard") }
    var columns: [[RunRecord.Column]] = []
    var entries: [StudyJournal.Entry] = []
    for (index, line) in lines.dropFirst().enumerated() {
      do {
        if let entry = try StudyJournal.read(line, columns: &columns) { entries.append(entry) }
      } catch {
        throw refusal(index + 2, "\(error)")
      }
    }
    guard entries.count == runs, bytes.last == UInt8(ascii: "\n") else {
      throw refusal(lines.count, "has \(entries.count) of \(runs) runs: it was cut off")
    }
    self.init(name: name, plan: plan, shard: shard, entries: entries)
  }
}
