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
