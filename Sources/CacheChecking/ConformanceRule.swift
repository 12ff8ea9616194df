/// What a cache owes, by the word that stands behind a finding: the table of the document comes from here.
package enum ConformanceRule: String, CaseIterable, Sendable {
  case answersReads = "answer-reads"
  case asksFirst = "ask-first"
  case keepsAnswers = "keep-answers"
  case asksOnce = "ask-once"
  case servesRows = "serve-rows"
  case nothingOlder = "nothing-older"
  case followsEvents = "follow-events"
  case noticesGaps = "notice-gaps"
  case tellsViews = "tell-views"
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
    case .tellsViews: "`notify` tells views what changed since their last rows, and nothing else"
    case .failsReads: "a read that cannot be answered now is given up by `fail`, and not served"
    case .showsOffline: "without a link or a server, what was sent before is shown"
    case .asksAgain: "what no event told is asked for again one day"
    case .comesToRest: "requests and wakes end where nothing more happens"
    case .doesTheSame: "who is told the same says the same"
    case .sendsWrites:
      "a write shows at once, is sent in its order until it is answered, and is taken back where it is refused"
    case .hasStored:
      "what was stored in time is there for the next process, and nothing older than it was told"
    case .followsLists:
      "lists are what `lists` of events makes of them, each event once and in its order"
    }
  }
}

extension ConformanceStep.Habit {
  /// The rule that it keeps to poorly.
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
    case .tellsNoView, .repeatsItself: .tellsViews
    case .showsLate, .sendsNotAgain: .sendsWrites
    case .forgetsAtEnd: .hasStored
    }
  }
}
