import CacheModel
package import CacheSimulation
import Text
package import Workloads

/// A cache in a process of its own, that speaks the line protocol.
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

  /// Starts it, and waits for its hello.
  ///
  /// Turns are counted in `pace`.
  ///
  /// - Throws: ``CacheFault`` where it does not start, or says something else.
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
    // It may write what it likes to its own files; no one waits for that.
    let deadline = ContinuousClock.now.advanced(by: .milliseconds(100))
    try? process.send(lines.end(turn: lastTurn.number + 1, at: lastTurn.at), by: deadline)
    process.end()
  }
}

/// What all processes of one workload are told alike, prepared once.
package struct PreparedWorkload: Sendable {
  let lines: TurnLines

  package init(_ workload: Workload) { lines = TurnLines(workload) }
}

extension LineProcess {
  /// Sends a line, if there is still somebody to take it.
  ///
  /// Where the process has ended, what it said last is read next and tells more than that it ended.
  ///
  /// - Throws: ``CacheFault`` where it does not take the line in time.
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
