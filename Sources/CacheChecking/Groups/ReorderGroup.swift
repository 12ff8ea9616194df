extension ConformanceGroup {
  static let reorder = ConformanceGroup(
    "reorder", "What arrives late, twice or out of order makes nothing older", rule: .nothingOlder,
    [
      .init(
        "Two changes of one row, the later first",
        [
          readDocs, .commit(.change("a2")), .commit(.change("a3")), .tell([3, 2]), .wait(1),
          docs("a3 b1 c1"),
        ]),
      .init(
        "A change that arrives again after a later one",
        [
          readDocs, .commit(.change("a2")), .commit(.change("a3")), .tell([2, 3, 2, 2]),
          .wait(1), docs("a3 b1 c1"),
        ]),
      .init(
        "A change that arrives after the deletion of its row",
        [
          readDocs, .commit(.change("b2")), .commit(.delete("b2")), .tell([3, 2]), .wait(1),
          docs("a1 c1"),
        ]),
      .init(
        "An answer that the server read before the event",
        [
          .hold, .ask(.docs), .commit(.change("a2")), .tell([2]), .release(.inOrder),
          .judge(
            right: [.asked("a2 b1 c1")], poorer: [.init(.asked("a1 b1 c1"), .tellsLate)]),
          .read(
            .docs, right: [.shown("a2 b1 c1")],
            poorer: [.init(.kept("a1 b1 c1"), .overwrites)]),
        ]),
      .init(
        "An event that the answer has in it already",
        [
          .commit(.change("a2")), .read(.docs, right: [.asked("a2 b1 c1")]), .tell([2]),
          .read(.docs, right: [.shown("a2 b1 c1")]), .commit(.change("a3")), .tell([2]),
          .read(.docs, right: [.shown("a2 b1 c1"), .shown("a3 b1 c1")]),
        ]),
      .init(
        "Of two answers with one row the older comes last",
        [
          .hold, .ask(.docs), .commit(.change("a2")), .askToOpen("a1"), .release(.reversed),
          .judge(
            right: [.asked("a2 b1 c1")], poorer: [.init(.asked("a1 b1 c1"), .tellsLate)]),
          .judge(right: [.asked("a2")]), .open("a1", right: [.shown("a2")]),
        ]),
    ])

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])

  private static func docs(_ rows: String) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)], poorer: [.init(.kept("a1 b1 c1"), .ignoresEvents)])
  }
}
