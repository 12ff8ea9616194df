import CacheModel
import Testing

@testable import WorkloadExplanation
@testable import Workloads

@Suite("Strolls, scrolling and new entities")
struct StrollTests {
  /// Pages below pages, and notes on them, like a file manager's directories and files.
  private static func scenario(_ activities: String, rate: String = "60/h") throws -> Scenario {
    let text = """
      name: outline
      duration: 4 h
      data:
        entities:
          page: {count: 400, size: 300 B, has: {parent: one page, name: text}}
          note:
            count: 4_000
            size: 300 B
            has: {parent: {one: page, zipf: 0.5}, name: text, written: {time: 30 d}}
        queries:
          inside: {list: [page, note], where: parent is subject, order: name, first: 300 rows}
          notes: {list: note, order: name, first: 500 rows}
        operations:
          write: {create: note}
      writers:
        - {name: laptop, rate: \(rate), mix: {write: 100 %}}
      users:
        - name: desktop
          clients: 2
          think: 2 s
          mix: {walk: 100 %}
          activities:
            walk: \(activities)
      """
    return try Scenario.parse(Array(text.utf8), file: "outline.yaml", vocabulary: .unchecked)
  }

  private struct View {
    var query: String?
    var subject: UInt64
    var client: Int
    var at: Int64
  }

  /// The views that users open, in order.
  private static func views(_ workload: Workload) -> [View] {
    workload.clients.enumerated().flatMap { client, script in
      script.actions.compactMap { action in
        guard case .observe(let query) = action.kind else { return nil }
        let spec = workload.queries[Int(query)]
        return View(
          query: workload.model.shape(of: spec.kind)?.name, subject: spec.subject, client: client,
          at: action.at.nanoseconds)
      }
    }
  }

  @Test(
    "A stroll never opens the list on screen, nor begins with one of the last two",
    arguments: 1...3 as ClosedRange<UInt64>)
  func leavesWhatWasSeen(seed: UInt64) throws {
    let scenario = try Self.scenario(
      "[stroll: {through: inside, moves: 6, back: 0 %, descend: 0 %, revisit: 90 %, opens: 0}]")
    let workload = Workload.generate(scenario, seed: seed)
    #expect(violations(of: workload) == [])
    let views = Self.views(workload)
    #expect(views.count > 1_000)
    for (last, view) in zip(views, views.dropFirst()) where last.client == view.client {
      #expect(view.subject != last.subject)
    }
    // A leap may lead to the view before: with nine revisits in ten it often does.
    let returns = zip(views, views.dropFirst(2)).count {
      $0.client == $1.client && $0.subject == $1.subject
    }
    #expect(returns > 20)
  }

  @Test("Moves go back, down and elsewhere as often as declared, where they can")
  func moves() throws {
    let down = Workload.generate(
      try Self.scenario(
        "[stroll: {through: inside, moves: 4, back: 0 %, descend: 100 %, revisit: 0 %, opens: 0}]"))
    let parents = Dictionary(
      uniqueKeysWithValues: down.catalog.revisions.map { revision in
        (revision.object, down.catalog.values[Int(down.catalog.valueStarts[Int(revision.object)])])
      })
    let views = Self.views(down)
    let children = zip(views, views.dropFirst()).count { last, view in
      last.client == view.client && parents[UInt32(view.subject)] == last.subject
    }
    // Strolls end in pages without pages below, so that not every view is followed by a child's.
    #expect(children > views.count / 4)

    let both = Self.views(
      Workload.generate(
        try Self.scenario(
          "[stroll: {through: inside, moves: 9, back: 50 %, descend: 0 %, revisit: 0 %, opens: 0}]")
      ))
    let returns = zip(both, both.dropFirst(2)).count { $0.subject == $1.subject }
    // Places left and immediately revisited: half of the moves lead elsewhere, half of those after them back.
    #expect((0.2...0.3).contains(Double(returns) / Double(both.count)))
  }

  @Test("A stroll has one view more than moves, since every move leads somewhere")
  func length() throws {
    let views = Self.views(
      Workload.generate(
        try Self.scenario(
          "[visit: notes, stroll: {through: inside, moves: 6, back: 45 %, descend: 30 %, opens: 0}]"
        )))
    // Every stroll comes after a look at all notes.
    let strolls = views.count { $0.query == "notes" }
    #expect(strolls > 300)
    #expect(abs(Double(views.count) / Double(strolls) - 8) < 0.4)
  }

  @Test("As many rows are opened in each view as declared, none that lead further down")
  func opens() throws {
    let workload = Workload.generate(
      try Self.scenario(
        "[stroll: {through: inside, moves: 6, back: 30 %, descend: 20 %, revisit: 50 %, opens: 0.8}]"
      ))
    var opened = 0
    var views = 0
    for action in workload.clients.flatMap(\.actions) {
      switch action.kind {
      case .open(let object, let view):
        opened += 1
        #expect(workload.catalog.objects[Int(object)].type.rawValue == 2)
        #expect(view != nil)
      case .observe: views += 1
      default: break
      }
    }
    // The last view of a stroll is only viewed, and pages without notes have none to open.
    #expect((0.45...0.8).contains(Double(opened) / Double(views)))
  }

  @Test(
    "A place is pinned or not independently, at the first visit only, which shifts nothing else")
  func pins() throws {
    func workload(pin: Int) throws -> Workload {
      Workload.generate(
        try Self.scenario(
          "[stroll: {through: inside, back: 0 %, descend: 0 %, revisit: 20 %, opens: 0, pin: \(pin) %}]"
        ))
    }
    let pinned = try workload(pin: 25)
    for (script, without) in zip(pinned.clients, try workload(pin: 0).clients) {
      let rest = script.actions.filter { if case .tag = $0.kind { false } else { true } }
      #expect(rest == without.actions)
      var pinned: [UInt32] = []
      var seen: Set<UInt32> = []
      for action in script.actions {
        if case .tag(let query) = action.kind { pinned.append(query) }
        if case .observe(let query) = action.kind { seen.insert(query) }
      }
      #expect(Set(pinned).count == pinned.count)
      #expect((0.17...0.33).contains(Double(pinned.count) / Double(seen.count)))
    }
  }

  @Test("Scrolling opens rows that follow each other, one pause apart, from near the top on")
  func scrolls() throws {
    let workload = Workload.generate(
      try Self.scenario("[visit: notes, {scroll: 20 rows, pause: 400 ms}]"))
    var steps = 0
    for script in workload.clients {
      for (action, next) in zip(script.actions, script.actions.dropFirst()) {
        guard case .open = action.kind, case .open(_, let view) = next.kind else { continue }
        steps += 1
        #expect(next.at.nanoseconds - action.at.nanoseconds == 400_000_000)
        #expect(view != nil)
      }
    }
    #expect(steps > 400)
  }

  @Test("Notified entities are younger than declared, and opened alone as often as declared")
  func calls() throws {
    let workload = Workload.generate(
      try Self.scenario("[{notified: note, within: 30 min, in: inside, direct: 60 %}]"))
    var born: [UInt32: Int64] = [:]
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] { born[item.object] = mutation.at.nanoseconds }
    }
    var alone = 0
    var opened = 0
    for action in workload.clients.flatMap(\.actions) {
      guard case .open(let object, let view) = action.kind else { continue }
      opened += 1
      if view == nil { alone += 1 }
      let age = action.at.nanoseconds - (born[object] ?? -.max / 2)
      #expect((0...(31 * 60_000_000_000)).contains(age))
    }
    #expect(opened > 1_000)
    #expect((0.55...0.65).contains(Double(alone) / Double(opened)))
  }

  @Test("The newest entities are notified most, in proportion to one over their age")
  func popularityFallsWithAge() throws {
    let workload = Workload.generate(
      try Self.scenario("[{notified: note, within: 30 min}]", rate: "30/min"))
    let births = WorkloadSummary.births(in: workload)
    let ages = workload.clients.flatMap(\.actions).compactMap { action -> Double? in
      guard case .open(let object, _) = action.kind, let birth = births[Int(object)] else {
        return nil
      }
      return Double(birth.duration(to: action.at).wholeNanoseconds) / 1e9
    }
    // As many fall on the first 43 s as on the 40 times as long rest.
    let young = Double(ages.count { $0 < 43 }) / Double(ages.count)
    #expect(young > 0.4 && young < 0.6, "\(young)")
  }

  @Test(
    "A walk, scroll or notice that is impossible is refused with its place",
    arguments: [
      (
        "[stroll: {through: notes}]",
        "`notes` is not about what a row of it refers to; stroll through a query"
      ),
      ("[stroll: {moves: 2}]", "`through` is missing"),
      (
        "[stroll: {through: inside, back: 60 %, descend: 60 %}]",
        "`back` and `descend` exceed 100 %; lower one of them"
      ),
      ("[{notified: note, in: notes}]", "`notes` does not list a note by a reference of it"),
      ("[{notified: note, direct: 50 %}]", "`direct` is the share opened by itself"),
      ("[{notified: nots}]", "unknown type `nots`; did you mean `note`?"),
      ("[scroll: 5 rows]", "no view is on screen yet"),
      ("[visit: notes, {open: 1, pause: 2 s}]", "`pause` belongs to `scroll`"),
    ])
  func refuses(activities: String, problem: String) {
    let error = #expect(throws: ScenarioError.self) { try Self.scenario(activities) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("outline.yaml:2"))
    #expect(text.contains(problem), "\(text)")
  }
}
