extension ConformanceGroup {
  /// Who follows no events need not notice that one is missing, and who follows them without their
  /// sequence is poorer, not wrong: neither is told apart from outside, so that is no failure.
  static let gaps = ConformanceGroup(
    "gaps", "It notices that events are missing", rule: .noticesGaps,
    [
      .init(
        "One event is lost, and the next arrives",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .tell([3]), .wait(5),
          docs("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "One event is lost, and the server says where it stands",
        [readDocs, .commit(.change("a2")), .heartbeat, .wait(5), docs("a2 b1 c1")]),
      .init(
        "The server no longer knows what was lost",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .forget, .tell([3]),
          .wait(5), docs("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "What was lost cannot be had at first",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .hold, .tell([3]), .wait(1),
          .release(.lost), .wait(120), .heartbeat, .wait(5), docs("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "The lost event was late",
        [
          readDocs, .commit(.change("a2")), .commit(.change("b2")), .tell([3, 2]), .wait(5),
          docs("a2 b2 c1", or: "a1 b2 c1"),
        ]),
      .init(
        "A lost deletion",
        [
          readDocs, .commit(.delete("b1")), .commit(.change("c2")), .tell([3]), .wait(5),
          docs("a1 c2", or: "a1 b1 c2"),
        ]),
      .init(
        "The server begins a new count",
        [
          readDocs, .commit(.change("a2")), .restart, .heartbeat, .wait(5), docs("a2 b1 c1"),
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

  private static let readDocs = ConformanceStep.read(.docs, right: [.asked("a1 b1 c1")])

  private static func docs(_ rows: String, or half: String? = nil) -> ConformanceStep {
    .read(
      .docs, right: [.shown(rows)],
      poorer: [.init(.kept("a1 b1 c1"), .missesGaps)]
        + (half.map { [.init(.kept($0), .missesGaps)] } ?? []))
  }
}
