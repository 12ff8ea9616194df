import CacheSimulation

extension ConformanceGroup {
  static let relaunch = ConformanceGroup(
    "relaunch", "It has again what its process before had stored", rule: .hasStored,
    [
      ask(
        "What was stored is there again",
        [
          readDocs, .wait(1), .relaunch,
          .read(.docs, right: [.kept("a1 b1 c1")], poorer: [.init(.asked("*"), .forgetsAtEnd)]),
        ]),
      ask(
        "It is shown without a link",
        [
          readDocs, .wait(1), .link(isUp: false), .relaunch,
          .read(
            .docs, right: [.shown("a1 b1 c1")],
            poorer: [.init(.failed, .forgetsAtEnd), .init(.none, .forgetsAtEnd)]),
        ]),
      ask(
        "What was not on the storage by then is asked for",
        [readDocs, .relaunch, .read(.docs, right: [.asked("a1 b1 c1")])]),
      ask(
        "A process that begins with nothing, and ends at once, leaves nothing",
        [.relaunch, .relaunch, readDocs]),
      ask(
        "What changed while no process ran is shown once the server says where it stands",
        [
          readDocs, .wait(1), .commit(.change("a2")), .relaunch, .heartbeat, .wait(5),
          .read(
            .docs, right: [.shown("a2 b1 c1")], poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      ask(
        "A row that was deleted meanwhile is gone",
        [
          readDocs, .wait(1), .commit(.delete("b1")), .relaunch, .heartbeat, .wait(5),
          .read(.docs, right: [.shown("a1 c1")], poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      ask(
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
      ask(
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
      ask(
        "A new epoch that began meanwhile makes nothing of the old one true",
        [
          readDocs, .wait(1), .restart, .commit(.change("a2")), .relaunch, .heartbeat, .wait(5),
          .read(
            .docs, right: [.shown("a2 b1 c1")], poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]),
        ]),
      ask(
        "A change of the user's that waits for the link is sent by the next process",
        needs: [.storage, .writes],
        [
          readDocs, .link(isUp: false), .write(.change("a2")), .wait(1), .relaunch,
          .link(isUp: true), .heartbeat, .wait(61), .carriedOut(1...1), .server(.docs, "a2 b1 c1"),
        ]),
    ])

  private static func ask(
    _ title: String, needs: [CacheFeature] = [.storage], _ steps: [ConformanceStep]
  ) -> Row {
    Row(title, needs: needs, steps)
  }

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])
}
