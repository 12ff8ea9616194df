import CacheModel
import Testing

@testable import WorkloadExplanation
@testable import Workloads

/// The declared behaviour of users, counted in the drawn stream.
@Suite("Users' sessions")
struct SessionTests {
  /// A library in which files come and go while two users move about.
  static func scenario(_ user: String, duration: String, rate: String = "30/min") throws -> Scenario
  {
    try SmallLibrary.scenario(
      """
      duration: \(duration)
      writers: [{rate: \(rate), mix: {create: 60 %, modify: 25 %, delete: 14 %, delete-directory: 1 %}}]
      users: [{name: user, clients: 2, \(user), \(SmallLibrary.activities)}]
      """, files: 2_000, tree: "{depth: 3, fan-out: 12}")
  }

  @Test("Visits begin at their rate and last as long as declared; users act only during them")
  func visits() throws {
    let scenario = try Self.scenario(
      "think: 500 ms, visits: {rate: 100/h, length: 10 s}, mix: {browse: 50 %, recents: 50 %}",
      duration: "20 h", rate: "1/h")
    let section = try #require(scenario.users.first)
    let end = scenario.activeDuration.wholeNanoseconds
    let drawn = VisitTimes.all(
      section.visits, within: section.active, end: end, RandomSource(seed: 9))
    // 2,000 starts; those within a visit prolong it: exp(−100/h · 10 s) of them begin a visit.
    #expect(abs(Double(drawn.count) / 1_997 - 0.757) < 0.05)
    let workload = Workload.generate(scenario)
    for client in workload.clients {
      let visits = client.actions.reduce(into: [Range<Int64>]()) { visits, action in
        let at = action.at.nanoseconds
        if let last = visits.last, at - last.upperBound < 5_000_000_000 {
          visits[visits.count - 1] = last.lowerBound..<at + 1
        } else {
          visits.append(at..<at + 1)
        }
      }
      let total = visits.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      // 100 visits of 10 s an hour are 28 % of it, less what overlaps.
      let share = Double(total) / Double(end)
      #expect(share > 0.18 && share < 0.28, "\(share)")
    }
  }

  @Test("A search is asked at each letter from the first one at which it should be")
  func typing() throws {
    let workload = Workload.generate(
      try SmallLibrary.scenario(
        """
        duration: 20 min
        users: [{name: user, think: 5 s, mix: {search: 100 %}, activities: {search: [
          {type: files.search, letters: 5 letters, ask-from: 3 letters}]}}]
        """, files: 2_000, tree: "{depth: 3, fan-out: 12}"))
    let lengths = workload.clients[0].actions.compactMap { action -> UInt8? in
      switch action.kind {
      case .read(let query), .observe(let query): workload.queries[Int(query)].prefixLength
      default: nil
      }
    }
    #expect(lengths.count > 200 && lengths.contains { $0 > 5 })
    for (former, length) in zip([0] + lengths, lengths) where length > 3 {
      #expect(former == length - 1)
    }
  }

  @Test("A suspended client has its link down between visits and up during them")
  func suspended() throws {
    let workload = Workload.generate(
      try Self.scenario(
        "think: 2 s, visits: {rate: 20/h, length: 60 s, between: suspended}, mix: {browse: 100 %}",
        duration: "10 h"))
    for client in workload.clients {
      #expect(client.partitions.count > 100)
      for action in client.actions {
        if case .unobserve = action.kind { continue }
        #expect(!client.partitions.contains { $0.contains(action.at) })
      }
    }
    #expect(violations(of: workload) == [])
  }

  @Test(
    "A share of the clients has the groups' proportions, and at least its size",
    arguments: [
      ([2], [0]), ([7], [0, 1]), ([4], [0]), ([10], [0, 1, 2]), ([1], [0]),
      ([3, 1], [0, 1, 2, 3]), ([8, 4], [0, 4, 8]), ([4, 6], [0, 2, 4, 6, 8]),
    ])
  func share(groups: [Int], taken: [Int]) throws {
    var scenario = try Self.scenario("think: 2 s, mix: {browse: 100 %}", duration: "10 min")
    let group = try #require(scenario.users.first)
    scenario.users = groups.map { count in
      var group = group
      group.clients = count
      return group
    }
    #expect(scenario.clients(oneIn: 4) == taken)
    #expect(scenario.clients(oneIn: 1) == Array(0..<groups.reduce(0, +)))
  }

  @Test("Thinking takes its mean, with a pause or without memory")
  func think() throws {
    for (text, shortest) in [("4 s", 0.1), ("{mean: 4 s, distribution: exponential}", 0.0)] {
      let scenario = try Self.scenario(
        "think: \(text), mix: {album: 50 %, tag: 50 %}", duration: "20 h", rate: "1/h")
      let actions = Workload.generate(scenario).clients[0].actions
      let gaps = zip(actions, actions.dropFirst()).map {
        Double($0.at.duration(to: $1.at).wholeNanoseconds) / 1e9
      }.filter { $0 > 0 }
      let mean = gaps.reduce(0, +) / Double(gaps.count)
      #expect(abs(mean - 4) < 0.15, "\(mean)")
      #expect((gaps.min() ?? 0) >= shortest * 4)
      // In an exponential distribution a share of exp(−1) is beyond the mean.
      let beyond = Double(gaps.count { $0 > 4 }) / Double(gaps.count)
      #expect(abs(beyond - 0.368) < 0.02)
      if shortest == 0 { #expect(gaps.contains { $0 < 0.1 }) }
    }
  }

  @Test("Redraws repeat the views on screen, in visits only, and change no read")
  func redraws() throws {
    func workload(redraw: String) throws -> Workload {
      Workload.generate(
        try Self.scenario(
          "think: 3 s, watched: [albums.list], redraw: \(redraw), mix: {browse: 60 %, recents: 40 %}",
          duration: "60 min"))
    }
    let calm = try workload(redraw: "100 s")
    let busy = try workload(redraw: "1 s")
    func own(_ workload: Workload) -> [SessionAction] {
      workload.clients[0].actions.filter { if case .redraw = $0.kind { false } else { true } }
    }
    #expect(own(calm) == own(busy))
    let ratio =
      Double(WorkloadSummary(of: busy).redraws) / Double(WorkloadSummary(of: calm).redraws)
    #expect(ratio > 90 && ratio < 110)
  }

  @Test("A query is seen before if the same client has asked it, whatever others did")
  func seenBefore() throws {
    let workload = Workload.generate(
      try Self.scenario(
        "think: 2 s, mix: {browse: 60 %, search: 20 %, album: 10 %, recents: 10 %}",
        duration: "10 min"), seed: 2)
    #expect(workload.clients.count == 2)
    var reads = 0
    var seen = 0
    for client in workload.clients {
      let asked = client.actions.compactMap { action -> UInt32? in
        switch action.kind {
        case .read(let query), .observe(let query): query
        case .redraw, .unobserve, .tag, .open, .write, .maintenance: nil
        }
      }
      reads += asked.count
      // Each query is new to a client once.
      seen += asked.count - Set(asked).count
    }
    let summary = WorkloadSummary(of: workload)
    #expect(summary.clients == 2)
    #expect(summary.queryReads == reads)
    #expect(summary.seenBefore == seen)
    #expect(seen > 20)
  }

  @Test("An entity that a commit only repeats has not changed")
  func repeated() throws {
    var workload = Workload.generate(
      try Self.scenario("think: 2 s, mix: {browse: 100 %}", duration: "10 min"), seed: 2)
    let kept = workload.items
    let place = try #require(
      workload.mutations.lastIndex { mutation in
        !mutation.items.isEmpty
          && kept[mutation.items].allSatisfy { $0.revision != MutationItem.deleted }
      })
    let changed = TypeProfile.all(of: workload).map(\.changed)
    let items = kept[workload.mutations[place].items]
    workload.items += items + items
    workload.mutations[place].items = kept.count..<workload.items.count
    #expect(TypeProfile.all(of: workload).map(\.changed) == changed)
  }
}

@Suite("Times between visits")
struct VisitTimesTests {
  @Test("Are before the first, between each two, and after the last")
  func between() {
    #expect(VisitTimes.between([10..<20, 30..<40], end: 100) == [0..<10, 20..<30, 40..<100])
    #expect(VisitTimes.between([], end: 100) == [0..<100])
  }

  @Test("There is none if a visit begins or ends the run, or follows immediately")
  func none() {
    #expect(VisitTimes.between([0..<20, 80..<100], end: 100) == [20..<80])
    #expect(VisitTimes.between([0..<50, 50..<100], end: 100) == [])
  }
}
