extension ConformanceGroup {
  static let start = ConformanceGroup(
    "start", "It starts, and takes every message",
    [
      .init("The cache says hello and closes a turn", [.heartbeat]),
      .init(
        "It takes all messages about what it never read",
        [
          .link(isUp: true), .tag(.docs), .commit(.change("a2")),
          .commit(.delete("d1")), .commit(.untold("b2")), .commit(.nothing), .tell([2, 3, 4, 5]),
          .heartbeat, .link(isUp: false), .link(isUp: true), .heartbeat,
          .read(.docs, right: [.shown("a2 b2 c1")]),
        ]),
      .init(
        "It ignores members that it does not know", unknownMembers: true,
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .commit(.change("c2")), .tell([2]),
          .heartbeat, .read(.other, right: [.shown("d1")]),
        ]),
    ])
}

extension ConformanceGroup {
  static let reads = ConformanceGroup(
    "reads", "It reads what it was told",
    [
      .init(
        "A list that was never read is asked for, and served as it came",
        [.read(.docs, right: [.asked("a1 b1 c1")])]),
      .init(
        "A list that was read a moment ago is served at once",
        [
          .read(.docs, right: [.asked("a1 b1 c1")]),
          .read(.docs, right: [.kept("a1 b1 c1")], poorer: again("a1 b1 c1")),
        ]),
      .init(
        "Two lists are kept apart",
        [
          .read(.docs, right: [.asked("a1 b1 c1")]), .read(.other, right: [.asked("d1")]),
          .read(.docs, right: [.shown("a1 b1 c1")]), .read(.other, right: [.shown("d1")]),
        ]),
      .init(
        "An empty list is a list",
        [
          .read(.empty, right: [.asked("")]),
          .read(.empty, right: [.kept("")], poorer: again("")),
        ]),
      .init(
        "A list with a limit, beside the whole of it",
        [
          .read(.top, right: [.asked("a1 b1")]), .read(.docs, right: [.shown("a1 b1 c1")]),
          .read(.top, right: [.shown("a1 b1")]),
        ]),
      .init(
        "A list of a thousand rows comes whole and in order",
        [
          .read(.big, right: [.asked("*")]),
          .read(.big, right: [.kept("*")], poorer: again("*")),
        ]),
      .init(
        "One entity is opened",
        [
          .open("a1", right: [.asked("a1")]),
          .open("a1", right: [.kept("a1")], poorer: again("a1")),
        ]),
      .init(
        "An entity that a list has brought is there",
        [
          .read(.docs, right: [.asked("a1 b1 c1")]),
          .open("b1", right: [.kept("b1")], poorer: [.init(.asked("b1"), .sharesNothing)]),
        ]),
      .init(
        "An entity that does not exist is none, and no error",
        [.open("e1", right: [.asked("")], poorer: [.init(.failed, .failsOpening)])]),
    ])

  /// The first step of most cases.
  static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])

  private static func again(_ rows: String) -> [ConformanceStep.Poorer] {
    [.init(.asked(rows), .keepsNothing)]
  }
}

extension ConformanceGroup {
  static let observers = ConformanceGroup(
    "observers", "It tells views what changes", rule: .followsEvents,
    [
      .init(
        "A view that appears is answered like a read",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]),
          .read(
            .docs, right: [.kept("a1 b1 c1")],
            poorer: [.init(.asked("a1 b1 c1"), .keepsNothing)]),
        ]),
      .init(
        "A view is told of a change, and of the next",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]),
          .commit(.change("a2")), .tell([2]), .wait(2),
          .told(.docs, right: "a2 b1 c1", poorer: .tellsNoView), .commit(.change("b2")),
          .tell([3]), .wait(2), .told(.docs, right: "a2 b2 c1", poorer: .tellsNoView),
        ]),
      .init(
        "A view is told of what may have changed, once that was asked for",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .commit(.untold("b2")), .tell([2]),
          .wait(2), .told(.docs, right: "a1 b2 c1", poorer: .tellsNoView),
        ]),
      .init(
        "A list whose view has gone may be read again",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .unobserve(.docs),
          .commit(.change("a2")), .tell([2]),
          .read(
            .docs, right: [.shown("a2 b1 c1")],
            poorer: [.init(.kept("a1 b1 c1"), .ignoresEvents)]),
          .observe(
            .docs, right: [.shown("a2 b1 c1")],
            poorer: [.init(.kept("a1 b1 c1"), .ignoresEvents)]),
        ]),
    ])
}

extension ConformanceGroup {
  static let time = ConformanceGroup(
    "time", "It lives by the time that it is told", rule: .asksAgain,
    [
      .init(
        "Its timers are honoured, and come to rest",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .wait(3_600),
          .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "What no event told is asked for one day",
        [
          .read(.docs, right: [.asked("a1 b1 c1")]), .commit(.change("a2")), .wait(86_400),
          .read(
            .docs, right: [.shown("a2 b1 c1")], poorer: [.init(.kept("a1 b1 c1"), .neverAsks)]),
        ]),
      .init(
        "How long a list is fresh",
        [.read(.docs, right: [.asked("a1 b1 c1")]), .freshness(.docs)]),
    ])
}

extension ConformanceGroup {
  static let capacity = ConformanceGroup(
    "capacity", "It serves rightly what does not fit",
    [
      .init(
        "A list that gave way to another is asked for again", entities: 3,
        [
          .read(.docs, right: [.asked("a1 b1 c1")]), .read(.other, right: [.asked("d1")]),
          .read(.docs, right: [.shown("a1 b1 c1")]), .read(.other, right: [.shown("d1")]),
          .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "A list that is larger than the cache comes whole", entities: 50,
        [
          .read(.docs, right: [.asked("a1 b1 c1")]), .read(.big, right: [.asked("*")]),
          .read(.docs, right: [.shown("a1 b1 c1")]), .read(.big, right: [.shown("*")]),
          .read(.top, right: [.shown("a1 b1")]),
        ]),
      .init(
        "Changes of what gave way", entities: 2,
        [
          .read(.docs, right: [.asked("a1 b1 c1")]), .read(.other, right: [.asked("d1")]),
          .commit(.change("a2")), .tell([2]),
          .read(
            .docs, right: [.shown("a2 b1 c1")],
            poorer: [.init(.kept("a1 b1 c1"), .ignoresEvents)]),
        ]),
    ])
}

extension ConformanceGroup {
  static let `repeat` = ConformanceGroup(
    "repeat", "It does the same another time",
    [
      .init(
        "Two processes that are told the same say the same", repeated: true,
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .ask(.other), .ask(.big), .ask(.top),
          .askToOpen("d1"), .commit(.change("a2 b2")), .tell([2]), .commit(.untold("c2")),
          .tell([3]), .ask(.docs), .link(isUp: false), .ask(.docs), .ask(.empty), .wait(600),
          .link(isUp: true), .heartbeat, .wait(600), .ask(.docs), .ask(.empty),
        ])
    ])
}
