import CacheModel
import Testing

@testable import Workloads

@Suite("Generation")
struct GenerationTests {
  /// A small run in which everything happens.
  static func scenario(
    users: String = "{name: phone, clients: 2, think: 2 s, mix: {browse: 50 %, search: 50 %}}",
    writers: String =
      "{name: laptop, count: 2, rate: 2/s, mix: {create: 15 %, modify: 15 %, rename: 10 %, move: 10 %, delete: 10 %, delete-directory: 5 %, tag: 15 %, add-to-album: 15 %, create-album: 5 %}}",
    rest: String = ""
  ) throws -> Scenario {
    try SmallLibrary.scenario(
      """
      duration: 4 min
      drain: 20 s
      writers: [\(writers)]
      users: [\(users.replacing("}}", with: "}, \(SmallLibrary.activities)}"))]
      network: {loss: 3 %, reorder: 5 %, duplicate: 3 %, stall: 1 %, heartbeat: 2 s}
      \(rest)
      """)
  }

  @Test("One seed gives one workload, another seed another")
  func determinism() throws {
    let scenario = try Self.scenario()
    let first = Workload.generate(scenario, seed: 5)
    #expect(Workload.generate(scenario, seed: 5) == first)
    let other = Workload.generate(scenario, seed: 6)
    #expect(other.catalog.objects != first.catalog.objects)
    #expect(other.mutations != first.mutations)
    #expect(other.clients[0].actions != first.clients[0].actions)
  }

  @Test("Every invariant holds under faults of all kinds", arguments: 1...12 as ClosedRange<UInt64>)
  func invariants(seed: UInt64) throws {
    let scenario = try Self.scenario(
      rest: """
        faults:
          - {kind: partition, at: 60 s, for: 10 s}
          - {kind: partition, at: 65 s, for: 20 s, client: phone-1}
          - {kind: stall, at: 100 s, for: 5 s}
          - {kind: server-restart, at: 120 s}
        """)
    let workload = Workload.generate(scenario, seed: seed)
    #expect(violations(of: workload) == [])
    #expect(workload.mutations.last?.position.epoch == 2)
    #expect(workload.clients[0].partitions.count == 1)
    let kinds = Set(workload.mutations.map { $0.kind })
    #expect(kinds == [.changed, .batchChanged, .deleted])
  }

  @Test("The run ends in quiet, with the server's last position announced to all")
  func quiet() throws {
    let workload = Workload.generate(try Self.scenario())
    let quiet = Instant.zero.advanced(by: .seconds(220))
    let last = try #require(workload.mutations.last)
    #expect(last.at < quiet)
    for client in workload.clients {
      #expect(try #require(client.actions.last).at < quiet)
      let final = client.deliveries.suffix(2).map(\.content)
      #expect(final == [.heartbeat(last.position), .heartbeat(last.position)])
    }
  }

  @Test("Other users change no commit and no other client")
  func usersAreIndependent() throws {
    let tablet = "{name: tablet, mix: {album: 100 %}}"
    let alone = Workload.generate(try Self.scenario(users: tablet))
    let beside = Workload.generate(
      try Self.scenario(users: tablet + ", {name: phone, clients: 3, mix: {search: 100 %}}"))
    #expect(alone.catalog == beside.catalog)
    #expect(alone.mutations == beside.mutations)
    #expect(alone.items == beside.items)
    #expect(alone.clients[0] == beside.clients[0])
    let busier = Workload.generate(
      try Self.scenario(users: "{name: tablet, think: 1 s, redraw: 5 s, mix: {browse: 100 %}}"))
    #expect(alone.catalog == busier.catalog)
    #expect(alone.mutations == busier.mutations)
    #expect(alone.clients[0].deliveries == busier.clients[0].deliveries)
    #expect(alone.clients[0].actions.count != busier.clients[0].actions.count)
  }

  @Test("Another writer leaves the instants and choices of the first as they were")
  func writersAreIndependent() throws {
    let first = "{name: a, rate: 1/s, mix: {modify: 100 %}}"
    let second = "{name: b, rate: 1/s, mix: {rename: 100 %}}"
    let alone = Workload.generate(try Self.scenario(writers: first))
    let beside = Workload.generate(try Self.scenario(writers: "\(first), \(second)"))
    func work(_ workload: Workload) -> [[Int64]] {
      workload.mutations.filter { $0.device == 0 }.map { mutation in
        [mutation.at.nanoseconds] + workload.items[mutation.items].map { Int64($0.object) }
      }
    }
    #expect(work(alone) == work(beside) && work(alone).count > 100)
    #expect(beside.mutations.count > alone.mutations.count + 100)
  }

  @Test("A worse network loses more of the same events, and moves no other")
  func lossIsMonotone() throws {
    var scenario = try Self.scenario()
    scenario.network.stall = 0
    // A late event delays those after it.
    scenario.network.jitter = .zero
    scenario.network.reorder = 0
    scenario.network.duplicate = 0
    func delivered(loss: Double) -> [Delivery] {
      scenario.network.loss = loss
      return Workload.generate(scenario).clients[0].deliveries
    }
    let good = delivered(loss: 0)
    let bad = delivered(loss: 0.2)
    #expect(Double(bad.count) / Double(good.count) < 0.9)
    let arrived = Set(good.map(\.content))
    #expect(bad.allSatisfy { arrived.contains($0.content) })
    #expect(Set(good).isSuperset(of: bad))
  }

  @Test("Faults come in the shares that were asked for")
  func faultShares() throws {
    let workload = Workload.generate(
      try Self.scenario(writers: "{rate: 60/s, mix: {modify: 100 %}}"))
    let events = workload.clients[0].deliveries.compactMap { delivery -> UInt32? in
      if case .event(let mutation) = delivery.content { mutation } else { nil }
    }
    let total = Double(workload.mutations.count)
    let distinct = Set(events).count
    #expect(abs(1 - Double(distinct) / total - 0.03) < 0.01)
    #expect(abs(Double(events.count - distinct) / total - 0.03) < 0.01)
    let overtaken = zip(events, events.dropFirst()).count { $0 > $1 }
    #expect(overtaken > 200)
  }

  @Test(
    "The shipped model of files has the shapes and sizes that were measured",
    arguments: [
      // Directory of a random file, p50 and p90, in files.
      (5_000, "{depth: 2, fan-out: 8}", 72, 294, 332),
      (20_000, "{depth: 3, fan-out: 12}", 1_847, 48, 562),
    ])
  func shape(files: Int, tree: String, directories: Int, half: Int, most: Int) throws {
    let workload = Workload.generate(
      try SmallLibrary.scenario(
        "duration: 2 min\nusers: [{mix: {album: 100 %}, \(SmallLibrary.activities)}]",
        files: files, tree: tree), seed: 1)
    let catalog = workload.catalog
    let types = workload.model.types
    let parent = try #require(types[2].field(named: "parent")).slot
    var held: [UInt64: Int] = [:]
    var bytes: [String: [Int32]] = [:]
    var homes: [UInt64] = []
    for (state, revision) in catalog.revisions.enumerated() {
      let type = types[Int(catalog.objects[Int(revision.object)].type.rawValue) - 1].name
      bytes[type, default: []].append(revision.bytes)
      guard type == "file" else { continue }
      homes.append(catalog.word(parent, of: UInt32(state)))
      held[homes[homes.count - 1], default: 0] += 1
    }
    let ofFiles = homes.compactMap { held[$0] }.sorted()
    #expect(ofFiles.count == files)
    #expect(abs(Double(bytes["directory"]?.count ?? 0) / Double(directories) - 1) < 0.05)
    #expect(abs(Double(ofFiles[ofFiles.count / 2]) / Double(half) - 1) < 0.15)
    #expect(abs(Double(ofFiles[ofFiles.count * 9 / 10]) / Double(most) - 1) < 0.1)
    // Three in ten are media, with EXIF data and thumbnails; one in twenty lies between, on the line of the table.
    let media = bytes["file"]?.count { $0 >= 942 + 516 + 699 } ?? 0
    let others = bytes["file"]?.count { (942...951).contains($0) } ?? 0
    #expect(abs(Double(media) / Double(files) - 0.3) < 0.05)
    #expect(abs(Double(others) / Double(files) - 0.7) < 0.05)
    #expect(bytes["file"]?.allSatisfy { (942...951 + 516 + 699).contains($0) } == true)
    #expect(bytes["directory"]?.allSatisfy { (942...951).contains($0) } == true)
    #expect(bytes["album"]?.allSatisfy { (113...200).contains($0) } == true)
    #expect(bytes["tag"]?.allSatisfy { $0 == 495 } == true && bytes["location"] == [978])
  }

  @Test("A user who is away does nothing, and leaves only watched queries on screen")
  func activeWindows() throws {
    let workload = Workload.generate(
      try Self.scenario(
        users: """
          {name: a, think: 1 s, watched: [tags.list], \
          active: [{at: 10 s, for: 30 s}, {at: 120 s, for: 30 s}], mix: {browse: 100 %}}
          """))
    var onScreen: Set<UInt32> = []
    for action in workload.clients[0].actions {
      let second = action.at.nanoseconds / 1_000_000_000
      let isWithin = second < 2 || (10...40).contains(second) || (120...150).contains(second)
      #expect(isWithin)
      switch action.kind {
      case .observe(let query): onScreen.insert(query)
      case .unobserve(let query): onScreen.remove(query)
      default: break
      }
    }
    #expect(onScreen == [0])
    #expect(workload.model.shape(of: workload.queries[0].kind)?.name == "tags.list")
  }
}
