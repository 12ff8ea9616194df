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
