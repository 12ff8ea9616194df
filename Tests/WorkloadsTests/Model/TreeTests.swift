import CacheModel
import Testing

@testable import Workloads

@Suite("Data that hang together in trees")
struct TreeTests {
  static let text = """
    name: box
    duration: 2 h
    data:
      entities:
        disk: {count: 2 disks, size: 978 B, has: {name: text}}
        folder: {size: {table: [942 B, 951 B]}, has: {in: {one: folder, cascade: yes}, name: text}}
        file:
          count: 6_000 files
          size: {least: 1 kB, most: 2 MB, exponent: 0.9}
          has:
            in: {one: folder, tree: {depth: 3 levels, fan-out: 6 folders, below: disk}, cascade: yes}
            name: text
            labels: {many: label, mean: 0.2 labels}
        label: {count: 8 labels, size: 100 B, has: {name: text, used: {time: 9 d}}}
      queries:
        files: {list: [file, folder], where: in is subject, order: name, first: 500 rows}
        labels: {list: label, order: name, first: 20 rows}
      operations:
        add: {create: file}
        move: {set: file.in, batch: {mean: 4 files, beside: in}}
        label: {toggle: file.labels, batch: {mean: 3 files, beside: in}, touch: labels.used}
        grow: {set: file.name, grow: 516 B}
        drop: {delete: folder}
    writers:
      - {name: others, rate: 1/s, mix: {add: 100 %}}
    users:
      - {mix: {look: 100 %}, activities: {look: [{visit: files, zipf: 0.9}, open: 1 rows]}}
    """

  static func workload(_ operation: String = "add", _ seed: UInt64 = 1) throws -> Workload {
    let scenario = try Scenario.parse(
      Array(text.replacing("add: 100 %", with: "\(operation): 100 %").utf8), file: "box.yaml",
      vocabulary: .unchecked)
    return Workload.generate(scenario, seed: seed)
  }

  /// The target of a field of a state.
  private static func target(
    _ field: String, ofType type: Int, _ state: UInt32, _ workload: Workload
  ) throws -> UInt32 {
    let field = try #require(workload.model.types[type].field(named: field))
    return UInt32(truncatingIfNeeded: workload.catalog.word(field.slot, of: state))
  }

  private static func type(of object: UInt32, _ workload: Workload) -> Int {
    Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
  }

  @Test("Entities are on all levels equally often, and at the location of their parent")
  func levels() throws {
    let workload = try Self.workload()
    let catalog = workload.catalog
    #expect(violations(of: workload) == [])
    var parents = [UInt32](repeating: Revision.noObject, count: catalog.objects.count)
    var locations = parents
    var files: [UInt32] = []
    for state in 0..<UInt32(catalog.initialCount) {
      let revision = catalog.revisions[Int(state)]
      let type = Self.type(of: revision.object, workload)
      guard type == 1 || type == 2 else { continue }
      parents[Int(revision.object)] = try Self.target("in", ofType: type, state, workload)
      locations[Int(revision.object)] = revision.location
      if type == 2 { files.append(revision.object) }
    }
    var counts = [0, 0, 0]
    for file in files {
      var depth = 0
      var next = parents[Int(file)]
      while next != Revision.noObject {
        #expect(locations[Int(next)] == locations[Int(file)])
        next = parents[Int(next)]
        depth += 1
      }
      counts[depth - 1] += 1
    }
    // A third each: four standard deviations of a binomial share are 0.024.
    #expect(counts.allSatisfy { abs(Double($0) / 6_000 - 1 / 3) < 0.024 }, "\(counts)")
    let shares = [0, 1].map { disk in
      Double(
        files.count {
          Self.type(of: locations[Int($0)], workload) == 0 && locations[Int($0)] == disk
        })
    }
    #expect(abs(shares[0] / 6_000 - 0.5) < 0.03, "\(shares)")
    let folders = catalog.objects.count { $0.type.rawValue == 2 }
    let tree = try #require(workload.model.types[2].fields[0].tree)
    #expect(abs(Double(folders) - tree.expectedCount(for: 6_000)) < 15)
    #expect(workload.model.shapes[0].isNested)
  }

  @Test("A tree has as many entities as the coupon collector's problem predicts")
  func expectedCount() {
    let tree = ModelField.Tree(depth: 1, fanOut: 10)
    #expect(abs(tree.expectedCount(for: 1) - 1) < 1e-9)
    #expect(abs(tree.expectedCount(for: 2) - 1.9) < 1e-9)
    let full = ModelField.Tree(depth: 2, fanOut: 3)
    #expect(abs(full.expectedCount(for: 100_000) - 12) < 1e-9)
    #expect(full.places == 12)
  }

  @Test("New entities go where others are, and take on their location")
  func arrivals() throws {
    let workload = try Self.workload("add")
    let catalog = workload.catalog
    let old = catalog.objects.count { $0.type.rawValue == 2 }
    var held = [Int](repeating: 0, count: catalog.objects.count)
    for state in 0..<UInt32(catalog.revisions.count) {
      let revision = catalog.revisions[Int(state)]
      guard Self.type(of: revision.object, workload) == 2 else { continue }
      let folder = try Self.target("in", ofType: 2, state, workload)
      if state >= UInt32(catalog.initialCount) { #expect(held[Int(folder)] > 0) }
      held[Int(folder)] += 1
    }
    #expect(workload.mutations.count > 6_000)
    #expect(catalog.objects.count { $0.type.rawValue == 2 } == old)
  }

  @Test("A batch has its place in common, before as after it moves", arguments: [1, 2, 3])
  func batches(seed: UInt64) throws {
    let workload = try Self.workload("move", seed)
    var places: [UInt32] = []
    for state in 0..<UInt32(workload.catalog.initialCount) {
      places.append(
        Self.type(of: workload.catalog.revisions[Int(state)].object, workload) == 2
          ? try Self.target("in", ofType: 2, state, workload) : Revision.noObject)
    }
    var sizes = 0
    for mutation in workload.mutations {
      let items = workload.items[mutation.items]
      let before = Set(items.map { places[Int($0.object)] })
      let after = Set(try items.map { try Self.target("in", ofType: 2, $0.revision, workload) })
      #expect(before.count == 1 && after.count == 1)
      for item in items { places[Int(item.object)] = after.first ?? 0 }
      sizes += items.count
    }
    // Geometric with mean 4, cut off where a folder holds fewer.
    let mean = Double(sizes) / Double(workload.mutations.count)
    #expect((2.5...4.2).contains(mean), "\(mean)")
  }

  @Test("A list that toggles adds a missing reference, or removes one, and that entity is touched")
  func toggles() throws {
    let workload = try Self.workload("label")
    let catalog = workload.catalog
    let field = try #require(workload.model.types[2].field(named: "labels"))
    func labels(_ state: UInt32) -> Set<UInt32> {
      Set(catalog.labels[LabelRange(word: catalog.word(field.slot, of: state)).indices])
    }
    var states = [UInt32](repeating: 0, count: catalog.objects.count)
    for state in 0..<UInt32(catalog.initialCount) {
      states[Int(catalog.revisions[Int(state)].object)] = state
    }
    var gains = 0
    var losses = 0
    for mutation in workload.mutations {
      let items = workload.items[mutation.items]
      let files = items.filter { Self.type(of: $0.object, workload) == 2 }
      let changed = files.map {
        labels(states[Int($0.object)]).symmetricDifference(labels($0.revision))
      }
      #expect(Set(changed).count == 1 && changed.first?.count == 1)
      #expect(
        items.filter { Self.type(of: $0.object, workload) == 3 }.map(\.object)
          == changed.first.map { Array($0) })
      gains += files.count { labels($0.revision).count > labels(states[Int($0.object)]).count }
      losses += files.count { labels($0.revision).count < labels(states[Int($0.object)]).count }
      for item in items { states[Int(item.object)] = item.revision }
    }
    #expect(gains > losses && losses > 200)
  }

  @Test("Grown entities are larger by the same amount each time, and a new text leaves the size")
  func growth() throws {
    let workload = try Self.workload("grow")
    var sizes: [UInt32: Int32] = [:]
    for (state, revision) in workload.catalog.revisions.enumerated() {
      if state >= workload.catalog.initialCount, let before = sizes[revision.object] {
        #expect(revision.bytes == before + 516)
      }
      sizes[revision.object] = revision.bytes
    }
  }

  @Test("A subtree is deleted with its contents, unless they are more than 500")
  func deletes() throws {
    let workload = try Self.workload("drop")
    #expect(violations(of: workload) == [])
    #expect(workload.mutations.contains { $0.items.count > 20 })
    #expect(workload.mutations.allSatisfy { $0.items.count <= 500 })
  }

  @Test("Pareto sizes have the quantiles of their distribution function")
  func pareto() {
    let size = SizeDistribution.pareto(least: 1_000, most: 2_000_000, exponent: 0.9)
    var random = RandomSource(seed: 1)
    let sizes = (0..<20_000).map { _ in Double(size.draw(&random)) }
    func share(above x: Double) -> Double {
      let beyond = PortableMath.pow(1_000 / 2_000_000, 0.9)
      return (PortableMath.pow(1_000 / x, 0.9) - beyond) / (1 - beyond)
    }
    for x in [1_500.0, 3_000, 10_000, 100_000, 1_000_000] {
      let measured = Double(sizes.count { $0 > x }) / 20_000
      #expect(abs(measured - share(above: x)) < 0.015, "\(x)")
    }
    #expect(abs(share(above: size.quantile(0.7)) - 0.3) < 1e-9)
    #expect(size.quantile(0) == 1_000 && abs(size.quantile(1) - 2_000_000) < 1)
  }
}
