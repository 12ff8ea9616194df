import Testing

@testable import WorkloadExplanation
@testable import Workloads

private let head = """
  name: a
  duration: 10 min
  data:
    entities:
      room: {count: 9 rooms, size: 500 B, has: {name: text}}
      note:
        count: 90 notes
        size: {median: 200 B, p99: 2 kB}
        has: {room: {one: room, cascade: yes}, sent: time, body: text, pinned: flag}
    queries:
      rooms:  {list: room, order: name, first: 20 rows}
      thread: {list: note, where: room is subject, order: sent descending, page: 5 rows}
    operations:
      post: {create: note}
      pin:  {toggle: note.pinned}
      drop: {delete: note}
      tidy: {set: note.room, batch: 5 notes}
  writers: [{name: o, count: 1 devices, rate: 5/min, mix: {post: 60 %, pin: 40 %}}]
  users:

  """

@Suite("Users' writes, as declared and as drawn")
struct WrittenTests {
  private static func scenario(_ rest: String) throws -> Scenario {
    try Scenario.parse(
      Array((head + rest + "\npolicies: [lru]\n").utf8), file: "f.yaml", vocabulary: .unchecked)
  }

  private static let group = """
      - name: phone
        clients: 2 clients
        think: 1 s
        writes: {refused: 10 %}
        mix: {talk: 100 %}
        activities:
          talk: [visit: thread, {write: post}, {write: pin, chance: 50 %}, {write: drop, chance: 20 %}]
    """

  static let errors: [(name: String, rest: String, error: String)] = [
    (
      "an unknown operation",
      "  - {mix: {a: 100 %}, activities: {a: [visit: thread, {write: pst}]}}",
      "f.yaml:20:63: unknown operation `pst`; did you mean `post`?"
    ),
    (
      "an operation on what is not on screen",
      "  - {mix: {a: 100 %}, activities: {a: [visit: rooms, {write: pin}]}}",
      "f.yaml:20:62: `pin` changes `note`, and the view on screen lists `room`; visit or follow"
    ),
    (
      "an operation on several at a time",
      "  - {mix: {a: 100 %}, activities: {a: [visit: thread, {write: tidy}]}}",
      "f.yaml:20:63: `tidy` changes several entities at a time, and a user one; declare"
    ),
    (
      "a choice of what is created",
      "  - {mix: {a: 100 %}, activities: {a: [visit: thread, {write: post, zipf: 1.0}]}}",
      "f.yaml:20:69: `zipf` chooses a row, and `post` creates one; remove `zipf`"
    ),
    (
      "a write before a view",
      "  - {mix: {a: 100 %}, activities: {a: [{write: post}]}}",
      "f.yaml:20:40: no view is on screen yet; begin with `visit`, `type` or `stroll`"
    ),
    (
      "writes of a group that writes nothing",
      "  - {writes: {refused: 5 %}, mix: {a: 100 %}, activities: {a: [visit: thread]}}",
      "f.yaml:20:14: no activity of the group writes anything; add a step such as"
    ),
    (
      "an unknown way",
      "  - {writes: {through: post}, mix: {a: 100 %}, activities: {a: [visit: thread, {write: post}]}}",
      "f.yaml:20:24: "
    ),
    (
      "silence where nobody writes",
      "  - {mix: {a: 100 %}, activities: {a: [visit: thread]}}\n"
        + "faults: [{kind: unanswered, at: 1 min, for: 1 min}]",
      "f.yaml:21:10: there are no writes that could go unanswered; add a step"
    ),
  ]

  @Test("Contradictions are reported with their place and a remedy", arguments: errors.indices)
  func contradictions(index: Int) throws {
    let (name, rest, expected) = Self.errors[index]
    do {
      _ = try Self.scenario(rest)
      Issue.record("\(name): no error")
    } catch {
      #expect("\(error)".contains(expected), "\(name): \(error)")
    }
  }

  @Test("Writes are drawn with the session, once for all")
  func drawn() throws {
    let scenario = try Self.scenario(Self.group)
    let workload = Workload.generate(scenario, seed: 3)
    #expect(Workload.generate(scenario, seed: 3) == workload)
    #expect(workload.writes.count > 200)
    let share = Double(workload.writes.count(where: \.isRefused)) / Double(workload.writes.count)
    #expect(abs(share - 0.1) < 0.05)
    for (index, client) in workload.clients.enumerated() {
      let made = client.actions.compactMap { action in
        if case .write(let number) = action.kind { number } else { nil }
      }
      #expect(made.allSatisfy { workload.writes[Int($0)].client == UInt32(index) })
      #expect(made == made.sorted())
    }
    // An entity created in a thread belongs to its room.
    for write in workload.writes where write.isCreation {
      let item = workload.items[write.items.lowerBound]
      let start = Int(workload.catalog.valueStarts[Int(item.revision)])
      #expect(workload.catalog.values[start] != UInt64(Revision.noObject))
    }
    let positions = workload.mutations.map(\.position)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
    // No other client receives a refused write.
    #expect(
      workload.mutations.compactMap(\.write).allSatisfy { !workload.writes[Int($0)].isRefused })
  }

  @Test("An optional step is done as often as declared, and the next follows either way")
  func optional() throws {
    func workload(_ steps: String) throws -> Workload {
      Workload.generate(
        try Self.scenario(
          "  - {clients: 4 clients, think: 1 s, mix: {a: 100 %}, activities: {a: [\(steps)]}}"),
        seed: 3)
    }
    let drawn = try workload("visit: thread, {write: post, optional: 30 %}, {write: pin}")
    let all = Double(drawn.writes.count)
    let share = Double(drawn.writes.count(where: \.isCreation)) / all
    // Of 1.3 writes on average 0.3 are optional.
    #expect(all > 500 && abs(share - 0.3 / 1.3) < 0.05, "\(share) of \(all)")
    let always = try workload("visit: thread, {write: post, optional: 100 %}")
    #expect(always.writes.allSatisfy(\.isCreation) && always.writes.count > 300)
    #expect(try workload("visit: thread, {write: post, optional: 0 %}").writes.isEmpty)
  }

  @Test("Others' changes are the same whether users write or not")
  func othersAreTheSame() throws {
    let written = Workload.generate(try Self.scenario(Self.group), seed: 3)
    let read = Workload.generate(
      try Self.scenario(
        "  - {name: phone, mix: {a: 100 %}, activities: {a: [visit: thread]}}"), seed: 3)
    let others = written.mutations.filter { $0.write == nil }
    #expect(others.map(\.at) == read.mutations.map(\.at))
    #expect(others.map(\.items) == read.mutations.map(\.items))
    #expect(read.mutations.allSatisfy { $0.write == nil } && read.writes.isEmpty)
    #expect(read.restarts.isEmpty && read.ownEvents == nil)
  }

  @Test("explain says what users write")
  func explained() throws {
    let scenario = try Self.scenario(Self.group)
    let lines = Explanation(scenario, Workload.generate(scenario)).lines(width: 100)
      .flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(lines.contains("creates a note (post)"))
    #expect(lines.contains("the server refuses 10 %"))
    #expect(lines.contains("will be refused"))
  }
}
