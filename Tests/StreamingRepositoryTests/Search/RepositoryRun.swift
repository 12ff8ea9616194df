import CacheModel
import StreamingRepository

/// A store that is driven by a program, with a server and a file that are too simple to be wrong.
///
/// Its server and its file are in `RepositoryRun+Server.swift`, its oracle is in
/// `RepositoryRun+Oracle.swift`.
struct RepositoryRun: ~Copyable {
  typealias Store = RepositoryStore<Int, Int, Answer>
  typealias Place = ModelFile.Place

  struct Request {
    var number: RequestNumber
    var place: Place
    var session: Int
    /// The server's answer to it.
    var answer: Answer?
  }

  /// The user's change at the server.
  struct Change {
    var number: ChangeNumber
    /// In all processes.
    var identity: Int
    var account: Int
    var touched: [Int]
    var isOptimistic: Bool
    var session: Int
    var isCarriedOut = false
  }

  /// A caller that waits for a pull.
  struct Pull {
    var place: Place
    /// The version that the server had.
    var version: Int
  }

  static let collections = Array(0..<RepositoryProgram.collections)

  let options: RepositoryOptions
  private let defect: PlantedRepositoryDefect?
  var store: Store
  var server = ModelServer()
  var file = ModelFile()
  var now = Instant(nanoseconds: 1_000_000_000_000)
  var requests: [Request] = []
  /// Unanswered requests, and those that the server has applied.
  var changes: [Change] = []
  var done: [Change] = []
  private var lastChange = 0
  /// The collections of every change of this process.
  var touched: [ChangeNumber: [Int]] = [:]
  /// Changes that the file has shown.
  var shown: Set<ChangeNumber> = []
  var operation: Store.Operation?
  var result: OperationResult?

  /// The waiting callers: of a pull, or of something else.
  var pulls: [CallerNumber: Pull?] = [:]
  private var lastCaller = 0
  /// Logins, logouts and processes.
  var session = 0
  var account: Int?
  var isOnline = true
  var isStopped = false
  var observers = [Int](repeating: 0, count: RepositoryProgram.collections)
  /// By collection: the version that a view has to have, at least, once it has been fetched.
  var needed = [Int?](repeating: nil, count: RepositoryProgram.collections)
  /// By collection: whether nothing has been written since that was needed.
  var isOld = [Bool](repeating: true, count: RepositoryProgram.collections)
  /// By collection: whether a trigger met no network.
  var missed = [Bool](repeating: false, count: RepositoryProgram.collections)
  /// By collection: the first request that a view may be content with.
  var neededFrom = [Int](repeating: 1, count: RepositoryProgram.collections)
  var lastRequest = 0
  var lastWritten: [Place: Int] = [:]
  var failure: String?

  init(_ program: RepositoryProgram, defect: PlantedRepositoryDefect?) throws {
    options = program.options
    self.defect = defect
    store = try Store(options, account: nil, collections: Self.collections)
    store.planted.defect = defect
  }

  /// Runs a program to its end or to the first fault.
  static func failure(
    of program: RepositoryProgram, defect: PlantedRepositoryDefect?
  ) throws -> String? {
    var run = try RepositoryRun(program, defect: defect)
    for (index, step) in program.steps.enumerated() {
      try run.take(step)
      if let failure = run.failure { return "\(failure) at step \(index), \(step)" }
    }
    try run.settle()
    return run.failure
  }

  mutating func take(_ step: RepositoryStep) throws {
    switch step {
    case .view(let collection): view(collection) { [now] in $0.view(collection, at: now) }
    case .observe(let collection):
      observers[collection] += 1
      view(collection) { [now] in $0.observe(collection, at: now) }
    case .endObserving(let collection):
      observers[collection] = max(0, observers[collection] - 1)
      store.endObserving(collection)
    case .pull(let collection): pull(collection)
    case .foreground:
      needAll()
      store.enterForeground(at: now)
      noteMissed()
    case .logIn(let next): logIn(next)
    case .logOut:
      endSession(nil)
      store.logOut(by: caller(nil), at: now)
    case .online(let isOnline):
      self.isOnline = isOnline
      store.setOnline(isOnline, at: now)
      if isOnline { judgeMadeUp() }
    case .stop:
      isStopped = true
      missed = missed.map { _ in false }
      store.stop()
    case .start:
      if isStopped {
        isStopped = false
        needAll()
        store.start(at: now)
        noteMissed()
      }
    case .serverChange(let account, let collection): server.change(account, collection)
    case .read(let index): read(index)
    case .answer(let index): answer(index)
    case .failRequest(let index):
      if requests.indices.contains(index) {
        store.fail(requests.remove(at: index).number, .file(path: "model", "test"), at: now)
      }
    case .change(let touched, let isOptimistic): change(touched, isOptimistic)
    case .carryOut(let index): carryOut(index)
    case .answerChange(let index): endChange(index, isLost: false)
    case .failChange(let index): endChange(index, isLost: true)
    case .effect(let fails): takeEffect(fails)
    case .finishOperation: finishOperation()
    case .advance(let seconds):
      now = now.advanced(by: .seconds(seconds))
      store.advance(to: now)
    case .restart: try restart()
    }
    carryOutActions()
    judge()
  }

  /// A number for each waiting caller.
  private mutating func caller(_ pull: Pull?) -> CallerNumber {
    lastCaller += 1
    pulls[CallerNumber(lastCaller)] = .some(pull)
    return CallerNumber(lastCaller)
  }

  // MARK: The app

  private mutating func pull(_ collection: Int) {
    let place = Place(account: account ?? 0, collection: collection)
    let caller = caller(Pull(place: place, version: server[place.account, collection].version))
    store.pull(collection, by: caller, at: now)
  }

  private mutating func logIn(_ next: Int) {
    if next != account { endSession(next) }
    needAll()
    store.logIn(next, by: caller(nil), at: now)
    noteMissed()
  }

  private mutating func change(_ collections: [Int], _ isOptimistic: Bool) {
    do throws(RepositoryError) {
      let begun = try store.beginChange(of: collections, isOptimistic: isOptimistic, at: now)
      lastChange += 1
      changes.append(
        Change(
          number: begun.number, identity: lastChange, account: begun.account, touched: collections,
          isOptimistic: isOptimistic, session: session))
      touched[begun.number] = collections
      if !isOnline || isStopped || account == nil {
        failure = "a change is taken that cannot be sent"
      }
    } catch {
      if isOnline, !isStopped, account != nil, changes.isEmpty, done.isEmpty, store.isIdle {
        failure = "a change is refused: \(error)"
      }
    }
  }

  private mutating func carryOut(_ index: Int) {
    guard changes.indices.contains(index), !changes[index].isCarriedOut else { return }
    changes[index].isCarriedOut = true
    for collection in changes[index].touched {
      server.change(changes[index].account, collection, changes[index].identity)
    }
  }

  private mutating func endChange(_ index: Int, isLost: Bool) {
    guard changes.indices.contains(index) else { return }
    let change = changes.remove(at: index)
    guard change.isCarriedOut, !isLost else {
      if change.account == account {
        for collection in change.touched {
          need(collection)
          // The server's result is unknown.
          if observers[collection] > 0, !isOnline, !isStopped { missed[collection] = true }
        }
      }
      store.failChange(change.number, by: caller(nil), at: now)
      return
    }
    done.append(change)
    if change.account == account {
      for collection in change.touched { need(collection) }
    }
    store.completeChange(change.number, at: now)
    guard change.account == account, !isOnline, !isStopped else { return }
    for collection in change.touched { missed[collection] = true }
  }

  /// The process ends, and another begins: its memory is lost.
  private mutating func restart() throws {
    file.layers = []
    store = try Store(
      options, account: file.shownAccount, collections: Self.collections)
    store.planted.defect = defect
    (requests, changes, done, operation, result, pulls) = ([], [], [], nil, nil, [:])
    (touched, shown) = ([:], [])
    (isOnline, isStopped, lastRequest) = (true, false, 0)
    observers = observers.map { _ in 0 }
    lastWritten = [:]
    endSession(file.shownAccount)
    neededFrom = neededFrom.map { _ in 1 }
  }

  // MARK: The end

  /// Lets everything end well, and checks the remaining state.
  private mutating func settle() throws {
    try take(.online(true))
    try take(.start)
    try drain()
    if account == nil { try take(.logIn(0)) }
    try drain()
    for collection in 0..<RepositoryProgram.collections { try take(.view(collection)) }
    try drain()
    if failure == nil { judgeRest() }
  }

  private mutating func drain() throws {
    for _ in 0..<400 where failure == nil {
      while !requests.isEmpty, failure == nil { try take(.answer(0)) }
      carryOut(0)
      try take(.answerChange(0))
      try take(.effect(fails: false))
      if operation == nil, changes.isEmpty, requests.isEmpty {
        if store.isIdle { return }
        // A failed write is tried again later.
        try take(.advance(seconds: 1))
      }
      try take(.finishOperation)
    }
    if failure == nil { failure = "the store never comes to rest" }
  }
}
