import CacheModel

/// What is right, what is poorer, and how it is told.
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
      find(.fail, asked, right: rightWords, came: words(read.came), turn: read.turn, at: read.at)
      return
    }
    let isHabit = !betterThan.contains(habit)
    find(
      isHabit ? .nonStrict : .fail, asked, right: rightWords, came: words(read.came),
      isHabit
        ? habit.rawValue : "\(habit.rawValue), though earlier in this case it did better",
      turn: read.turn, at: read.at)
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

  private func states(_ names: String, _ target: CacheReply.Target) -> [Int] {
    if names == "*" { return server.rows(of: target).map { Int($0) } }
    return names.split(separator: " ").map { Int(ConformanceWorld.state(String($0))) }
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
    find(
      came == nil && !betterThan.contains(habit) ? .nonStrict : .fail,
      "what the views of `\(list)` are told", right: [words(expected)],
      came: came.map { words($0) } ?? "nothing", came == nil ? habit.rawValue : "")
  }

  mutating func judgeCount(
    _ right: ClosedRange<Int>, _ poorer: ClosedRange<Int>, _ habit: ConformanceStep.Habit
  ) {
    guard !right.contains(pending.count) else { return }
    find(
      poorer.contains(pending.count) ? .nonStrict : .fail, "requests under way",
      right: [Self.words(of: right)],
      came: "\(pending.count)", habit.rawValue)
  }

  private static func words(of range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range)"
  }

  mutating func judgeCarriedOut(_ right: ClosedRange<Int>) {
    guard !right.contains(server.carriedOut) else { return }
    find(
      .fail, "writes that took effect at the server", right: [Self.words(of: right)],
      came: "\(server.carriedOut)", "a write is sent until there is an answer, by one token")
  }

  mutating func judgeServer(_ list: List, _ right: String) {
    let rows = server.rows(of: .query(list.rawValue)).map { Int($0) }
    let expected = states(right, .query(list.rawValue))
    guard rows != expected else { return }
    find(
      .fail, "what the server lists in `\(list)`", right: [words(expected)], came: words(rows),
      "writes are sent in the order in which they were made")
  }

  mutating func judgeAnswered(_ habit: ConformanceStep.Habit) {
    guard let waiting = cache.writes.first else { return }
    find(
      .nonStrict, "writes without an answer", right: ["none"], came: "write \(waiting.number)",
      habit.rawValue)
  }

  /// Asks again later and later, until it asks the server.
  mutating func measureFreshness(_ list: List) {
    var asks = "no more, for a day"
    for (seconds, name) in [
      (1, "1 s"), (9, "10 s"), (50, "1 min"), (540, "10 min"), (3_000, "1 h"), (82_800, "1 d"),
    ] {
      wait(.seconds(seconds))
      read(.query(list.rawValue), .read(list.rawValue))
      guard !isOver, let last = reads.indices.last else { return }
      reads[last].isJudged = true
      if case .kept = reads[last].came { continue }
      asks = "\(name) after the read before it"
      break
    }
    find(.info, "when a list is asked for again", came: asks)
  }

  // MARK: Words

  mutating func find(
    _ verdict: ConformanceResult.Verdict, _ asked: String, right: [String] = [], came: String,
    _ meaning: String = "", turn: Int? = nil, at: Instant? = nil
  ) {
    findings.append(
      ConformanceResult.Finding(
        verdict: verdict, turn: turn ?? cache.turn, at: at ?? now, asked: asked, right: right,
        came: came, meaning: meaning))
  }

  func words(of target: CacheReply.Target) -> String {
    switch target {
    case .query(let query): "a read of `\(List(rawValue: query).map { "\($0)" } ?? "\(query)")`"
    case .object(let object): "an open of object \(object)"
    }
  }

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

  /// A row as the case calls it, and as a line has it.
  func word(_ version: Int) -> String {
    "\(ConformanceWorld.name(of: version))=[\(ConformanceWorld.object(of: UInt32(version))),\(version)]"
  }
}
