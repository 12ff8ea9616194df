import CacheSimulation

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

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])

  /// A read of `docs`; `before` is what shows where the change shows only when it is confirmed.
  private static func docs(_ rows: String, before: String? = nil) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)],
      poorer: (before.map { [.init(.kept($0), .showsLate)] } ?? [])
        + (before == nil ? [] : [.init(.none, .keepsNothing)]))
  }
}
