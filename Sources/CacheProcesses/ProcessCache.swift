import CacheModel
package import CacheSimulation
import Text
package import Workloads

/// A cache in its own process, connected by the line protocol.
package final class ProcessCache: CacheUnderTest {
  private let process: LineProcess
  private var lines: TurnLines
  private let limits: CacheLimits
  private let pace: TurnPace?
  private let start = ContinuousClock.now
  package let features: Set<CacheFeature>
  package let claim: String?
  private var lastTurn = (number: 0, at: Instant.zero)
  private var hasEnded = false

  /// Starts it, and waits for its hello message.
  ///
  /// Turns are counted in `pace`.
  package init(
    _ command: CacheCommand, for workload: PreparedWorkload, _ launch: CacheLaunch,
    limits: CacheLimits = CacheLimits(), pace: TurnPace? = nil
  ) throws(CacheFault) {
    self.limits = limits
    self.pace = pace
    var lines = workload.lines
    lines.hasUnknownMembers = launch.hasUnknownMembers
    self.lines = lines
    process = try LineProcess(command: command.command, limits: limits)
    let deadline = ContinuousClock.now.advanced(by: .seconds(limits.startSeconds))
    do throws(CacheFault) {
      try process.tell(lines.hello(launch), by: deadline)
      guard
        case .hello(let name, let version, let features) = try ReplyLine(
          try process.line(by: deadline))
      else {
        throw CacheFault(.unknownMessage, "hello comes first")
      }
      self.features = features
      claim = "\(name) \(version)".excerpt
    } catch {
      process.end()
      switch error.kind {
      case .silent: throw CacheFault(.silentAtStart, error.detail)
      case .ended where process.isWithoutProgram: throw CacheFault(.notStarted, error.detail)
      default: throw error
      }
    }
  }

  package func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer {
    lastTurn = (turn.number, turn.at)
    let deadline = ContinuousClock.now.advanced(by: .seconds(limits.turnSeconds))
    try process.tell(lines.line(turn), by: deadline)
    var answer = TurnAnswer()
    for _ in 0..<limits.linesPerTurn {
      let line = try ReplyLine(try process.line(by: deadline))
      switch line {
      case .reply(let reply): answer.replies.append(reply)
      case .remark: continue
      case .hello: throw CacheFault(.unknownMessage, "a second hello")
      case .done(let number, let wake):
        guard number == turn.number else {
          throw CacheFault(.wrongTurn, "\(number), expected \(turn.number)")
        }
        answer.wake = wake
        return answer
      }
    }
    throw CacheFault(.tooManyLines, "\(limits.linesPerTurn)")
  }

  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    pace?.add(turns: lastTurn.number, seconds: start.duration(to: .now) / .seconds(1))
    // It may write to its own files; that is not waited for.
    let deadline = ContinuousClock.now.advanced(by: .milliseconds(100))
    try? process.send(lines.end(turn: lastTurn.number + 1, at: lastTurn.at), by: deadline)
    process.end()
  }
}

/// The lines for all processes of one workload, prepared once.
package struct PreparedWorkload: Sendable {
  let lines: TurnLines

  package init(_ workload: Workload) { lines = TurnLines(workload) }
}

extension LineProcess {
  /// Sends a line, if the process still accepts it.
  ///
  /// If it has ended, its last output is read next and explains more than the end itself.
  fileprivate func tell(
    _ line: [UInt8], by deadline: ContinuousClock.Instant
  ) throws(CacheFault) {
    do throws(CacheFault) {
      try send(line, by: deadline)
    } catch {
      guard error.kind == .ended else { throw error }
    }
  }
}

extension PreparedWorkload {
  /// Returns the input of a process as lines: `COMMAND < turns.jsonl` repeats it without this program.
  package func transcript(
    _ launch: CacheLaunch, _ turns: [CacheTurn], isEnded: Bool
  ) -> [UInt8] {
    var lines = lines
    lines.hasUnknownMembers = launch.hasUnknownMembers
    var bytes = lines.hello(launch)
    for turn in turns { bytes += lines.line(turn) }
    guard isEnded else { return bytes }
    let last = turns.last
    return bytes + lines.end(turn: (last?.number ?? 0) + 1, at: last?.at ?? .zero)
  }
}

/// Numbers the versions that a cache may receive, so that later versions of an object are greater.
///
/// A version in the history of a workload is numbered by its position among all. If users write, the server
/// creates versions, each later than all that it has written by then: these are numbered after the version of
/// the history that they follow.
struct VersionOrder: Sendable {
  /// Sorted, without duplicates.
  private let versions: [Version]
  private let ranks: [Version: Int]
  /// The difference between the numbers of two neighbours of the history.
  private let step: Int

  init(of workload: Workload) {
    var versions = workload.catalog.revisions.map(\.version)
    versions += workload.mutations.map(\.version)
    versions.sort()
    var ranks: [Version: Int] = [:]
    var distinct: [Version] = []
    for version in versions where ranks[version] == nil {
      ranks[version] = ranks.count
      distinct.append(version)
    }
    self.versions = distinct
    self.ranks = ranks
    step = workload.writes.isEmpty ? 1 : 1 << 20
  }

  /// Returns a version's number; O(1) for versions of the history, otherwise O(log n).
  func number(of version: Version) -> Int {
    if let rank = ranks[version] { return rank * step }
    guard step > 1 else { return 0 }
    var (low, high) = (0, versions.count)
    while low < high {
      let middle = (low + high) / 2
      if versions[middle] < version { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    let behind = version.clock - versions[low - 1].clock
    // At most as many steps of the clock as there were writes.
    return (low - 1) * step + 1 + Int(min(behind, UInt64(step - 2)))
  }
}

/// The texts of rows that were written before, by state.
struct WrittenRows: Sendable {
  /// All texts, one after another.
  private var bytes: [UInt8] = []
  /// The range of each state's text; empty if it was not written.
  private var places: [Range<Int>] = []

  /// The maximum bytes kept.
  private static let mostBytes = 64 << 20

  subscript(state: UInt32) -> ArraySlice<UInt8>? {
    get {
      guard Int(state) < places.count, case let place = places[Int(state)], !place.isEmpty else {
        return nil
      }
      return bytes[place]
    }
    set {
      guard let newValue, bytes.count < Self.mostBytes else { return }
      if Int(state) >= places.count {
        let missing = max(Int(state) + 1, 2 * places.count) - places.count
        places.append(contentsOf: repeatElement(0..<0, count: missing))
      }
      places[Int(state)] = bytes.count..<bytes.count + newValue.count
      bytes.append(contentsOf: newValue)
    }
  }
}
