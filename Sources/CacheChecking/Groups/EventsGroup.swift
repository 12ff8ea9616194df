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

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])
  private static let ignoring = [
    ConformanceStep.Poorer(.kept("a1 b1 c1"), .ignoresEvents)
  ]

  private static func docs(
    _ rows: String, or poorer: [ConformanceStep.Poorer]
  ) -> ConformanceStep {
    .read(.docs, right: [.shown(rows)], poorer: poorer)
  }
}
