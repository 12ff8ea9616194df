import CacheModel
import CacheSimulation
import Workloads

/// Runs one case over one cache, a step at a time.
struct ConformanceRun {
  typealias List = ConformanceWorld.List

  let test: ConformanceCase
  /// With what the process was started that is told turns now.
  private(set) var launch: CacheLaunch
  private(set) var recorder: RecordingCache
  /// The lists that it has asked for.
  var asked: Set<Int> = []
  private let outliving = OutlivingState(of: ConformanceWorld.workload, client: 0)
  private let simulation: Simulation
  var cache: ExternalCacheDriver
  var server = ConformanceServer()
  var now = Instant.zero.advanced(by: .seconds(1))
  var isUp = true
  private var isHeld = false
  var isRefusing = false
  /// Requests that the server has read and not answered, the first that is due first.
  var pending: [Pending] = []
  /// The replies that were looked at, as a count of turns.
  var seen = 0
  var reads: [Read] = []
  /// By list: what its views were told since that was last looked at; `nil`: nothing.
  var told: [[Int]?] = Self.nothing
  /// By list: what its views show; `nil`: nothing yet, or there are none.
  var shown: [[Int]?] = Self.nothing
  /// The lists whose views were told what they showed: that is found once.
  var repeated: Set<Int> = []
  var findings: [ConformanceResult.Finding] = []
  /// What the cache has not, since it did better in this case.
  var betterThan: Set<ConformanceStep.Habit> = []
  /// By what was read: the latest version served of each object.
  var latest: [CacheReply.Target: [Int: Int]] = [:]

  /// What was written, by its token.
  var written: [UInt32: ConformanceStep.Commit] = [:]
  /// The client's number of what a write creates, by its token.
  var clientNumbers: [UInt32: UInt32] = [:]
  /// The client's numbers of what has one of the server's.
  var replacedNumbers: Set<Int> = []

  struct Pending {
    var answer: Answer
    var due: Instant

    enum Answer {
      case response(Int, CacheTurn.Response)
      case write(UInt32, CacheTurn.Answer)
    }
  }

  struct Read {
    var turn: Int
    var target: CacheReply.Target
    var at: Instant
    /// Whether a view waits for it.
    var isOfView = false
    var answeredAt: Instant?
    var came = Came.none
    var isJudged = false
  }

  /// The answer of a read, as versions.
  enum Came: Equatable {
    case kept([Int])
    case asked([Int])
    case failed
    case none
  }

  private static let nothing: [[Int]?] = Array(repeating: nil, count: List.allCases.count)
  static let roundTrip = Duration.milliseconds(20)
  /// No case has so many of its own.
  private static let mostTurns = 20_000
  private static let mostRequestsInARow = 200

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

  /// Whether nothing more can be asked of the cache.
  var isOver: Bool { cache.fault != nil || recorder.turns.count > Self.mostTurns }

  /// Carries out the steps; `start` begins the next process, where one ends in the case.
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

  /// The process ends, and with it all that it waited for; another begins with what it had stored.
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
        cache.tell(asTold(event), at: now)
        collect()
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

  mutating func tell(_ input: CacheTurn.Input) {
    guard !isOver else { return }
    cache.take(input, at: now)
    collect()
  }

  mutating func read(_ target: CacheReply.Target, _ input: CacheTurn.Input) {
    guard !isOver else { return }
    var read = Read(turn: cache.turn + 1, target: target, at: now)
    if case .observe = input { read.isOfView = true }
    reads.append(read)
    _ = cache.ask(target, input, at: now)
    collect()
  }

  private mutating func write(
    _ commit: ConformanceStep.Commit, _ manner: ConformanceStep.Manner
  ) {
    guard !isOver, let state = commit.state else { return }
    let token = UInt32(written.count + 1)
    let object = ConformanceWorld.object(of: state)
    let isThere = server.current[Int(object)] != nil
    // What the server has no number for has the client's.
    let ownNumber = cache.created.first { $0.value == object && !isThere }?.key
    let edit: CacheTurn.Edit
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
    let write = CacheTurn.Write(
      token: token, edits: manner == .shownWhenConfirmed ? [] : [edit],
      isSentOnce: manner == .sentOnce)
    cache.take(write, at: now)
    collect()
  }

  private mutating func readAndJudge(
    _ target: CacheReply.Target, _ input: CacheTurn.Input, _ right: [ConformanceStep.Answer],
    _ poorer: [ConformanceStep.Poorer]
  ) {
    read(target, input)
    settle()
    if !isOver { judge(reads.count - 1, right, poorer) }
  }

  // MARK: Time

  /// Lets time pass, with the wakes that are due.
  private mutating func move(to instant: Instant) {
    while !isOver, let due = cache.wake, due <= instant {
      now = max(now, due)
      cache.advance(to: now)
      collect()
    }
    now = max(now, instant)
    // Reads without an answer are given up.
    if !isOver { cache.advance(to: now) }
    collect()
  }

  /// Lets the server answer all that it is asked, with the time that takes.
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

  mutating func wait(_ time: Duration) {
    let end = now.advanced(by: time)
    while !isOver, now < end {
      let next = [cache.wake, isHeld ? nil : pending.first?.due].compactMap(\.self).min()
      move(to: min(end, max(now, next ?? end)))
      settle()
    }
  }

  private mutating func answerFirst(with other: CacheTurn.Response?) {
    guard !isOver, !pending.isEmpty else { return }
    switch pending.removeFirst().answer {
    case .response(let id, let answer):
      let served = isRefusing ? .refused : other ?? answer
      cache.tell(isUp ? served : .unreachable, to: id, at: now)
    case .write(let token, let answer):
      finish(token, isUp && other == nil ? answer : .unreachable)
    }
    collect()
  }

  private mutating func finish(_ token: UInt32, _ answer: CacheTurn.Answer) {
    if case .confirmed(let confirmation) = answer {
      replacedNumbers.formUnion(confirmation.keys.map { Int($0.client) })
    } else {
      // What is taken back shows as it was before.
      latest = [:]
    }
    cache.tell(answer, toWrite: token, at: now)
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
