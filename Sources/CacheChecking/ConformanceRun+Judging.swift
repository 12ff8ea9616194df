import CacheModel
import CacheSimulation

/// Judges answers: right, poorer or wrong.
extension ConformanceRun {
  // MARK: Reads

  mutating func judge(
    _ index: Int, _ right: [ConformanceStep.Answer], _ poorer: [ConformanceStep.Poorer]
  ) {
    reads[index].isJudged = true
    let read = reads[index]
    if right.contains(where: { matches($0, read) }) {
      betterThan.formUnion(poorer.map(\.habit))
      return
    }
    let poor = poorer.first { matches($0.answer, read) }
    let asked = words(of: read.target)
    let rightWords = right.map { words($0, read.target) }
    guard let habit = poor?.habit else {
      let (meaning, rule) = reason(read, right)
      find(
        .fail, asked, right: rightWords, came: words(read.came), meaning, rule, turn: read.turn,
        at: read.at)
      return
    }
    let isHabit = !betterThan.contains(habit)
    find(
      isHabit ? .nonStrict : .fail, asked, right: rightWords, came: words(read.came),
      isHabit ? habit.rawValue : Self.worse(habit), habit.rule, turn: read.turn, at: read.at)
  }

  private static func worse(_ habit: ConformanceStep.Habit) -> String {
    "\(habit.rawValue), though earlier in this case it did better"
  }

  private func matches(_ answer: ConformanceStep.Answer, _ read: Read) -> Bool {
    switch (answer, read.came) {
    case (.kept(let names), .kept(let rows)), (.asked(let names), .asked(let rows)),
      (.shown(let names), .kept(let rows)), (.shown(let names), .asked(let rows)):
      states(names, read.target) == rows
    case (.failed, .failed), (.none, .none): true
    default: false
    }
  }

  func states(_ names: String, _ target: CacheReply.Target) -> [Int] {
    if names == "*" { return server.rows(of: target).map { Int($0) } }
    return names.split(separator: " ").map { ConformanceWorld.version(String($0)) }
  }

  // MARK: Views, requests, time

  mutating func judgeTold(
    _ list: List, _ right: String, _ habit: ConformanceStep.Habit
  ) {
    let came = told[list.rawValue]
    told[list.rawValue] = nil
    let expected = states(right, .query(list.rawValue))
    guard came != expected else {
      betterThan.insert(habit)
      return
    }
    let isHabit = !betterThan.contains(habit)
    find(
      came == nil && isHabit ? .nonStrict : .fail,
      "what the views of \(words(ofList: list.rawValue)) are told", right: [words(expected)],
      came: came.map { words($0) } ?? "nothing",
      came.map { difference(of: $0, from: expected) }
        ?? (isHabit ? habit.rawValue : Self.worse(habit)), .notifiesViews)
  }

  mutating func judgeCount(
    _ right: ClosedRange<Int>, _ poorer: ClosedRange<Int>, _ habit: ConformanceStep.Habit
  ) {
    guard !right.contains(pending.count) else { return }
    let isTooFew = pending.count < right.lowerBound
    find(
      poorer.contains(pending.count) ? .nonStrict : .fail, "requests under way",
      right: [Self.words(of: right)], came: "\(pending.count)",
      isTooFew ? "it has not asked for all that is read" : habit.rawValue,
      isTooFew ? .asksFirst : habit.rule)
  }

  private static func words(of range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range)"
  }

  mutating func judgeCarriedOut(_ right: ClosedRange<Int>) {
    guard !right.contains(server.carriedOut) else { return }
    find(
      .fail, "writes that took effect at the server", right: [Self.words(of: right)],
      came: "\(server.carriedOut)", "a write is sent until there is an answer, by one token",
      .sendsWrites)
  }

  mutating func judgeServer(_ list: List, _ right: String) {
    let rows = server.rows(of: .query(list.rawValue)).map { Int($0) }
    let expected = states(right, .query(list.rawValue))
    guard rows != expected else { return }
    find(
      .fail, "what the server lists in \(words(ofList: list.rawValue))",
      right: [words(expected)], came: words(rows),
      "writes are sent in the order in which they were made", .sendsWrites)
  }

  mutating func judgeAnswered(_ habit: ConformanceStep.Habit) {
    guard let waiting = cache.unansweredWrite else { return }
    find(
      .nonStrict, "writes without an answer", right: ["none"], came: "write \(waiting)",
      habit.rawValue, habit.rule)
  }

  /// Reads again at increasing ages until the cache asks the server.
  mutating func measureFreshness(_ list: List) {
    guard let answer = reads.last?.answeredAt else { return }
    let wake = cache.wake.map {
      "; it wants to be woken \(answer.duration(to: $0).inWords) after it"
    }
    var fresh = Duration.zero
    for seconds in Self.ages {
      let age = Duration.seconds(seconds)
      wait(now.duration(to: answer.advanced(by: age)))
      read(.query(list.rawValue), .read(list.rawValue))
      guard !isOver, let last = reads.indices.last else { return }
      reads[last].isJudged = true
      guard case .kept = reads[last].came else { break }
      fresh = age
    }
    let next = Self.ages.first { .seconds($0) > fresh }
    let asks = next.map { "at \(Duration.seconds($0).inWords) after its answer" }
    find(
      .info, "when \(words(ofList: list.rawValue)) is asked for again",
      came: (asks ?? "not within \(fresh.inWords) of its answer")
        + (asks != nil && fresh > .zero ? ", at \(fresh.inWords) not yet" : "") + (wake ?? ""))
  }

  /// The ages of an answer at which it is read again, in seconds: up to a day.
  private static let ages = [
    1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400,
  ]

  // MARK: Words

  mutating func find(
    _ verdict: ConformanceResult.Verdict, _ asked: String, right: [String] = [], came: String,
    _ meaning: String = "", _ rule: ConformanceRule? = nil, turn: Int? = nil, at: Instant? = nil
  ) {
    findings.append(
      ConformanceResult.Finding(
        verdict: verdict, turn: turn ?? cache.turn, at: at ?? now, asked: asked, right: right,
        came: came, meaning: meaning, word: rule?.rawValue))
  }

  func words(of target: CacheReply.Target) -> String {
    switch target {
    case .query(let query): "a read of \(words(ofList: query))"
    case .object(let object): "an open of \(ConformanceWorld.words(ofObject: object))"
    }
  }

  func words(ofList query: Int) -> String { ConformanceWorld.words(ofList: query) }

  private func words(_ answer: ConformanceStep.Answer, _ target: CacheReply.Target) -> String {
    switch answer {
    case .kept(let names): "\(words(states(names, target))), at once"
    case .asked(let names): "\(words(states(names, target))), after asking"
    case .shown(let names): words(states(names, target))
    case .failed: "`fail`"
    case .none: "nothing yet"
    }
  }

  private func words(_ came: Came) -> String {
    switch came {
    case .kept(let rows): "\(words(rows)), at once"
    case .asked(let rows): "\(words(rows)), later"
    case .failed: "`fail`"
    case .none: "nothing"
    }
  }

  func words(_ versions: [Int]) -> String {
    let shown = versions.prefix(8).map { word($0) }
    return versions.isEmpty
      ? "no rows"
      : shown.joined(separator: " ") + (versions.count > 8 ? " … (\(versions.count) rows)" : "")
  }

  /// Returns a row's name in the case and its form in a line.
  func word(_ version: Int) -> String {
    let object = ConformanceWorld.object(of: UInt32(ConformanceWorld.state(ofVersion: version)))
    return "\(ConformanceWorld.name(of: version))=[\(object),\(version)]"
  }
}

/// Explains in plain words how an answer differs from the right one, with the rule that it violates.
extension ConformanceRun {
  typealias Reason = (words: String, rule: ConformanceRule)

  /// Returns the reason why an answer is wrong.
  func reason(_ read: Read, _ right: [ConformanceStep.Answer]) -> Reason {
    let lists = right.compactMap { answer in Self.names(of: answer).map { states($0, read.target) }
    }
    switch read.came {
    case .none:
      return lists.isEmpty
        ? ("the read waits, though it cannot be answered now", .failsReads)
        : ("the read has no answer", .answersReads)
    case .failed: return ("it gives up a read that it can answer", .answersReads)
    case .kept(let rows), .asked(let rows):
      guard let expected = lists.first else {
        return ("it serves rows where there is no answer; `fail` gives a read up", .failsReads)
      }
      if case .kept = read.came, right.allSatisfy(\.isAsked) {
        return ("it answers before the server has", .asksFirst)
      }
      if lists.contains(rows) { return ("it asks again for what it has", .keepsAnswers) }
      return (difference(of: rows, from: expected), test.rule)
    }
  }

  private static func names(of answer: ConformanceStep.Answer) -> String? {
    switch answer {
    case .kept(let names), .asked(let names), .shown(let names): names
    case .failed, .none: nil
    }
  }

  /// Returns how rows differ: missing, extra, in another state, or at another position.
  func difference(of rows: [Int], from expected: [Int]) -> String {
    func state(_ version: Int) -> Int { ConformanceWorld.state(ofVersion: version) }
    func object(_ version: Int) -> UInt32 { ConformanceWorld.object(of: UInt32(state(version))) }
    func states(_ all: [Int]) -> [UInt32: Int] {
      Dictionary(all.map { (object($0), state($0)) }) { first, _ in first }
    }
    let (came, right) = (states(rows), states(expected))
    let missing = expected.filter { came[object($0)] == nil }
    let extra = rows.filter { right[object($0)] == nil }
    let older = rows.filter { state($0) < right[object($0)] ?? state($0) }
    let newer = rows.filter { state($0) > right[object($0)] ?? state($0) }
    let parts = [
      ("missing", missing), ("not to be there", extra), ("older than it should be", older),
      ("later than it should be", newer),
    ]
    let words = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \(self.words($0.1))" }
    return words.isEmpty ? "the rows stand in another order" : words.joined(separator: "; ")
  }
}

extension ConformanceStep.Answer {
  fileprivate var isAsked: Bool {
    if case .asked = self { true } else { false }
  }
}
