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

  private static func again(_ rows: String) -> [ConformanceStep.Poorer] {
    [.init(.asked(rows), .keepsNothing)]
  }
}
