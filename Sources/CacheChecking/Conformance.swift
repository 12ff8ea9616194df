package import CacheModel
package import CacheSimulation

/// Runs conformance tests on caches, each case with a new cache.
package struct Conformance: Sendable {
  private let simulation = Simulation(of: ConformanceWorld.workload)

  package init() {}

  /// Returns the cases of a selection: the name of a group, or an address; `nil`: all.
  package static func cases(_ selection: String?) -> [ConformanceCase] {
    let all = ConformanceGroup.all.flatMap(\.cases)
    guard let selection else { return all }
    return all.filter { $0.address == selection || $0.address.hasPrefix(selection + "/") }
  }

  /// Runs a case with a cache from `start`, or with two.
  package func run(
    _ test: ConformanceCase,
    _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> ConformanceResult {
    var launch = CacheLaunch(
      simulation.workload, place: 0, capacity: test.capacity, at: .zero)
    launch.hasUnknownMembers = test.hasUnknownMembers
    if test.needs.contains(.given) { launch.membership = .given }
    do throws(CacheFault) {
      let cache = try start(launch)
      if let feature = test.needs.first(where: { !cache.features.contains($0) }) {
        cache.end()
        return Self.notAsked(test, feature, launch)
      }
      var run = ConformanceRun(test, cache, launch, simulation)
      var result = withFault(run.run(start))
      if test.isRepeated, result.fault == nil {
        var again = ConformanceRun(test, try start(launch), launch, simulation)
        let second = again.run(start)
        if let difference = Self.difference(run.recorder, again.recorder) {
          result.findings.append(difference)
        } else if let fault = second.fault {
          result.fault = fault
          result = withFault(result)
        }
      }
      return result
    } catch {
      return withFault(
        ConformanceResult(test: test, findings: [], launch: launch, turns: [], fault: error))
    }
  }

  private static func notAsked(
    _ test: ConformanceCase, _ feature: CacheFeature, _ launch: CacheLaunch
  ) -> ConformanceResult {
    let finding = ConformanceResult.Finding(
      verdict: .info, asked: "to take part in `\(feature.rawValue)`",
      came: "hello names no such feature; the case was not run")
    var result = ConformanceResult(test: test, findings: [finding], launch: launch, turns: [])
    result.lacks = feature
    return result
  }

  /// A protocol violation is a finding too.
  private func withFault(_ result: ConformanceResult) -> ConformanceResult {
    guard let fault = result.fault else { return result }
    var result = result
    result.findings.append(
      ConformanceResult.Finding(
        verdict: .fail, turn: fault.turn, at: fault.at, asked: "a fault ends the case",
        came: fault.kind.meaning + (fault.detail.isEmpty ? "" : ": \(fault.detail)"),
        meaning: fault.kind.question ?? fault.kind.remedy, word: fault.kind.rawValue))
    return result
  }

  private static func difference(
    _ first: RecordingCache, _ second: RecordingCache
  ) -> ConformanceResult.Finding? {
    let count = max(first.answers.count, second.answers.count)
    for index in 0..<count {
      let answers = [first, second].map {
        $0.answers.indices.contains(index) ? $0.answers[index] : []
      }
      guard answers[0] != answers[1] else { continue }
      return ConformanceResult.Finding(
        verdict: .fail, turn: index + 1,
        at: first.turns.indices.contains(index) ? first.turns[index].at : nil,
        asked: "the same turns, told to another process", right: ["the same replies"],
        came: "other replies to turn \(index + 1)",
        meaning: CacheFault.Kind.notDeterministic.remedy,
        word: ConformanceRule.doesTheSame.rawValue)
    }
    return nil
  }
}

extension Conformance {
  /// Shortens a failing case: fewer steps with the same wrong answer.
  ///
  /// A protocol violation may occur after any steps. A wrong answer depends on the server's changes and
  /// messages, so only other user actions are left out.
  package func shrunk(
    _ result: ConformanceResult, trials: Int, while isTimeLeft: () -> Bool,
    _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> ConformanceResult {
    let test = result.test
    guard !test.isRepeated, !result.turns.isEmpty else { return result }
    let wrong = result.findings.first { $0.verdict == .fail }
    var found = result
    func shows(_ test: ConformanceCase) -> Bool {
      let other = run(test, start)
      let isSame =
        result.fault != nil
        ? other.fault?.kind == result.fault?.kind
        : other.findings.first { $0.verdict == .fail }.map { $0.isAlike(wrong) } ?? false
      if isSame { found = other }
      return isSame
    }
    let places = test.steps.indices.filter { result.fault != nil || test.steps[$0].isUsers }
    var reduction = StepReduction(trials: trials)
    _ = reduction.reduce(places.count, while: isTimeLeft) { kept in
      let left = Set(kept.map { places[$0] })
      var fewer = test
      fewer.steps = test.steps.indices.filter { left.contains($0) || !places.contains($0) }
        .map { test.steps[$0] }
      return shows(fewer)
    }
    return found
  }
}

extension ConformanceResult.Finding {
  /// Returns whether another finding is the same at a different turn.
  fileprivate func isAlike(_ other: Self?) -> Bool {
    guard let other else { return false }
    return asked == other.asked && right == other.right && came == other.came
  }
}

extension ConformanceStep {
  /// Whether later expectations do not depend on this step.
  fileprivate var isUsers: Bool {
    switch self {
    case .read, .observe, .unobserve, .tag, .open, .told, .underWay: true
    default: false
    }
  }
}

/// A short script with a permanent address, and its expected answers.
package struct ConformanceCase: Sendable {
  /// The group and the position in it, as `gaps/3`.
  package var address: String
  package var title: String
  package var capacity = Capacity(entities: nil)
  /// Whether each line to the cache has an unknown member.
  package var hasUnknownMembers = false
  /// The features that the case requires; without one it is not run.
  package var needs: [CacheFeature] = []
  /// Whether it is repeated in another process, and must give the same answers.
  package var isRepeated = false
  /// The rule that wrong rows violate.
  var rule = ConformanceRule.servesRows
  var steps: [ConformanceStep]

  /// Whether it checks notifications of views.
  var asksWhatViewsAreTold: Bool {
    steps.contains { if case .told = $0 { true } else { false } }
  }
}

/// Cases about one topic, in ascending order of difficulty.
package struct ConformanceGroup: Sendable {
  package var name: String
  package var title: String
  package var cases: [ConformanceCase]

  init(
    _ name: String, _ title: String, rule: ConformanceRule = .servesRows, _ cases: [Row]
  ) {
    self.name = name
    self.title = title
    self.cases = cases.enumerated().map { index, row in
      var test = row.test
      test.address = "\(name)/\(index + 1)"
      test.rule = rule
      return test
    }
  }

  struct Row: Sendable {
    var test: ConformanceCase

    init(
      _ title: String, entities: Int? = nil, unknownMembers: Bool = false, repeated: Bool = false,
      needs: [CacheFeature] = [], _ steps: [ConformanceStep]
    ) {
      test = ConformanceCase(
        address: "", title: title, capacity: Capacity(entities: entities),
        hasUnknownMembers: unknownMembers, needs: needs, isRepeated: repeated, steps: steps)
    }
  }

  package static let all = [
    start, reads, requests, events, observers, reorder, gaps, offline, capacity, time, `repeat`,
    writes, relaunch, given, parts,
  ]
}

/// The rules for a cache, by the word in findings; the document's table is generated from here.
package enum ConformanceRule: String, CaseIterable, Sendable {
  case answersReads = "answer-reads"
  case asksFirst = "ask-first"
  case keepsAnswers = "keep-answers"
  case asksOnce = "ask-once"
  case servesRows = "serve-rows"
  case nothingOlder = "nothing-older"
  case followsEvents = "follow-events"
  case noticesGaps = "notice-gaps"
  case notifiesViews = "notify-views"
  case failsReads = "fail-reads"
  case showsOffline = "show-offline"
  case asksAgain = "ask-again"
  case comesToRest = "come-to-rest"
  case doesTheSame = "do-the-same"
  case sendsWrites = "send-writes"
  case hasStored = "have-stored"
  case followsLists = "follow-lists"

  package var sentence: String {
    switch self {
    case .answersReads: "each `read`, `observe` and `open` is answered: by `serve`, or by `fail`"
    case .asksFirst: "what was never sent is asked for, and served when the answer is there"
    case .keepsAnswers: "what was sent a moment ago, alone or in a list, is served without asking"
    case .asksOnce: "one thing is asked for once at one time, and all that wait for it are answered"
    case .servesRows: "a list has the rows of its answer, each once and in their order"
    case .nothingOlder: "of two versions of an object the one with the greater `order` stays"
    case .followsEvents: "what an event tells is shown, or the list is asked for again"
    case .noticesGaps: "where events are missing, they are asked for, or the lists are"
    case .notifiesViews: "`notify` tells views what changed since their last rows, and nothing else"
    case .failsReads: "a read that cannot be answered now is given up by `fail`, and not served"
    case .showsOffline: "without a link or a server, what was sent before is shown"
    case .asksAgain: "changes that no event announced are found by asking again"
    case .comesToRest: "requests and wakes end where nothing more happens"
    case .doesTheSame: "the same input gives the same output"
    case .sendsWrites:
      "a write shows at once, is sent in its order until it is answered, and is taken back where it is refused"
    case .hasStored: "what was stored in time is there for the next process, and nothing older"
    case .followsLists:
      "lists are what `lists` of events makes of them, each event once and in its order"
    }
  }
}

extension ConformanceStep.Habit {
  /// The rule whose poorer form this habit is.
  var rule: ConformanceRule {
    switch self {
    case .keepsNothing, .sharesNothing: .keepsAnswers
    case .ignoresEvents, .keepsOrder, .leavesGap: .followsEvents
    case .missesGaps: .noticesGaps
    case .overwrites, .tellsLate: .nothingOlder
    case .asksTwice: .asksOnce
    case .showsNothingOffline: .showsOffline
    case .waitsOffline, .failsOpening: .failsReads
    case .neverAsks: .asksAgain
    case .tellsNoView, .repeatsItself: .notifiesViews
    case .showsLate, .sendsNotAgain: .sendsWrites
    case .forgetsAtEnd: .hasStored
    }
  }
}
