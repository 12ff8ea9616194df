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
