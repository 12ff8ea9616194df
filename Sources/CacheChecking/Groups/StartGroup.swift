extension ConformanceGroup {
  static let start = ConformanceGroup(
    "start", "It starts, and takes every message",
    [
      .init("It says hello and closes a turn", [.heartbeat]),
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
