extension ConformanceGroup {
  static let offline = ConformanceGroup(
    "offline", "It lives without a link", rule: .noticesGaps,
    [
      .init(
        "What it has is shown",
        [
          readDocs, .link(isUp: false),
          .read(
            .docs, right: [.shown("a1 b1 c1")],
            poorer: [.init(.failed, .showsNothingOffline), .init(.none, .showsNothingOffline)]),
        ]),
      .init(
        "What it never had is not there; with the link it is",
        [
          .link(isUp: false),
          .read(.docs, right: [.failed], poorer: [.init(.none, .waitsOffline)]),
          .link(isUp: true), .wait(61), .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "What may have changed is shown all the same",
        [
          readDocs, .commit(.untold("a2")), .tell([2]), .commit(.change("b2")),
          .link(isUp: false),
          .read(
            .docs, right: [.shown("a1 b1 c1"), .shown("a2 b1 c1")],
            poorer: [.init(.failed, .showsNothingOffline), .init(.none, .showsNothingOffline)]),
        ]),
      .init(
        "What changed meanwhile is shown when the link is back",
        [
          readDocs, .link(isUp: false), .commit(.change("a2")), .commit(.delete("b1")), .wait(30),
          .link(isUp: true), .heartbeat, .wait(5),
          .read(
            .docs, right: [.shown("a2 c1")],
            poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      .init(
        "The link goes while a request is under way",
        [
          .hold, .ask(.docs), .link(isUp: false), .release(.lost),
          .judge(right: [.failed], poorer: [.init(.none, .waitsOffline)]), .link(isUp: true),
          .wait(61), .read(.docs, right: [.shown("a1 b1 c1")]),
        ]),
      .init(
        "A view sees when the link is back what it missed",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .link(isUp: false),
          .commit(.change("c2")), .wait(30), .link(isUp: true), .heartbeat, .wait(5),
          .told(.docs, right: "a1 b1 c2", poorer: .tellsNoView),
        ]),
      .init(
        "A link that comes and goes loses nothing",
        [
          readDocs, .link(isUp: false), .link(isUp: true), .link(isUp: false), .link(isUp: true),
          .read(.docs, right: [.shown("a1 b1 c1")]), .read(.other, right: [.shown("d1")]),
        ]),
    ])

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])
}
