import CacheSimulation

extension ConformanceGroup {
  static let parts = ConformanceGroup(
    "parts", "It tells a part of an entity from the whole",
    [
      .init(
        "A list that shows a part of each row is kept like any other", needs: [.parts],
        [
          .read(.cards, right: [.asked("(a1) (b1) (c1)")]),
          .read(
            .cards, right: [.kept("(a1) (b1) (c1)")],
            poorer: [.init(.asked("(a1) (b1) (c1)"), .keepsNothing)]),
        ]),
      .init(
        "An entity of which a list has shown a part is asked for, and then there", needs: [.parts],
        [
          .read(.cards, right: [.asked("(a1) (b1) (c1)")]),
          .open("a1", right: [.asked("a1")]),
          .open("a1", right: [.kept("a1")], poorer: [.init(.asked("a1"), .keepsNothing)]),
          .read(.cards, right: either("(a1) (b1) (c1)", "a1 (b1) (c1)")),
        ]),
      .init(
        "A list of wholes is asked for, though another has shown a part of each", needs: [.parts],
        [
          .read(.cards, right: [.asked("(a1) (b1) (c1)")]),
          .read(.docs, right: [.asked("a1 b1 c1")]),
          .read(.cards, right: either("(a1) (b1) (c1)", "a1 b1 c1")),
        ]),
      .init(
        "A part takes no whole's place", needs: [.parts],
        [
          .read(.docs, right: [.asked("a1 b1 c1")]),
          .read(.cards, right: either("(a1) (b1) (c1)", "a1 b1 c1")),
          .read(
            .docs, right: [.kept("a1 b1 c1")],
            poorer: [.init(.asked("a1 b1 c1"), .keepsNothing)]),
          .open("b1", right: [.kept("b1")], poorer: [.init(.asked("b1"), .sharesNothing)]),
        ]),
      .init(
        "A change reaches a list that shows a part of each row", needs: [.parts],
        [
          .read(.cards, right: [.asked("(a1) (b1) (c1)")]), .commit(.change("az")), .tell([2]),
          .read(
            .cards, right: either("(b1) (c1) (az)", "(b1) (c1) az"),
            poorer: [
              .init(.kept("(a1) (b1) (c1)"), .ignoresEvents),
              .init(.kept("az (b1) (c1)"), .keepsOrder),
            ]),
          .open("az", right: [.shown("az")]),
        ]),
      .init(
        "An entity of which only a part is there cannot be opened without a link", needs: [.parts],
        [
          .read(.cards, right: [.asked("(a1) (b1) (c1)")]), .link(isUp: false),
          .open("b1", right: [.failed], poorer: [.init(.none, .waitsOffline)]),
          .read(
            .cards, right: [.shown("(a1) (b1) (c1)")],
            poorer: [.init(.failed, .showsNothingOffline)]),
        ]),
      .init(
        "A later part does not make the whole of an earlier state later", needs: [.parts],
        [
          .open("a1", right: [.asked("a1")]), .commit(.change("a2")),
          .read(.cards, right: [.asked("(a2) (b1) (c1)")]),
          .open("a1", right: [.kept("a1"), .asked("a2")]),
        ]),
    ])

  /// Allows a list to show the whole where it needs only a part.
  private static func either(_ parts: String, _ wholes: String) -> [ConformanceStep.Answer] {
    [.shown(parts), .shown(wholes)]
  }
}
