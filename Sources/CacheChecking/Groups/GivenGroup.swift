import CacheSimulation

extension ConformanceGroup {
  static let given = ConformanceGroup(
    "given", "It is told which lists a change enters and leaves, and has it so",
    rule: .followsLists,
    [
      ask(
        "A row enters a list at its place",
        [readDocs, .commit(.change("e1")), .tell([2]), docs("a1 b1 c1 e1", before: "a1 b1 c1")]),
      ask(
        "A row moves within a list",
        [readDocs, .commit(.change("az")), .tell([2]), docs("b1 c1 az", before: "a1 b1 c1")]),
      ask(
        "A row leaves a list",
        [readDocs, .commit(.delete("b1")), .tell([2]), docs("a1 c1", before: "a1 b1 c1")]),
      ask(
        "A row goes from one list to another",
        [
          readDocs, .read(.other, right: [.asked("d1")]), .commit(.change("bo")), .tell([2]),
          docs("a1 c1", before: "a1 b1 c1"),
          .read(
            .other, right: [.shown("bo d1")], poorer: [.init(.kept("d1"), .ignoresEvents)]),
        ]),
      ask(
        "A row that changes where it stands leaves the list as it is",
        [readDocs, .commit(.change("b2")), .tell([2]), docs("a1 b2 c1", before: "a1 b1 c1")]),
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
        [readDocs, .commit(.untold("a2")), .tell([2]), docs("a2 b1 c1", before: "a1 b1 c1")]),
      ask(
        "Two events in the wrong order make what they make in the right one",
        [
          readDocs, .commit(.change("e1")), .commit(.delete("b1")), .tell([3, 2]), .wait(5),
          docs("a1 c1 e1", before: "a1 b1 c1"),
        ]),
      ask(
        "Events that were lost are asked for, and carried out once",
        [
          readDocs, .commit(.change("e1")), .commit(.delete("b1")), .commit(.change("az")),
          .tell([4, 3, 3]), .wait(5), docs("c1 e1 az", before: "a1 b1 c1"),
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
          docs("b1 c1 e1 az"), .commit(.delete("c1")), .tell([4]),
          docs("b1 e1 az", before: "b1 c1 e1 az"),
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

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])
  private static let readNow = ConformanceStep.read(.docs, right: [.asked("*")])

  private static func docs(_ rows: String, before: String? = nil) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)],
      poorer: before.map { [.init(.kept($0), .ignoresEvents)] } ?? [])
  }
}
