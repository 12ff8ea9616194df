import Dispatch
import NormalizedCache
import SessionRecorder

/// What it costs to watch a cache, each against a cache that nobody watches, in one process and in turns; and
/// a million reads from many tasks, whose outcomes sum to the reads.
///
/// `swift run -c release --traits Harness Overhead`. For a profiler it repeats one operation:
/// `Overhead count nothing|bare|recorded event|message|read 1000`, where an event is one that is
/// decoded already, a message one that is not, and `nothing` is what it takes to make them.
/// `Documentation/Profiling/Recorder/count.sh` counts instructions by it.
@main
struct Overhead {
  static func main() {
    // Valgrind does not survive a main thread that ends before the others.
    let isOver = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await run() } catch { print(error) }
      isOver.signal()
    }
    isOver.wait()
  }

  private static func run() async throws {
    switch CommandLine.arguments.dropFirst().first {
    case "count": try await count(Array(CommandLine.arguments.dropFirst(2)))
    case "stress": try await stress()
    default:
      try await compare("recorder", try await Board(isRecorded: true))
      try await compare("instrument", try await Board(instrument: Counter()))
      try await compare("nothing", try await Board())
      try await stress()
    }
  }

  private static func count(_ arguments: [String]) async throws {
    guard arguments.count == 3, let count = Int(arguments[2]) else {
      return print("usage: Overhead count nothing|bare|recorded event|message|read COUNT")
    }
    let board = try await Board(isRecorded: arguments[0] == "recorded")
    let isDone = arguments[0] != "nothing"
    // In blocks, as they are compared.
    for _ in 0..<(count + 399) / 400 {
      switch arguments[1] {
      case "event":
        let events = await board.events(400)
        if isDone { await board.receive(events) }
      case "message":
        let messages = try await board.messages(400)
        if isDone { try await board.receive(messages) }
      default: if isDone { try await board.read(400) }
      }
    }
    await board.end()
  }

  /// Prints the time of an event and of a read with and without a watcher: medians of blocks in turns.
  private static func compare(_ name: String, _ watched: Board) async throws {
    let boards = [try await Board(), watched]
    var events: [[Double]] = [[], []]
    var messages: [[Double]] = [[], []]
    var reads: [[Double]] = [[], []]
    for board in boards { await board.receive(await board.events(20_000)) }
    for round in 0..<300 {
      for turn in 0..<2 {
        let place = (round + turn) % 2
        let board = boards[place]
        events[place].append(await board.receive(await board.events(400)))
        messages[place].append(try await board.receive(try await board.messages(400)))
        reads[place].append(try await board.read(400))
      }
    }
    for (word, times) in [
      ("event", events), ("event from JSON", messages), ("read of 50 rows", reads),
    ] {
      let ratios = zip(times[0], times[1]).map { $1 / $0 }.sorted()
      let (bare, with) = (times[0].sorted()[150], times[1].sorted()[150])
      print(
        "\(name), \(word): \(nanoseconds(bare)) without, \(nanoseconds(with)) with;",
        "ratio \(thousandths(ratios[150])), quartiles \(thousandths(ratios[75]))",
        "to \(thousandths(ratios[225]))")
    }
    for board in boards { await board.end() }
  }

  private static func nanoseconds(_ time: Double) -> String { "\(Int(time.rounded())) ns" }
  private static func thousandths(_ ratio: Double) -> Double { (ratio * 1_000).rounded() / 1_000 }

  private static func stress() async throws {
    let board = try await Board()
    let (tasks, each) = (50, 20_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for number in 0..<each { try await board.readAny(task &* 7_919 &+ number &* 104_729) }
        }
      }
      for _ in 0..<10 { await board.receive(await board.events(200)) }
      try await group.waitForAll()
    }
    let total = await board.cache.readStatistics.total
    let outcomes = ReadOutcome.allCases.map { "\($0) \(total[$0])" }.joined(separator: ", ")
    let sum = ReadOutcome.allCases.reduce(0) { $0 + total[$1] }
    let reads = await board.cache.statistics.reads
    print("stress: \(reads) reads, whose outcomes sum to \(sum): \(outcomes)")
    precondition(reads == sum && reads >= tasks * each, "outcomes do not sum to reads")
  }
}

/// The least work of an instrument.
final class Counter: CacheInstrument {}
