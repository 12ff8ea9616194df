extension ConformanceGroup {
  static let requests = ConformanceGroup(
    "requests", "It asks the server, which may fail",
    [
      .init(
        "Two reads of one list wait for one request",
        [
          .hold, .ask(.docs), .ask(.docs),
          .underWay(right: 1...1, poorer: 2...2, .asksTwice), .release(.inOrder),
          .judge(right: [.asked("a1 b1 c1")]), .judge(right: [.asked("a1 b1 c1")]),
        ]),
      .init(
        "Several requests at once, answered in order",
        [
          .hold, .ask(.docs), .ask(.other), .ask(.empty), .askToOpen("a1"),
          .underWay(right: 3...4, poorer: 3...4, .asksTwice), .release(.inOrder),
          .judge(right: [.asked("a1 b1 c1")]), .judge(right: [.asked("d1")]),
          .judge(right: [.asked("")]), .judge(right: [.asked("a1")]),
        ]),
      .init(
        "Several requests at once, the last answered first",
        [
          .hold, .ask(.docs), .ask(.other), .ask(.empty), .askToOpen("a1"), .release(.reversed),
          .judge(right: [.asked("a1 b1 c1")]), .judge(right: [.asked("d1")]),
          .judge(right: [.asked("")]), .judge(right: [.asked("a1")]),
        ]),
      .init(
        "A refused request fails its reads; the next read asks again",
        [
          .hold, .ask(.docs), .ask(.docs), .release(.refused), .judge(right: [.failed, asked]),
          .judge(right: [.failed, asked]), .wait(1), .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "A lost request fails its reads, or is sent again",
        [
          .hold, .ask(.docs), .release(.lost), .judge(right: [.failed, asked]), .wait(1),
          .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "A refused request for what is kept is no list without rows",
        [
          .read(.docs, right: [asked]), .commit(.untold("a2")), .tell([2]), .hold, .ask(.docs),
          .release(.refused),
          .judge(right: [.failed, .shown("a1 b1 c1"), .shown("a2 b1 c1")]), .wait(1),
          .read(
            .docs, right: [.shown("a2 b1 c1")],
            poorer: [.init(.kept("a1 b1 c1"), .ignoresEvents)]),
        ]),
      .init(
        "An answer that says that nothing changed confirms what is kept",
        [
          .read(.docs, right: [asked]), .wait(86_400), .read(.docs, right: [.shown("a1 b1 c1")]),
          .wait(1), .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "A server that fails for a while is not asked without a pause",
        [
          .refuse(true), .ask(.docs), .wait(5),
          .judge(right: [.failed], poorer: [.init(.none, .waitsOffline)]), .refuse(false),
          .wait(61), .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
    ])

  private static let asked = ConformanceStep.Answer.asked("a1 b1 c1")
}
