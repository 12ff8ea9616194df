import CacheSimulation

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
}

extension ConformanceGroup {
  static let writes = ConformanceGroup(
    "writes", "It shows what the user changes, and sends it", rule: .sendsWrites,
    [
      ask(
        "A change of the user's shows at once",
        [
          readDocs, .hold, .write(.change("a2")), docs("a2 b1 c1", before: "a1 b1 c1"),
          .release(.inOrder),
        ]),
      ask(
        "It is sent, and stays",
        [readDocs, .write(.change("a2")), .wait(1), .carriedOut(1...1), docs("a2 b1 c1")]),
      ask(
        "A view is told of it",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .write(.change("b2")), .wait(1),
          .told(.docs, right: "a1 b2 c1", poorer: .tellsNoView),
        ]),
      ask(
        "What the server refuses is taken back",
        [
          readDocs, .refuse(true), .write(.change("a2")), .wait(1), .refuse(false),
          .carriedOut(0...0), docs("a1 b1 c1"), .answered(poorer: .sendsNotAgain),
        ]),
      ask(
        "A row that the user creates shows at once, and then under the server's number",
        [
          readDocs, .hold, .write(.change("e1")), docs("a1 b1 c1 e1", before: "a1 b1 c1"),
          .release(.inOrder), .carriedOut(1...1), docs("a1 b1 c1 e1"),
        ]),
      ask(
        "A row that the user deletes goes at once, and stays away",
        [
          readDocs, .hold, .write(.delete("b1")), docs("a1 c1", before: "a1 b1 c1"),
          .release(.inOrder), .carriedOut(1...1), docs("a1 c1"),
        ]),
      ask(
        "What the user changes without a link is sent when it is back",
        [
          readDocs, .link(isUp: false), .write(.change("a2")),
          docs("a2 b1 c1", before: "a1 b1 c1"), .wait(30), .carriedOut(0...0),
          .link(isUp: true), .heartbeat, .wait(61), .answered(poorer: .sendsNotAgain),
          docs("a2 b1 c1"),
        ]),
      ask(
        "Two changes of one row arrive in their order",
        [
          readDocs, .link(isUp: false), .write(.change("a2")), .write(.change("a3")),
          .link(isUp: true), .wait(61), .carriedOut(1...2), .server(.docs, "a3 b1 c1"),
          docs("a3 b1 c1"),
        ]),
      ask(
        "What was not answered is sent again, and takes effect once",
        [
          readDocs, .hold, .write(.change("a2")), .release(.lost), .wait(120),
          .carriedOut(1...1), .answered(poorer: .sendsNotAgain), docs("a2 b1 c1"),
        ]),
      ask(
        "The event of the user's own change comes before the answer",
        [
          readDocs, .hold, .write(.change("a2")), .tell([2]), docs("a2 b1 c1", before: "a1 b1 c1"),
          .release(.inOrder), docs("a2 b1 c1"), .carriedOut(1...1),
        ]),
      ask(
        "A later change of somebody else's stands over the answer",
        [
          readDocs, .hold, .write(.change("a2")), .commit(.change("a3")), .tell([2, 3]),
          .release(.inOrder),
          .read(
            .docs, right: [.shown("a3 b1 c1")],
            poorer: [.init(.kept("a2 b1 c1"), .ignoresEvents)]),
        ]),
      ask(
        "What is sent once is given up where no answer comes",
        [
          readDocs, .hold, .write(.change("a2"), .sentOnce), .release(.lost), .wait(120),
          .carriedOut(1...1),
          .read(.docs, right: [.shown("a1 b1 c1"), .shown("a2 b1 c1")]),
        ]),
      ask(
        "What shows only when it is confirmed does not show before",
        [
          readDocs, .hold, .write(.change("a2"), .shownWhenConfirmed), docs("a1 b1 c1"),
          .release(.inOrder), docs("a2 b1 c1"),
        ]),
      ask(
        "What was created without a link is deleted before the server knows of it",
        [
          readDocs, .link(isUp: false), .write(.change("e1")),
          docs("a1 b1 c1 e1", before: "a1 b1 c1"), .write(.delete("e1")), docs("a1 b1 c1"),
          .link(isUp: true), .wait(61), .server(.docs, "a1 b1 c1"), docs("a1 b1 c1"),
        ]),
    ])

  private static func ask(_ title: String, _ steps: [ConformanceStep]) -> Row {
    Row(title, needs: [.writes], steps)
  }

  /// Returns a read of `docs`; `before` are the rows shown until the change is confirmed, if not at once.
  private static func docs(_ rows: String, before: String? = nil) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)],
      poorer: (before.map { [.init(.kept($0), .showsLate)] } ?? [])
        + (before == nil ? [] : [.init(.none, .keepsNothing)]))
  }
}

extension ConformanceGroup {
  static let relaunch = ConformanceGroup(
    "relaunch", "It has again what its process before had stored", rule: .hasStored,
    [
      stored(
        "What was stored is there again",
        [
          readDocs, .wait(1), .relaunch,
          .read(.docs, right: [.kept("a1 b1 c1")], poorer: [.init(.asked("*"), .forgetsAtEnd)]),
        ]),
      stored(
        "It is shown without a link",
        [
          readDocs, .wait(1), .link(isUp: false), .relaunch,
          .read(
            .docs, right: [.shown("a1 b1 c1")],
            poorer: [.init(.failed, .forgetsAtEnd), .init(.none, .forgetsAtEnd)]),
        ]),
      stored(
        "What was not on the storage by then is asked for",
        [readDocs, .relaunch, .read(.docs, right: [.asked("a1 b1 c1")])]),
      stored(
        "A process that begins with nothing, and ends at once, leaves nothing",
        [.relaunch, .relaunch, readDocs]),
      stored(
        "What changed while no process ran is shown once the server says where it stands",
        [
          readDocs, .wait(1), .commit(.change("a2")), .relaunch, .heartbeat, .wait(5),
          .read(
            .docs, right: [.shown("a2 b1 c1")], poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      stored(
        "A row that was deleted meanwhile is gone",
        [
          readDocs, .wait(1), .commit(.delete("b1")), .relaunch, .heartbeat, .wait(5),
          .read(.docs, right: [.shown("a1 c1")], poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      stored(
        "What a process was told in its last moment is asked for by the next",
        [
          readDocs, .wait(1), .commit(.change("a2")), .tell([2]), .relaunch,
          .commit(.change("b2")), .tell([3]), .wait(5),
          .read(
            .docs, right: [.shown("a2 b2 c1")],
            poorer: [
              .init(.kept("a1 b1 c1"), .ignoresEvents), .init(.kept("a1 b2 c1"), .missesGaps),
            ]),
        ]),
      stored(
        "What was told long before the end is not lost with it",
        [
          readDocs, .commit(.change("a2")), .tell([2]), .wait(1), .link(isUp: false), .relaunch,
          .read(
            .docs, right: [.shown("a2 b1 c1")],
            poorer: [
              .init(.shown("a1 b1 c1"), .ignoresEvents), .init(.failed, .forgetsAtEnd),
              .init(.none, .forgetsAtEnd),
            ]),
        ]),
      stored(
        "A new epoch that began meanwhile makes nothing of the old one true",
        [
          readDocs, .wait(1), .restart, .commit(.change("a2")), .relaunch, .heartbeat, .wait(5),
          .read(
            .docs, right: [.shown("a2 b1 c1")], poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      stored(
        "A change of the user's that waits for the link is sent by the next process",
        needs: [.storage, .writes],
        [
          readDocs, .link(isUp: false), .write(.change("a2")), .wait(1), .relaunch,
          .link(isUp: true), .heartbeat, .wait(61), .carriedOut(1...1), .server(.docs, "a2 b1 c1"),
        ]),
    ])

  private static func stored(
    _ title: String, needs: [CacheFeature] = [.storage], _ steps: [ConformanceStep]
  ) -> Row {
    Row(title, needs: needs, steps)
  }
}
