import CacheModel
import CacheSimulation
import Workloads

/// Runs one case with one cache, step by step.
struct ConformanceRun {
  typealias List = ConformanceWorld.List

  let test: ConformanceCase
  private(set) var launch: CacheLaunch
  private(set) var recorder: RecordingCache
  /// The lists that the cache has requested.
  var asked: Set<Int> = []
  private let outliving = OutlivingState(of: ConformanceWorld.workload, client: 0)
  private let simulation: Simulation
  var cache: ExternalCacheDriver
  var server = ConformanceServer()
  var now = Instant.zero.advanced(by: .seconds(1))
  var isUp = true
  private var isHeld = false
  var isRefusing = false
  /// Requests that the server has read and not answered, by due time.
  var pending: [Pending] = []
  /// The number of turns whose replies have been processed.
  var seen = 0
  var reads: [Read] = []
  /// The last notification of each list's views since the last check; `nil`: none.
  var told: [[Int]?] = Self.nothing
  /// The rows that each list's views show; `nil`: none yet, or there are no views.
  var shown: [[Int]?] = Self.nothing
  /// The lists whose views were notified without a change; reported once.
  var repeated: Set<Int> = []
  var findings: [ConformanceResult.Finding] = []
  /// The poorer habits that the cache has avoided in this case.
  var betterThan: Set<ConformanceStep.Habit> = []
  /// The latest version served of each object, by target.
  var latest: [CacheReply.Target: [Int: Int]] = [:]

  /// The writes by token.
  var written: [UInt32: ConformanceStep.Commit] = [:]
  /// The client's numbers of objects created by writes, by token.
  var clientNumbers: [UInt32: UInt32] = [:]
  /// The client's numbers that server numbers have replaced.
  var replacedNumbers: Set<Int> = []

  struct Pending {
    var answer: CacheOperation
    var due: Instant
  }

  struct Read {
    var turn: Int
    var target: CacheReply.Target
    var at: Instant
    var isOfView = false
    var answeredAt: Instant?
    var came = Came.none
    var isJudged = false
  }

  /// The answer to a read, as versions.
  enum Came: Equatable {
    case kept([Int])
    case asked([Int])
    case failed
    case none
  }

  private static let nothing: [[Int]?] = Array(repeating: nil, count: List.allCases.count)
  static let roundTrip = Duration.milliseconds(20)
  /// More turns than any case has.
  private static let mostTurns = 20_000
  private static let mostRequestsInARow = 200
  private static let mostDelay = Duration.milliseconds(100)

  init(
    _ test: ConformanceCase, _ cache: any CacheUnderTest, _ launch: CacheLaunch,
    _ simulation: Simulation
  ) {
    self.test = test
    self.launch = launch
    self.simulation = simulation
    recorder = RecordingCache(cache)
    self.cache = ExternalCacheDriver(recorder, simulation, outliving)
  }

  /// Whether the cache can no longer be used.
  var isOver: Bool { cache.fault != nil || recorder.turns.count > Self.mostTurns }

  /// Runs the steps; `start` starts the next process after one ends in the case.
  mutating func run(_ start: Start) -> ConformanceResult {
    for step in test.steps where !isOver {
      if case .relaunch = step { relaunch(start) } else { take(step) }
      settle()
    }
    if cache.fault == nil, recorder.turns.count > Self.mostTurns {
      find(
        .fail, "to come to rest", came: "more than \(Self.mostTurns) turns",
        "it wants to be woken, or asks, again and again", .comesToRest)
    }
    cache.end()
    return ConformanceResult(
      test: test, findings: findings, launch: launch, turns: recorder.turns, fault: cache.fault)
  }

  typealias Start = (CacheLaunch) throws(CacheFault) -> any CacheUnderTest

  /// Ends the process with everything that it waited for, and starts another with its stored texts.
  private mutating func relaunch(_ start: Start) {
    move(to: now.advanced(by: .milliseconds(1)))
    guard !isOver else { return }
    cache.end()
    launch.at = now
    launch.stored = outliving.beginProcess(at: now)
    (pending, seen, latest) = ([], 0, [:])
    for index in reads.indices { reads[index].isJudged = true }
    (told, shown) = (Self.nothing, Self.nothing)
    do throws(CacheFault) {
      recorder = RecordingCache(try start(launch))
      cache = ExternalCacheDriver(recorder, simulation, outliving)
      if !isUp { tell(.link(isUp: false)) }
    } catch {
      cache.fault = error
    }
  }

  private mutating func take(_ step: ConformanceStep) {
    move(to: now.advanced(by: .milliseconds(1)))
    switch step {
    case .read(let list, let right, let poorer):
      readAndJudge(.query(list.rawValue), .read(list.rawValue), right, poorer)
    case .observe(let list, let right, let poorer):
      cache.observers[list.rawValue] += 1
      readAndJudge(.query(list.rawValue), .observe(list.rawValue), right, poorer)
    case .unobserve(let list):
      guard cache.observers[list.rawValue] > 0 else { break }
      cache.observers[list.rawValue] -= 1
      if cache.observers[list.rawValue] == 0 { shown[list.rawValue] = nil }
      tell(.unobserve(list.rawValue))
    case .tag(let list): tell(.tag(list.rawValue))
    case .open(let name, let right, let poorer):
      let object = ConformanceWorld.object(of: ConformanceWorld.state(name))
      readAndJudge(.object(object), .open(object), right, poorer)
    case .ask(let list): read(.query(list.rawValue), .read(list.rawValue))
    case .askToOpen(let name):
      let object = ConformanceWorld.object(of: ConformanceWorld.state(name))
      read(.object(object), .open(object))
    case .write(let commit, let manner): write(commit, manner)
    case .commit(let commit): server.commit(commit)
    case .tell(let sequences):
      for sequence in sequences {
        guard !isOver, let event = server.event(sequence) else { continue }
        tell(.event(asTold(event)))
      }
    case .heartbeat: tell(.heartbeat(server.position))
    case .restart: server.restart()
    case .refuse(let isRefusing): self.isRefusing = isRefusing
    case .forget: server.remembers = false
    case .link(let isUp):
      self.isUp = isUp
      tell(.link(isUp: isUp))
    case .hold: isHeld = true
    case .release(let release): self.release(release)
    case .wait(let seconds): wait(.seconds(seconds))
    case .judge(let right, let poorer):
      guard let index = reads.firstIndex(where: { !$0.isJudged }) else { return }
      judge(index, right, poorer)
    case .told(let list, let right, let habit): judgeTold(list, right, habit)
    case .underWay(let right, let poorer, let habit): judgeCount(right, poorer, habit)
    case .carriedOut(let right): judgeCarriedOut(right)
    case .server(let list, let right): judgeServer(list, right)
    case .answered(let habit): judgeAnswered(habit)
    case .freshness(let list): measureFreshness(list)
    case .relaunch: break
    }
  }

  // MARK: Turns

  mutating func tell(_ operation: CacheOperation) {
    guard !isOver else { return }
    cache.perform(operation, at: now)
    collect()
  }

  mutating func read(_ target: CacheReply.Target, _ operation: CacheOperation) {
    guard !isOver else { return }
    var read = Read(turn: cache.turn + 1, target: target, at: now)
    if case .observe = operation { read.isOfView = true }
    reads.append(read)
    tell(operation)
  }

  private mutating func write(
    _ commit: ConformanceStep.Commit, _ manner: ConformanceStep.Manner
  ) {
    guard !isOver, let state = commit.state else { return }
    let token = UInt32(written.count + 1)
    let object = ConformanceWorld.object(of: state)
    let isThere = server.current[Int(object)] != nil
    // An object without a server number has the client's.
    let ownNumber = cache.created.first { $0.value == object && !isThere }?.key
    let edit: CacheOperation.Edit
    if case .delete = commit {
      edit = .delete(object: ownNumber ?? object)
    } else if isThere || ownNumber != nil {
      edit = .change(object: ownNumber ?? object, state: state)
    } else {
      let number = cache.clientNumber(ofWrite: token)
      clientNumbers[token] = number
      edit = .create(object: number, state: state)
    }
    written[token] = commit
    tell(
      .write(
        CacheOperation.Write(
          token: token, edits: manner == .shownWhenConfirmed ? [] : [edit],
          isSentOnce: manner == .sentOnce)))
  }

  private mutating func readAndJudge(
    _ target: CacheReply.Target, _ operation: CacheOperation, _ right: [ConformanceStep.Answer],
    _ poorer: [ConformanceStep.Poorer]
  ) {
    read(target, operation)
    settle()
    awaitTimers()
    if !isOver { judge(reads.count - 1, right, poorer) }
  }

  // MARK: Time

  /// Advances time, with the wake-ups that are due.
  private mutating func move(to instant: Instant) {
    while !isOver, let due = cache.wake, due <= instant {
      now = max(now, due)
      cache.advance(to: now)
      collect()
    }
    now = max(now, instant)
    // Gives up reads without an answer.
    if !isOver { cache.advance(to: now) }
    collect()
  }

  /// Lets the server answer all requests, and advances time accordingly.
  private mutating func settle() {
    var rounds = 0
    while !isHeld, !isOver, let next = pending.first {
      rounds += 1
      guard rounds <= Self.mostRequestsInARow else {
        find(
          .fail, "to come to rest", came: "\(rounds - 1) requests in a row",
          "it asks again at once whatever the answer is", .comesToRest)
        pending = []
        return
      }
      move(to: next.due)
      answerFirst(with: nil)
    }
  }

  /// Lets a cache that answers or asks by a timer do so: it has as long as a user would not notice.
  private mutating func awaitTimers() {
    let end = now.advanced(by: Self.mostDelay)
    while !isOver, !isHeld, let read = reads.last, case .none = read.came,
      let due = cache.wake, due <= end
    {
      move(to: max(now, due))
      settle()
    }
  }

  mutating func wait(_ time: Duration) {
    let end = now.advanced(by: time)
    while !isOver, now < end {
      let next = [cache.wake, isHeld ? nil : pending.first?.due].compactMap(\.self).min()
      move(to: min(end, max(now, next ?? end)))
      settle()
    }
  }

  private mutating func answerFirst(with other: CacheOperation.Response?) {
    guard !isOver, !pending.isEmpty else { return }
    var answer = pending.removeFirst().answer
    switch answer {
    case .response(let id, let response):
      let served = isRefusing ? .refused : other ?? response
      answer = .response(id, isUp ? served : .unreachable)
    case .answer(_, .confirmed(let confirmation)) where isUp && other == nil:
      replacedNumbers.formUnion(confirmation.keys.map { Int($0.client) })
    case .answer(let token, _):
      // A rolled-back change shows the earlier rows.
      latest = [:]
      if !isUp || other != nil { answer = .answer(token, .unreachable) }
    default: break
    }
    tell(answer)
  }

  private mutating func release(_ release: ConformanceStep.Release) {
    isHeld = false
    let held = release == .reversed ? Array(pending.reversed()) : pending
    pending = held
    for _ in held {
      switch release {
      case .inOrder, .reversed: answerFirst(with: nil)
      case .refused: answerFirst(with: .refused)
      case .lost: answerFirst(with: .unreachable)
      }
    }
  }
}
