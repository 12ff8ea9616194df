import CacheModel
import Testing

@testable import Workloads

/// What sessions promise to do, counted on what was drawn.
@Suite("Sessions")
struct SessionTests {
  /// A library in which files come and go while two users move about.
  static func scenario(
    session: String, devices: String = creators, duration: String = "60 min",
    files: String = "2_000 files"
  ) throws -> Scenario {
    let yaml = """
      name: drawn
      duration: \(duration)
      library: {files: \(files), depth: 3 levels, fan-out: 12 directories, albums: 8 albums, tags: 5 tags}
      devices: [\(devices)]
      sessions: [{name: user, clients: 2 clients, \(session)}]
      """
    return try Scenario.parse(Array(yaml.utf8), file: "drawn.yaml", vocabulary: .unchecked)
  }

  static let creators =
    "{name: laptop, rate: 30/min, mix: {create: 60 %, modify: 25 %, delete: 14 %, delete-directory: 1 %}}"
  static let everything =
    "think: 2 s, moves: 4 moves, mix: {browse: 40 %, search: 20 %, album: 10 %, tag: 10 %, recents: 10 %, media: 10 %}"

  @Test("Nobody opens the view that was just seen", arguments: 1...4 as ClosedRange<UInt64>)
  func selfRevisits(seed: UInt64) throws {
    for session in [
      Self.everything, "think: 1 s, revisit: 95 %, back: 60 %, mix: {browse: 100 %}",
      "think: 1 s, newest: {share: 30 %, age: 10 min, direct: 50 %}, mix: {browse: 60 %, album: 40 %}",
    ] {
      let scenario = try Self.scenario(session: session, duration: "20 min")
      let summary = WorkloadSummary(of: Workload.generate(scenario, seed: seed))
      #expect(summary.queryReads > 300)
      #expect(summary.selfRevisits == 0)
    }
  }

  @Test("A stroll has one view more than moves, since every move leads somewhere")
  func moves() throws {
    let scenario = try Self.scenario(
      session: "think: 1 s, moves: 6 moves, back: 45 %, into: 30 %, mix: {browse: 100 %}")
    var history = HistoryGenerator(scenario: scenario, random: RandomSource(seed: 3))
    history.generate()
    var session = SessionGenerator(
      section: scenario.sessions[0], limits: scenario.limits, library: SessionLibrary(history),
      random: RandomSource(seed: 4), tagging: RandomSource(seed: 5), table: QueryTable())
    session.visitEnd = .max
    let strolls = 5_000
    var views = 0
    for stroll in 0..<strolls {
      // Time stands still between strolls, so that none meets a library that has died away.
      session.now = 0
      session.script = ScriptWriter()
      session.random = RandomSource(seed: UInt64(stroll))
      let hasBegun = session.stroll()
      #expect(hasBegun)
      views += session.script.finished(redraw: nil, during: [], end: .max, limit: .max)
        .count { if case .observe = $0.kind { true } else { false } }
    }
    #expect(abs(Double(views) / Double(strolls) - 7) < 0.02 * 7)
  }

  @Test("A move leads back, within or elsewhere by its share")
  func kindsOfMoves() throws {
    // All files lie one level deep, so nothing leads into a directory within, and the other two share.
    let yaml = """
      name: flat
      duration: 5 min
      library: {files: 20_000 files, depth: 1 level, fan-out: 1_000 directories}
      sessions: [{think: 1 s, moves: 20 moves, opens: 0 files, revisit: 0 %, back: 20 %, into: 40 %, mix: {browse: 100 %}}]
      """
    let scenario = try Scenario.parse(
      Array(yaml.utf8), file: "flat.yaml", vocabulary: .unchecked)
    var views = 0
    var seen = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let summary = WorkloadSummary(of: Workload.generate(scenario, seed: seed))
      views += summary.queryReads
      seen += summary.seenBefore
    }
    // One move of three goes back, since 20 to 40 is what is left, where there is a way back; one of ten
    // others meets one of the 250 directories of 1,000 that were seen, by chance.
    let share = Double(seen) / Double(views)
    #expect(share > 0.32 && share < 0.42, "\(share)")
  }

  @Test("What is new has its share of the reads, and most of it is opened by itself")
  func newest() throws {
    for share in [10, 30, 50] {
      let scenario = try Self.scenario(
        session:
          "think: 2 s, newest: {share: \(share) %, age: 10 min}, mix: {browse: 70 %, album: 30 %}",
        duration: "20 min")
      var new = 0
      var reads = 0
      var direct = 0
      for seed in 1...20 as ClosedRange<UInt64> {
        let summary = WorkloadSummary(
          of: Workload.generate(scenario, seed: seed), age: .seconds(10 * 60))
        new += summary.newReads
        reads += summary.reads
        direct += summary.opensWithoutView
      }
      let measured = Double(new) / Double(reads)
      #expect(abs(measured - Double(share) / 100) < 0.02, "\(share) %: \(measured)")
      #expect(direct * 2 > new)
    }
  }

  @Test("The newest of what is new is the most popular")
  func popularityFallsWithAge() throws {
    let scenario = try Self.scenario(
      session: "think: 2 s, newest: {share: 50 %, age: 30 min}, mix: {browse: 100 %}",
      duration: "4 h", files: "20_000 files")
    let workload = Workload.generate(scenario)
    var births: [UInt32: Instant] = [:]
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] where births[item.object] == nil {
        births[item.object] = mutation.at
      }
    }
    let initial = UInt32(workload.catalog.initialCount)
    var ages: [Double] = []
    for action in workload.clients.flatMap(\.actions) {
      if case .open(let object, _) = action.kind, object >= initial, let birth = births[object] {
        ages.append(Double(birth.duration(to: action.at).wholeNanoseconds) / 1e9)
      }
    }
    // In proportion to one over the age, as many fall on the first 45 s as on the 40 times as long rest.
    let young = Double(ages.count { $0 < 43 }) / Double(ages.count)
    #expect(young > 0.4 && young < 0.6, "\(young)")
  }

  @Test("Visits begin at their rate and last as long as they should; nobody acts between them")
  func visits() throws {
    let scenario = try Self.scenario(
      session:
        "think: 500 ms, visits: {rate: 100/h, length: 10 s}, mix: {browse: 50 %, recents: 50 %}",
      devices: "", duration: "20 h")
    let section = scenario.sessions[0]
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

  @Test("A suspended client has its link down between visits and up during them")
  func suspended() throws {
    let scenario = try Self.scenario(
      session:
        "think: 2 s, visits: {rate: 20/h, length: 60 s, between: suspended}, mix: {browse: 100 %}",
      duration: "10 h")
    for client in Workload.generate(scenario).clients {
      #expect(client.partitions.count > 100)
      for action in client.actions {
        if case .unobserve = action.kind { continue }
        #expect(!client.partitions.contains { $0.contains(action.at) })
      }
    }
    #expect(violations(of: Workload.generate(scenario)) == [])
  }

  @Test("Edits fall on what is viewed as often as the device's interest says")
  func interest() throws {
    for (interest, range) in [(0.0, 0.0...0.1), (0.5, 0.42...0.58), (0.9, 0.82...0.97)] {
      let scenario = try Self.scenario(
        session: "think: 4 s, moves: 3 moves, mix: {browse: 100 %}",
        devices:
          "{name: laptop, rate: 30/min, interest: \(Int(interest * 100)) %, mix: {modify: 70 %, rename: 10 %, move: 10 %, delete: 10 %}}",
        duration: "30 min", files: "20_000 files")
      var edits = 0
      var viewed = 0
      for seed in 1...3 as ClosedRange<UInt64> {
        let summary = WorkloadSummary(of: Workload.generate(scenario, seed: seed))
        edits += summary.edits
        viewed += summary.editsOfViewed
      }
      let share = Double(viewed) / Double(edits)
      #expect(range.contains(share), "interest \(interest): \(share)")
    }
  }

  @Test("Thinking takes its mean, with a pause or without memory")
  func think() throws {
    for (text, shortest) in [("4 s", 0.1), ("{mean: 4 s, distribution: exponential}", 0.0)] {
      let scenario = try Self.scenario(
        session: "think: \(text), opens: 0 files, mix: {album: 50 %, tag: 50 %}", devices: "",
        duration: "20 h")
      let actions = Workload.generate(scenario).clients[0].actions
      let gaps = zip(actions, actions.dropFirst()).map {
        Double($0.at.duration(to: $1.at).wholeNanoseconds) / 1e9
      }.filter { $0 > 0 }
      let mean = gaps.reduce(0, +) / Double(gaps.count)
      #expect(abs(mean - 4) < 0.15, "\(mean)")
      #expect((gaps.min() ?? 0) >= shortest * 4)
      // Of an exponential distribution exp(−1) lies beyond the mean.
      let beyond = Double(gaps.count { $0 > 4 }) / Double(gaps.count)
      let expected = shortest > 0 ? 0.368 : 0.368
      #expect(abs(beyond - expected) < 0.02)
      if shortest == 0 { #expect(gaps.contains { $0 < 0.1 }) }
    }
  }

  @Test("Redraws repeat what is on screen, in visits only, and change no read")
  func redraws() throws {
    let session = "think: 3 s, watched: [albums.list], mix: {browse: 60 %, recents: 40 %}"
    let calm = Workload.generate(try Self.scenario(session: session + ", redraw: 100 s"))
    let busy = Workload.generate(try Self.scenario(session: session + ", redraw: 1 s"))
    func own(_ workload: Workload) -> [SessionAction] {
      workload.clients[0].actions.filter { if case .redraw = $0.kind { false } else { true } }
    }
    #expect(own(calm) == own(busy))
    let ratio =
      Double(WorkloadSummary(of: busy).redraws) / Double(WorkloadSummary(of: calm).redraws)
    #expect(ratio > 90 && ratio < 110)
  }
}
