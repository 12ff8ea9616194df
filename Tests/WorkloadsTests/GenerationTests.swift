import CacheModel
import Testing

@testable import Workloads

@Suite("Generation")
struct GenerationTests {
  /// A small run in which everything happens.
  static func scenario(
    sessions: String =
      "{name: phone, clients: 2 clients, think: 2 s, mix: {browse: 50 %, search: 50 %}}",
    devices: String =
      "{name: laptop, count: 2 devices, rate: 2/s, selection: 3 files, mix: {create: 15 %, modify: 15 %, rename: 10 %, move: 10 %, delete: 10 %, delete-directory: 5 %, tag: 15 %, edit-album: 15 %, create-album: 5 %}}",
    library: String =
      "{files: 800 files, depth: 2 levels, fan-out: 6 directories, albums: 5 albums, tags: 5 tags}",
    rest: String = ""
  ) throws -> Scenario {
    let yaml = """
      name: small
      duration: 4 min
      drain: 20 s
      library: \(library)
      devices: [\(devices)]
      sessions: [\(sessions)]
      network: {loss: 3 %, reorder: 5 %, duplicate: 3 %, hold: 1 %, heartbeat: 2 s}
      \(rest)
      """
    return try Scenario.parse(Array(yaml.utf8), file: "small.yaml", vocabulary: .unchecked)
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
          - {kind: hold, at: 100 s, for: 5 s}
          - {kind: restart, at: 120 s}
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

  @Test("Another session changes no mutation and no other client")
  func sessionsAreIndependent() throws {
    let tablet = "{name: tablet, mix: {album: 100 %}}"
    let alone = Workload.generate(try Self.scenario(sessions: tablet))
    let beside = Workload.generate(
      try Self.scenario(
        sessions: tablet + ", {name: phone, clients: 3 clients, mix: {search: 100 %}}"))
    #expect(alone.catalog == beside.catalog)
    #expect(alone.mutations == beside.mutations)
    #expect(alone.items == beside.items)
    #expect(alone.clients[0] == beside.clients[0])
    let busier = Workload.generate(
      try Self.scenario(sessions: "{name: tablet, think: 1 s, redraw: 5 s, mix: {browse: 100 %}}"))
    #expect(alone.catalog == busier.catalog)
    #expect(alone.mutations == busier.mutations)
    #expect(alone.clients[0].deliveries == busier.clients[0].deliveries)
    #expect(alone.clients[0].actions.count != busier.clients[0].actions.count)
  }

  @Test("Marks come in the share that was asked for, once each, and shift nothing else")
  func tagging() throws {
    func actions(_ tagged: String) throws -> [SessionAction] {
      Workload.generate(
        try Self.scenario(
          sessions: """
            {name: a, \(tagged) think: 100 ms, moves: 3 moves, revisit: 20 %, redraw: 5 s, \
            watched: [tags.list], mix: {browse: 60 %, album: 20 %, search: 20 %}}
            """)
      ).clients[0].actions
    }
    func marks(_ actions: [SessionAction]) -> [UInt32] {
      actions.compactMap { if case .tag(let query) = $0.kind { query } else { nil } }
    }
    let none = try actions("")
    #expect(marks(none).isEmpty)
    let all = try actions("tagged: 100 %,")
    let some = try actions("tagged: 30 %,")
    for marked in [all, some] {
      let rest = marked.filter { if case .tag = $0.kind { false } else { true } }
      #expect(rest == none)
      #expect(Set(marks(marked)).count == marks(marked).count)
    }
    // A larger share marks what a smaller one does, and more.
    #expect(Set(marks(all)).isSuperset(of: marks(some)))
    let share = Double(marks(some).count) / Double(marks(all).count)
    #expect(abs(share - 0.3) < 0.2)
    for (index, action) in all.enumerated() {
      guard case .tag(let query) = action.kind else { continue }
      let isOnScreen = all[..<index].contains { $0.kind == .observe(query: query) }
      #expect(isOnScreen, "query \(query) is marked before it was looked at")
    }
  }

  @Test("Another device leaves the instants and choices of the first as they were")
  func devicesAreIndependent() throws {
    let first = "{name: a, rate: 1/s, mix: {modify: 100 %}, popularity: {distribution: uniform}}"
    let second = "{name: b, rate: 1/s, mix: {modify: 100 %}}"
    let alone = Workload.generate(try Self.scenario(devices: first))
    let beside = Workload.generate(try Self.scenario(devices: "\(first), \(second)"))
    func work(_ workload: Workload) -> [[Int64]] {
      workload.mutations.filter { $0.device == 0 }.map { mutation in
        [mutation.at.nanoseconds] + workload.items[mutation.items].map { Int64($0.object) }
      }
    }
    #expect(work(alone) == work(beside))
    #expect(alone.clients.map(\.actions) == beside.clients.map(\.actions))
  }

  @Test("A worse network loses more of the same events, and moves no other")
  func lossIsMonotone() throws {
    var scenario = try Self.scenario()
    scenario.network.hold = 0
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
      try Self.scenario(devices: "{rate: 60/s, mix: {modify: 100 %}}"))
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

  /// Measured shapes: directory of a random file, p50 and p90, in files.
  static let shapes: [(LibrarySection.Shape, directories: Int, half: Int, most: Int)] = [
    (.small, 72, 294, 332), (.medium, 1_847, 48, 562), (.large, 16_507, 28, 2_088),
  ]

  @Test("The directory shapes are those that were measured", arguments: shapes)
  func shape(_ shape: LibrarySection.Shape, directories: Int, half: Int, most: Int) {
    var scenario = Scenario()
    scenario.library.setShape(shape)
    let catalog = Workload.generate(scenario, seed: 1).catalog
    var sizes: [UInt32: Int] = [:]
    let files = catalog.revisions.filter {
      catalog.objects[Int($0.object)].type == EntityKind.file.resourceType
    }
    for file in files { sizes[file.parent, default: 0] += 1 }
    let ofFiles = files.compactMap { sizes[$0.parent] }.sorted()
    let count = catalog.objects.count {
      $0.type == EntityKind.directory.resourceType
    }
    #expect(files.count == scenario.library.files)
    #expect(abs(Double(count) / Double(directories) - 1) < 0.05)
    #expect(abs(Double(ofFiles[ofFiles.count / 2]) / Double(half) - 1) < 0.15)
    #expect(abs(Double(ofFiles[ofFiles.count * 9 / 10]) / Double(most) - 1) < 0.1)
  }

  @Test("Objects have the sizes that were captured")
  func sizes() {
    let catalog = Workload.generate(Scenario(), seed: 1).catalog
    for revision in catalog.revisions {
      let labels = Int(revision.labelCount) * ObjectSizes.label
      let bare = Int(revision.bytes) - labels
      switch EntityKind(rawValue: catalog.objects[Int(revision.object)].type.rawValue) {
      case .file: #expect((942...951).contains(bare - (revision.isMedia ? 516 + 699 : 0)))
      case .directory: #expect((942...951).contains(bare))
      case .album: #expect((113...200).contains(bare))
      case .tag: #expect(bare == 495)
      case .location: #expect(bare == 978)
      case nil: Issue.record("an object of no kind")
      }
    }
  }

  @Test("Content has the quantiles of a Pareto distribution between two bounds, and stays")
  func contentSizes() throws {
    let scenario = try Self.scenario(
      devices: "{rate: 2/s, mix: {modify: 100 %}}",
      library: "{files: 20_000 files, media: 0 %, tags-per-file: 0 tags, content: {exponent: 0.8}}")
    let catalog = Workload.generate(scenario, seed: 3).catalog
    var sizes: [UInt32: Int32] = [:]
    var drawn: [Double] = []
    for (index, revision) in catalog.revisions.enumerated() {
      guard catalog.objects[Int(revision.object)].type == EntityKind.file.resourceType else {
        continue
      }
      let labels = Int(revision.labelCount)
      let known = ObjectSizes.file(variation: Int(revision.object), labels: labels, waves: [])
      let content = revision.bytes - known
      if index < catalog.initialCount { drawn.append(Double(content)) }
      #expect(sizes.updateValue(content, forKey: revision.object) ?? content == content)
    }
    drawn.sort()
    #expect(drawn.count == 20_000)
    #expect(drawn[0] >= 1_000 && drawn[drawn.count - 1] <= 2_000_000)
    // F(x) = (1 − (L / x)^a) / (1 − (L / H)^a), with L = 1 kB, H = 2 MB, a = 0.8.
    for share in [0.1, 0.5, 0.9, 0.99] {
      let x = 1_000 * PortableMath.pow(1 - share * (1 - PortableMath.pow(0.0005, 0.8)), -1 / 0.8)
      let below = Double(drawn.count { $0 <= x }) / Double(drawn.count)
      #expect(abs(below - share) < 0.01)
    }
  }

  @Test(
    "An index job comes in three waves, and can be announced in bulk", arguments: [false, true])
  func indexJob(isBulk: Bool) throws {
    let workload = Workload.generate(
      try Self.scenario(
        devices: """
          {index: {at: 10 s, files: 3_000 files, batch: 1_000 files, batch-rate: 2/s, \
          identify: 75/s, progress: 1 s, bulk-notice: \(isBulk ? "yes" : "no")}}
          """))
    let large = workload.mutations.filter { $0.items.count >= 1_000 }
    #expect(large.count == 3)
    let isNotice = large.map { mutation in
      if case .bulkNotice = mutation.kind { true } else { false }
    }
    #expect(isNotice == [isBulk, isBulk, isBulk])
    #expect(large.map { $0.bytes < 1_000 } == isNotice)
    #expect(workload.mutations.count { $0.kind == .changed } == 3_000)
    let thumbnails = workload.mutations.filter {
      $0.items.count <= 50 && $0.items.count > 1 && $0.kind == .batchChanged
    }
    let media = large.flatMap { workload.items[$0.items] }.count {
      workload.catalog.revisions[Int($0.revision)].isMedia
    }
    #expect(thumbnails.map(\.items.count).reduce(0, +) == media)
    #expect(workload.mutations.count { $0.kind == .infrastructure } > 30)
  }

  @Test("A user who is away does nothing, and leaves only what is always watched")
  func activeWindows() throws {
    let workload = Workload.generate(
      try Self.scenario(
        sessions: """
          {name: a, think: 1 s, watched: [tags.list], mix: {browse: 100 %}, \
          active: [{at: 10 s, for: 30 s}, {at: 120 s, for: 30 s}]}
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
    #expect(workload.queries[0].kind == .tagList)
  }
}
