import CacheModel
import NormalizedCache
import Testing
import Workloads

@testable import CacheSimulation

@Suite("The simulated server")
struct SimulatedServerTests {
  /// What a query lists: every object filtered, all sorted, the first taken.
  private static func bruteForce(
    _ spec: QuerySpec, _ current: [UInt32?], _ catalog: Catalog
  ) -> [UInt32] {
    func name(_ prefix: UInt64) -> String { LetterCode.decode(prefix) }
    let matching = current.compactMap { $0 }.filter { revision in
      let state = catalog.revisions[Int(revision)]
      let type = catalog.objects[Int(state.object)].type.rawValue
      let isFile = type == EntityKind.file.rawValue
      let labels = catalog.labels(of: state).map { UInt64($0) }
      return switch spec.kind {
      case .directory:
        (isFile || type == EntityKind.directory.rawValue) && UInt64(state.parent) == spec.subject
      case .recents: isFile
      case .media: isFile && state.isMedia
      case .album, .tag: isFile && labels.contains(spec.subject)
      case .albumList: type == EntityKind.album.rawValue
      case .tagList: type == EntityKind.tag.rawValue
      default: isFile && name(state.name).hasPrefix(name(spec.subject))
      }
    }
    let isByTime = spec.kind == .recents || spec.kind == .media
    let sorted = matching.sorted { left, right in
      let (a, b) = (catalog.revisions[Int(left)], catalog.revisions[Int(right)])
      if isByTime, a.modified != b.modified { return a.modified > b.modified }
      if !isByTime, a.name != b.name { return a.name < b.name }
      return catalog.objects[Int(a.object)] < catalog.objects[Int(b.object)]
    }
    return Array(sorted.prefix(Int(spec.limit)))
  }

  @Test(
    "Answers what filter, sort and limit over all objects give, at any time", arguments: [1, 2])
  func answers(seed: UInt64) throws {
    var workload = try RandomWorkloadTests.workload(seed: seed)
    // Small windows as well, so that rows leave and enter at their edge.
    workload.queries += workload.queries.filter { $0.kind != .directory }.map {
      var narrow = $0
      narrow.limit = 5
      return narrow
    }
    let simulation = Simulation(of: workload)
    var server = SimulatedServer(workload, order: simulation.order)
    let catalog = workload.catalog
    var current = [UInt32?](repeating: nil, count: catalog.objects.count)
    for index in 0..<catalog.initialCount {
      current[Int(catalog.revisions[index].object)] = UInt32(index)
    }
    var compared = 0
    for (index, mutation) in workload.mutations.enumerated() {
      server.advance(to: mutation.at)
      for item in workload.items[mutation.items] {
        current[Int(item.object)] = item.revision == MutationItem.deleted ? nil : item.revision
      }
      guard index % 24 == 23 else { continue }
      // Every third query now, so that answers are also brought up to date over several steps.
      for query in workload.queries.indices where (query + index / 24) % 3 == 0 {
        let expected = Self.bruteForce(workload.queries[query], current, catalog)
        let answer = server.answer(query)
        #expect(answer.rows.map(\.revision) == expected, "\(workload.queries[query])")
        compared += 1
      }
    }
    #expect(compared > 50)
  }

  @Test("Replays what was missed, while it is kept")
  func replay() {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    for second in 1...5 { _ = tiny.change(file, at: Double(second), name: UInt64(second) + 1) }
    tiny.retention = ServerRetention(events: 3, age: .seconds(10))
    let workload = tiny.workload
    let simulation = Simulation(of: workload)
    var server = SimulatedServer(workload, order: simulation.order)
    server.advance(to: TinyWorkload.instant(5))
    let now = TinyWorkload.instant(6)
    func replayed(after sequence: UInt64, at now: Instant) -> [UInt64]? {
      let position = StreamPosition(epoch: 1, sequence: sequence)
      guard
        case .events(let events, let through) = server.reconcile(
          after: position, form: .events, at: now
        ).response
      else { return nil }
      #expect(through == StreamPosition(epoch: 1, sequence: 5))
      return events.compactMap { $0.place?.position.sequence }
    }
    #expect(replayed(after: 2, at: now) == [3, 4, 5])
    #expect(replayed(after: 5, at: now) == [])
    // Four events are more than are kept; the third is older than ten seconds by then.
    #expect(replayed(after: 1, at: now) == nil)
    #expect(replayed(after: 2, at: TinyWorkload.instant(13.5)) == nil)
    #expect(replayed(after: 3, at: TinyWorkload.instant(13.5)) == [4, 5])
  }
}
