import CommandLineInterface
import Foundation
import Processes
import Reporting
import ResultModel

/// The instructions of each operation, counted by callgrind.
///
/// Each has its own process, which prepares, repeats the operation a few times, and then enables counting.
struct OperationCounts {
  /// The executable with the operations, of either build.
  var executable: URL

  /// Callgrind takes about fifty times as long.
  private static let deadline = Duration.seconds(900)

  /// Returns whether callgrind is available.
  static func isPossible() async -> Bool {
    let run = ProcessRun(tool: "valgrind", ["--version"], deadline: .seconds(60))
    return (try? await run.output()) != nil
  }

  /// Returns one row for each operation, counted in parallel on all cores.
  func rows(progress: ProgressLine) async throws -> [ResultRow] {
    let folder = TemporaryFolder(for: "counts")
    try folder.make()
    defer { folder.remove() }
    let stripped = try await strippedExecutable(in: folder)
    let operations = HotOperation.allCases
    var totals = [Int64](repeating: 0, count: operations.count)
    try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
      var next = 0
      func start() {
        guard next < operations.count else { return }
        let index = next
        next += 1
        group.addTask { (index, try await fewestInstructions(of: operations[index], stripped)) }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { start() }
      while let (index, total) = try await group.next() {
        totals[index] = total
        progress.report("counting instructions: \(operations[index].rawValue)")
        start()
      }
    }
    return zip(operations, totals).map { operation, total in
      Self.row(operation, .real(Double(total) / Double(operation.counted)))
    }
  }

  /// The same rows without values.
  static var unmeasured: [ResultRow] { HotOperation.allCases.map { row($0, nil) } }

  private static func row(_ operation: HotOperation, _ value: MetricValue?) -> ResultRow {
    ResultRow(
      scenario: HotOperation.scenario, policy: "", seed: 1, class: operation.class,
      metric: operation.instructions, value: value, sampleCount: operation.counted)
  }

  /// Returns a copy without debug information, some of which valgrind cannot read.
  private func strippedExecutable(in folder: TemporaryFolder) async throws -> URL {
    let copy = folder.url.appendingPathComponent(executable.lastPathComponent)
    let run = ProcessRun(
      tool: "strip", ["--strip-debug", "-o", copy.path, executable.path], deadline: .seconds(120))
    let end = try await run.end()
    guard end.cause == .exit(0) else {
      throw failure("strip ended with \(end.cause)", end)
    }
    return copy
  }

  /// The number of processes that count one operation.
  ///
  /// Tasks fill a dictionary in varying order, and a key farther from its slot costs a few more steps: up to
  /// 0.15 % of an event.
  private static let processes = 5

  private func fewestInstructions(
    of operation: HotOperation, _ executable: URL
  ) async throws -> Int64 {
    var fewest = Int64.max
    for _ in 0..<Self.processes {
      fewest = min(fewest, try await instructions(of: operation, executable))
    }
    return fewest
  }

  private func instructions(of operation: HotOperation, _ executable: URL) async throws -> Int64 {
    var run = ProcessRun(
      tool: "valgrind",
      [
        "--tool=callgrind", "--callgrind-out-file=/dev/null", "--instr-atstart=no",
        executable.path, "perform", operation.rawValue, "\(operation.counted)",
      ], deadline: Self.deadline)
    run.addedVariables = [
      // Otherwise tables of the standard library are seeded randomly,
      "SWIFT_DETERMINISTIC_HASHING": "1",
      // tasks run on any free thread,
      "LIBDISPATCH_COOPERATIVE_POOL_STRICT": "1",
      // and the allocator gives pages back as time passes; without thread caches, as memory is counted, it would
      // take a third of a user's change, and more or less by some hundredths in each process.
      "MALLOC_CONF": "tcache:true,dirty_decay_ms:-1,muzzy_decay_ms:-1",
    ]
    let end = try await run.end()
    guard end.cause == .exit(0) else {
      throw failure("\(operation.rawValue) ended with \(end.cause)", end)
    }
    guard end.output.hasPrefix("counted ") else {
      throw failure("it was built without valgrind/callgrind.h; install valgrind, build again", end)
    }
    // As in `==12== Collected : 34567`.
    let line = end.complaint.split(separator: "\n").last { $0.contains("Collected : ") }
    guard let total = line?.split(separator: " ").last.flatMap({ Int64($0) }), total > 0 else {
      throw failure("callgrind gave no number for \(operation.rawValue)", end)
    }
    return total
  }

  private func failure(_ cause: String, _ end: ProcessEnd) -> CommandFailure {
    let last = end.complaint.split(separator: "\n").suffix(3).joined(separator: "; ")
    return CommandFailure(
      .data,
      "counting instructions: \(cause)" + (last.isEmpty ? "" : " (\(last))")
        + "; --skip instructions leaves them out")
  }
}

/// The conditions of counts besides the sources: with the same ones, the same build has the same counts.
struct CountConditions: Hashable {
  var facts: [Manifest.Fact]

  /// Returns the conditions of this machine; unknown ones are omitted.
  static func current() async -> CountConditions {
    var facts: [Manifest.Fact] = []
    func ask(_ name: String, _ tool: String, _ arguments: String...) async {
      let run = ProcessRun(tool: tool, arguments, deadline: .seconds(60))
      guard let output = try? await run.output(),
        let line = output.split(separator: "\n").first(where: { !$0.isEmpty })
      else { return }
      facts.append(Manifest.Fact(name, String(line)))
    }
    await ask("swift", "swift", "--version")
    await ask("c_library", "getconf", "GNU_LIBC_VERSION")
    await ask("valgrind", "valgrind", "--version")
    await ask("architecture", "uname", "-m")
    if let allocator = try? await MemoryRun().allocator() {
      facts.append(Manifest.Fact("allocator", allocator))
    }
    // The C library selects its fastest routines by it.
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let flags = processor.split(separator: "\n").first { $0.hasPrefix("flags") }
    let extensions = (flags ?? "").split(separator: " ").filter { ["avx", "avx2"].contains($0) }
    facts.append(Manifest.Fact("vector_extensions", extensions.joined(separator: " ")))
    return CountConditions(facts: facts)
  }

  static let names: Set = [
    "swift", "c_library", "valgrind", "architecture", "allocator", "vector_extensions",
  ]

  func differences(from others: CountConditions) -> [String] {
    facts.compactMap { fact in
      let other = others.facts.first { $0.name == fact.name }?.value
      return other == fact.value
        ? nil : "\(fact.name) was \(other ?? "not known"), is \(fact.value)"
    }
  }
}
