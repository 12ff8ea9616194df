import CacheSimulation

extension ConformanceGroup {
  static let events = ConformanceGroup(
    "events", "It follows what the server tells", rule: .followsEvents,
    [
      .init(
        "A change is shown",
        [readDocs, .commit(.change("a2")), .tell([2]), docs("a2 b1 c1", or: ignoring)]),
      .init(
        "So is each that follows",
        [
          readDocs, .commit(.change("a2")), .tell([2]), docs("a2 b1 c1", or: ignoring),
          .commit(.change("b2")), .tell([3]), docs("a2 b2 c1", or: ignoring),
          .commit(.change("a3")), .tell([4]),
          docs("a3 b2 c1", or: ignoring + [.init(.kept("a2 b2 c1"), .ignoresEvents)]),
          .commit(.change("c2")), .tell([5]),
          docs("a3 b2 c2", or: ignoring + [.init(.kept("a3 b2 c1"), .ignoresEvents)]),
        ]),
      .init(
        "A row that gets another name gets another place",
        [
          readDocs, .commit(.change("az")), .tell([2]),
          docs("b1 c1 az", or: ignoring + [.init(.kept("az b1 c1"), .keepsOrder)]),
        ]),
      .init(
        "A row moves from one list to another",
        [
          readDocs, .read(.other, right: [.asked("d1")]), .commit(.change("bo")), .tell([2]),
          docs("a1 c1", or: ignoring + [.init(.kept("a1 bo c1"), .keepsOrder)]),
          .read(
            .other, right: [.shown("bo d1")], poorer: [.init(.kept("d1"), .ignoresEvents)]),
        ]),
      .init(
        "A new row enters",
        [readDocs, .commit(.change("e1")), .tell([2]), docs("a1 b1 c1 e1", or: ignoring)]),
      .init(
        "A deleted row leaves",
        [
          readDocs, .commit(.change("a2")), .tell([2]), docs("a2 b1 c1", or: ignoring),
          .commit(.delete("b1")), .tell([3]),
          docs("a2 c1", or: ignoring + [.init(.kept("a2 b1 c1"), .ignoresEvents)]),
        ]),
      .init(
        "What may have changed is asked for",
        [readDocs, .commit(.untold("a2")), .tell([2]), docs("a2 b1 c1", or: ignoring)]),
      .init(
        "A row that left comes back",
        [
          readDocs, .commit(.change("bo")), .commit(.change("b3")), .tell([2, 3]),
          docs("a1 b3 c1", or: ignoring),
        ]),
      .init(
        "An event that tells of no entity spoils nothing",
        [
          readDocs, .commit(.nothing), .tell([2]),
          .read(
            .docs, right: [.kept("a1 b1 c1")],
            poorer: [.init(.asked("a1 b1 c1"), .keepsNothing)]),
        ]),
      .init(
        "A change of an entity that was opened",
        [
          .open("a1", right: [.asked("a1")]), .commit(.change("a2")), .tell([2]),
          .open("a1", right: [.shown("a2")], poorer: [.init(.kept("a1"), .ignoresEvents)]),
        ]),
      .init(
        "Two rows of one event change together",
        [
          readDocs, .commit(.change("a2 c2")), .tell([2]), docs("a2 b1 c2", or: ignoring),
        ]),
      .init(
        "Where a row of a list with a limit goes, the next moves up",
        [
          .read(.top, right: [.asked("a1 b1")]), .commit(.delete("b1")), .tell([2]),
          .read(
            .top, right: [.shown("a1 c1")],
            poorer: [
              .init(.kept("a1 b1"), .ignoresEvents), .init(.kept("a1"), .leavesGap),
            ]),
        ]),
    ])

  private static let ignoring = [
    ConformanceStep.Poorer(.kept("a1 b1 c1"), .ignoresEvents)
  ]

  private static func docs(
    _ rows: String, or poorer: [ConformanceStep.Poorer]
  ) -> ConformanceStep {
    .read(.docs, right: [.shown(rows)], poorer: poorer)
  }
}

extension ConformanceGroup {
  static let reorder = ConformanceGroup(
    "reorder", "What arrives late, twice or out of order makes nothing older", rule: .nothingOlder,
    [
      .init(
        "Two changes of one row, the later first",
        [
          readDocs, .commit(.change("a2")), .commit(.change("a3")), .tell([3, 2]), .wait(1),
          shown("a3 b1 c1"),
        ]),
      .init(
        "A change that arrives again after a later one",
        [
          readDocs, .commit(.change("a2")), .commit(.change("a3")), .tell([2, 3, 2, 2]),
          .wait(1), shown("a3 b1 c1"),
        ]),
      .init(
        "A change that arrives after the deletion of its row",
        [
          readDocs, .commit(.change("b2")), .commit(.delete("b2")), .tell([3, 2]), .wait(1),
          shown("a1 c1"),
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

  private static func shown(_ rows: String) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)], poorer: [.init(.kept("a1 b1 c1"), .ignoresEvents)])
  }
}

extension ConformanceGroup {
  /// A cache without events need not notice a missing one, and a cache that ignores sequence numbers is
  /// poorer, not wrong: the two look the same from outside, so that is no failure.
  static let gaps = ConformanceGroup(
    "gaps", "It notices that events are missing", rule: .noticesGaps,
    [
      .init(
        "One event is lost, and the next arrives",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .tell([3]), .wait(5),
          caughtUp("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "One event is lost, and the server says where it stands",
        [readDocs, .commit(.change("a2")), .heartbeat, .wait(5), caughtUp("a2 b1 c1")]),
      .init(
        "The server no longer knows what was lost",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .forget, .tell([3]),
          .wait(5), caughtUp("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "What was lost cannot be had at first",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .hold, .tell([3]), .wait(1),
          .release(.lost), .wait(120), .heartbeat, .wait(5), caughtUp("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "The lost event was late",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .tell([3, 2]), .wait(5),
          caughtUp("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "A lost deletion",
        [
          readDocs, .commit(.delete("b1")), .commit(.change("c2")), .tell([3]), .wait(5),
          caughtUp("a1 c2", or: "a1 b1 c2"),
        ]),
      .init(
        "The server begins a new count",
        [
          readDocs, .commit(.change("a2")), .restart, .heartbeat, .wait(5), caughtUp("a2 b1 c1"),
        ]),
      .init(
        "Nothing is missing where the first event comes late",
        [
          .commit(.change("b2")), .commit(.change("a2")), .read(.docs, right: [.asked("a2 b2 c1")]),
          .commit(.change("a3")), .tell([4]), .wait(5),
          .read(
            .docs, right: [.shown("a3 b2 c1")],
            poorer: [.init(.kept("a2 b2 c1"), .ignoresEvents)]),
        ]),
    ])

  private static func caughtUp(_ rows: String, or half: String? = nil) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)],
      poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]
        + (half.map { [.init(.kept($0), .missesGaps)] } ?? []))
  }
}

extension ConformanceGroup {
  static let given = ConformanceGroup(
    "given", "It is told which lists a change enters and leaves, and has it so",
    rule: .followsLists,
    [
      ask(
        "A row enters a list at its place",
        [readDocs, .commit(.change("e1")), .tell([2]), told("a1 b1 c1 e1", before: "a1 b1 c1")]),
      ask(
        "A row moves within a list",
        [readDocs, .commit(.change("az")), .tell([2]), told("b1 c1 az", before: "a1 b1 c1")]),
      ask(
        "A row leaves a list",
        [readDocs, .commit(.delete("b1")), .tell([2]), told("a1 c1", before: "a1 b1 c1")]),
      ask(
        "A row goes from one list to another",
        [
          readDocs, .read(.other, right: [.asked("d1")]), .commit(.change("bo")), .tell([2]),
          told("a1 c1", before: "a1 b1 c1"),
          .read(
            .other, right: [.shown("bo d1")], poorer: [.init(.kept("d1"), .ignoresEvents)]),
        ]),
      ask(
        "A row that changes where it stands leaves the list as it is",
        [readDocs, .commit(.change("b2")), .tell([2]), told("a1 b2 c1", before: "a1 b1 c1")]),
      ask(
        "What moves up in a list that was full is asked for",
        [
          .read(.top, right: [.asked("a1 b1")]), .commit(.delete("a1")), .tell([2]),
          .read(.top, right: [.shown("b1 c1")], poorer: [.init(.kept("a1 b1"), .ignoresEvents)]),
        ]),
      ask(
        "What enters a list that is full pushes the last row out",
        [
          .commit(.change("bo")), .read(.top, right: [.asked("a1 c1")]),
          .commit(.change("b3")), .tell([2, 3]),
          .read(.top, right: [.shown("a1 b3")], poorer: [.init(.kept("a1 c1"), .ignoresEvents)]),
        ]),
      ask(
        "What an event does not tell is asked for",
        [readDocs, .commit(.untold("a2")), .tell([2]), told("a2 b1 c1", before: "a1 b1 c1")]),
      ask(
        "Two events in the wrong order make what they make in the right one",
        [
          readDocs, .commit(.change("e1")), .commit(.delete("b1")), .tell([3, 2]), .wait(5),
          told("a1 c1 e1", before: "a1 b1 c1"),
        ]),
      ask(
        "Events that were lost are asked for, and carried out once",
        [
          readDocs, .commit(.change("e1")), .commit(.delete("b1")), .commit(.change("az")),
          .tell([4, 3, 3]), .wait(5), told("c1 e1 az", before: "a1 b1 c1"),
        ]),
      ask(
        "An answer that an event overtook is changed by it",
        [
          .hold, .ask(.docs), .commit(.change("e1")), .commit(.delete("a1")), .tell([2, 3]),
          .release(.inOrder),
          .judge(
            right: [.asked("b1 c1 e1")], poorer: [.init(.asked("a1 b1 c1"), .tellsLate)]),
          .wait(1),
          .read(
            .docs, right: [.shown("b1 c1 e1")],
            poorer: [.init(.kept("a1 b1 c1"), .overwrites)]),
        ]),
      ask(
        "An event that an answer overtook is not carried out twice",
        [
          .read(.other, right: [.asked("d1")]), .commit(.change("e1")), .commit(.change("az")),
          readNow, .tell([2, 3]),
          told("b1 c1 e1 az"), .commit(.delete("c1")), .tell([4]),
          told("b1 e1 az", before: "b1 c1 e1 az"),
        ]),
      ask(
        "A view is told",
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .commit(.change("az")), .tell([2]),
          .wait(1), .told(.docs, right: "b1 c1 az", poorer: .tellsNoView),
        ]),
    ])

  private static func ask(_ title: String, _ steps: [ConformanceStep]) -> Row {
    Row(title, needs: [.given], steps)
  }

  private static let readNow = ConformanceStep.read(.docs, right: [.asked("*")])

  private static func told(_ rows: String, before: String? = nil) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)],
      poorer: before.map { [.init(.kept($0), .ignoresEvents)] } ?? [])
  }
}
