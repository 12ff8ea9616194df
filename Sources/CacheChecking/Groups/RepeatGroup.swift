extension ConformanceGroup {
  static let `repeat` = ConformanceGroup(
    "repeat", "It does the same another time",
    [
      .init(
        "Two processes that are told the same say the same", repeated: true,
        [
          .observe(.docs, right: [.asked("a1 b1 c1")]), .ask(.other), .ask(.big), .ask(.top),
          .askToOpen("d1"), .commit(.change("a2 b2")), .tell([2]), .commit(.untold("c2")),
          .tell([3]), .ask(.docs), .link(isUp: false), .ask(.docs), .ask(.empty), .wait(600),
          .link(isUp: true), .heartbeat, .wait(600), .ask(.docs), .ask(.empty),
        ])
    ])
}
