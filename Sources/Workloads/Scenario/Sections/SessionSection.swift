import CacheModel

/// A group of like clients: each has a cache under test, a link, and a user.
package struct SessionSection: Sendable {
  package var name = "client"
  package var clients = 1
  package var mix = ActivityMix()
  /// The queries watched throughout, such as those of a sidebar, by method.
  package var watched: [QueryKind] = []
  /// The time between two actions of the user.
  package var think = ThinkTime()
  /// The mean number of moves in one stroll through the directories.
  package var moves = 5.0
  /// The share of moves that go back to the directory before.
  package var back = 0.3
  /// The share of moves that go into a directory within; the rest leap elsewhere.
  package var into = 0.3
  /// The share of strolls and leaps that lead to a directory visited before, the likelier the later it
  /// was.
  package var revisit = 0.3
  /// The share of directories, albums and tags that the user marks at the first visit, to keep them
  /// at hand.
  package var tagged = 0.0
  /// The mean number of files opened in each view.
  package var opens = 1.0
  /// The time between two keystrokes.
  package var keystroke = Duration.milliseconds(200)
  /// The mean number of letters typed in a search.
  package var letters = 5.0
  /// From how many letters on the client asks while they are typed.
  package var askFrom = 1
  /// The mean number of files that come into an inspector's reach in one visit of the media view.
  package var scrolls = 20.0
  /// The time between two entities that scroll into an inspector's reach in the media view.
  package var scroll = Duration.milliseconds(500)
  /// The time after which views on screen are drawn, and so read, again; `nil`: never.
  package var redraw: Duration?
  /// Which albums and tags are chosen how often.
  package var popularity = PopularitySection()
  /// When the user acts; empty: throughout.
  package var active: [ActiveWindow] = []
  /// When the user is in front of the app, within that; `nil`: always.
  package var visits: VisitSection?
  /// How much of what the user reads is new; `nil`: nothing is but by chance.
  package var newest: NewestSection?
  /// What the user does while a read waits.
  package var reaction = ClientScript.Reaction.none
  var place: SourcePlace?

  package init() {}
}

extension SessionSection: ScenarioSection {
  static let fields: [Field<SessionSection>] = [
    .identifier("name", \.name, "what the group is called"),
    .count("clients", of: "clients", \.clients, 1...1_000, "clients in the group"),
    .section("mix", \.mix, "how often each activity, in shares that add up to 100 %"),
    watchedField,
    ThinkTime.field("think", \.think, "mean time between two actions"),
    .mean("moves", of: "moves", \.moves, 0...1_000, "mean moves in one stroll through directories"),
    .share("back", \.back, "share of moves back to the directory before"),
    .share("into", \.into, "share of moves into a directory within"),
    .share("revisit", \.revisit, "share of strolls and leaps that lead where the user was before"),
    .share("tagged", \.tagged, "share of views with a subject that the user marks to keep"),
    .mean("opens", of: "files", \.opens, 0...1_000, "mean files opened in each view"),
    .duration(
      "keystroke", \.keystroke, .milliseconds(1)...(.minutes(1)), "time between two keystrokes"),
    .mean("letters", of: "letters", \.letters, 1...12, "mean letters typed in a search"),
    .count(
      "ask-from", of: "letters", \.askFrom, 1...12, "letters from which on the client asks"),
    .mean(
      "scrolls", of: "files", \.scrolls, 0...10_000,
      "mean files reached by scrolling the media view"),
    .duration(
      "scroll", \.scroll, .milliseconds(1)...(.hours(1)),
      "time between two files reached by scrolling the media view"),
    .duration(
      "redraw", \.redraw, .milliseconds(100)...(.days(1)),
      "time after which views on screen are read again"),
    .section("popularity", \.popularity, "which albums and tags are chosen how often"),
    .list(
      "active", \.active, startingFrom: ActiveWindow(), limit: 1_000, "when the user acts"),
    .section(
      "visits", \.visits, startingFrom: VisitSection(), "when the user is in front of the app"),
    .section(
      "newest", \.newest, startingFrom: NewestSection(), "how much of what is read is new"),
    .choice("reaction", \.reaction, "what the user does while a read waits: none or waits"),
  ]

  private static let watchedField = Field<SessionSection>(
    name: "watched", form: .list, summary: "queries without subject that are watched throughout"
  ) {
    guard case .sequence(let nodes) = $1.content, nodes.count <= 16 else {
      $2.report($1.place, "a short list of methods is expected here", "write `[albums.list]`")
      return
    }
    let kinds: [QueryKind] = [.recents, .media, .albumList, .tagList]
    let names = kinds.map(\.methodName)
    $0.watched = []
    for node in nodes {
      if let name = $2.name(node, what: "method", among: names),
        let kind = kinds.first(where: { $0.methodName == name }), !$0.watched.contains(kind)
      {
        $0.watched.append(kind)
      }
    }
  }

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
    if mix.shares.allSatisfy({ $0 == 0 }) {
      reader.report(place, "the session group has no mix", "add `mix`, for example `browse: 100 %`")
    }
    if visits == nil, mix.recents == 1 || mix.media == 1 {
      reader.report(
        place, "`mix` leads to one view only, and the view on screen is not opened again",
        "add another activity, or `visits`")
    }
    if back + into > 1 {
      reader.report(place, "`back` and `into` exceed 100 %", "lower one of them")
    }
    reader.checkOrder(of: active, at: place)
  }
}

/// How often each activity is begun, as shares.
package struct ActivityMix: Hashable, Sendable {
  package var browse = 0.0
  package var search = 0.0
  package var album = 0.0
  package var tag = 0.0
  package var recents = 0.0
  package var media = 0.0

  package init() {}

  var shares: [Double] { [browse, search, album, tag, recents, media] }
}

extension ActivityMix: ScenarioSection {
  static let fields: [Field<ActivityMix>] = [
    .share("browse", \.browse, "a stroll through directories"),
    .share("search", \.search, "a search, typed letter by letter"),
    .share("album", \.album, "an album"),
    .share("tag", \.tag, "the files of a tag"),
    .share("recents", \.recents, "the files last modified"),
    .share("media", \.media, "all images and films"),
  ]

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    reader.checkSum(of: shares, at: place)
  }
}

/// A time in which a user acts.
package struct ActiveWindow: Hashable, Sendable {
  package var at = Duration.zero
  package var length = Duration.minutes(10)

  package init() {}
}

extension ActiveWindow: ScenarioSection {
  static let fields: [Field<ActiveWindow>] = [
    .duration("at", \.at, .zero ... .days(30), "when it begins").required(),
    .duration("for", \.length, .seconds(1)...(.days(30)), "how long it lasts").required(),
  ]
}

extension ScenarioReader {
  mutating func checkOrder(of windows: [ActiveWindow], at place: SourcePlace?) {
    for (earlier, later) in zip(windows, windows.dropFirst())
    where later.at < earlier.at + earlier.length {
      report(place, "two active windows overlap", "write them in order of time")
    }
  }
}
