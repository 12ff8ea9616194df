import CacheModel
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("The simulated server")
struct SimulatedServerTests {
  private static func queryName(of spec: QuerySpec, in workload: Workload) -> String {
    workload.model.shapes[Int(spec.kind.rawValue) - 1].name
  }

  /// The rows of a query: every object filtered, all sorted, the first taken.
  private static func bruteForce(
    _ spec: QuerySpec, _ current: [UInt32?], _ workload: Workload
  ) -> [UInt32] {
    let catalog = workload.catalog
    let query = queryName(of: spec, in: workload)
    func key(_ state: UInt32) -> EntityKey {
      catalog.objects[Int(catalog.revisions[Int(state)].object)]
    }
    func type(_ state: UInt32) -> EntityType {
      workload.model.types[Int(key(state).type.rawValue) - 1]
    }
    func word(_ name: String, _ state: UInt32) -> UInt64 {
      type(state).field(named: name).map { catalog.word($0.slot, of: state) } ?? 0
    }
    func isListed(_ state: UInt32, in list: String) -> Bool {
      catalog.labels[LabelRange(word: word(list, state)).indices].contains { $0 == spec.subject }
    }
    let matching = current.compactMap { $0 }.filter { state in
      let isFile = type(state).name == "file"
      return switch query {
      case "files.directory":
        (isFile || type(state).name == "directory") && word("parent", state) == spec.subject
      case "files.recents": isFile
      case "files.media": isFile && word("media", state) == 1
      case "albums.files": isFile && isListed(state, in: "albums")
      case "tags.files": isFile && isListed(state, in: "tags")
      case "albums.list": type(state).name == "album"
      case "tags.list": type(state).name == "tag"
      default:
        isFile
          && LetterCode.decode(word("name", state)).hasPrefix(LetterCode.decode(spec.subject))
      }
    }
    let isByTime = query == "files.recents" || query == "files.media"
    let sorted = matching.sorted { left, right in
      let (a, b) = (
        word(isByTime ? "modified" : "name", left), word(isByTime ? "modified" : "name", right)
      )
      return a == b ? key(left) < key(right) : isByTime ? a > b : a < b
    }
    return Array(sorted.prefix(Int(spec.limit)))
  }

  @Test(
    "Answers equal filter, sort and limit over all objects, at any time", arguments: [1, 2])
  func answers(seed: UInt64) throws {
    var workload = try RandomWorkloadTests.workload(seed: seed)
    // Small windows as well, so that rows leave and enter at their edge.
    workload.queries += workload.queries.filter {
      Self.queryName(of: $0, in: workload) != "files.directory"
    }.map {
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
        let expected = Self.bruteForce(workload.queries[query], current, workload)
        let answer = server.answer(query)
        #expect(answer.rows.map(\.revision) == expected, "\(workload.queries[query])")
        compared += 1
      }
    }
    #expect(compared > 50)
  }

  @Test("Missed events are replayed while they are kept")
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

@Suite("How old what is stale is")
struct StalenessAgeTests {
  @Test("An entity is stale since the state after it was committed, not since its own was")
  func entity() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.open(object: file), at: 1)
    let first = tiny.change(file, at: 10, name: 2)
    tiny.act(.open(object: file), at: 13)
    tiny.deliver(first, at: 14)
    let second = tiny.change(file, at: 20, name: 3)
    _ = tiny.change(file, at: 24, name: 4)
    tiny.act(.open(object: file), at: 25)
    tiny.deliver(second, at: 30)
    let entity = try values(of: tiny.workload, composition(), class: "entity")
    #expect(outcomes(entity) == [.missCold: 1, .hitStale: 2])
    // From 10 s to 13 s, and from 20 s, where the state that is served ended, to 25 s.
    #expect(entity[.stalenessAge, .p50] == 3_000_000_000)
    #expect(entity[.stalenessAge, .max] == 5_000_000_000)
  }
}

@Suite("Keys of queries")
struct QueryInputTests {
  private static let library = LibraryID(rawValue: UniqueID(high: 1, low: 2))

  private static func key(_ spec: QuerySpec) -> QueryKey {
    QueryKey(library: library, method: spec.kind.method, input: QueryInput.encode(spec))
  }

  @Test(
    "A query's key leads back to the query",
    arguments: [QueryKind.directory, .search, DataModel.kind(ofShape: 59)],
    [Revision.noObject, 0, 0xfedc_ba98])
  func leadsBack(kind: QueryKind, after: UInt32) {
    let spec = QuerySpec(
      kind: kind, subject: 0x0123_4567_89ab_cdef, prefixLength: 7, limit: 0x0102_0304, after: after)
    #expect(QueryInput.decode(Self.key(spec)) == spec)
  }

  @Test("Only a page has the bytes of a cursor")
  func cursor() {
    let input: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 10]
    #expect(Self.key(QuerySpec(kind: .directory, subject: 1, limit: 10)).input == input)
    let page = QuerySpec(kind: .directory, subject: 1, limit: 10, after: 258)
    #expect(Self.key(page).input == input + [0, 0, 0, 1, 2])
  }

  @Test("A key that no query has leads nowhere", arguments: [12, 14, 15])
  func strange(bytes: Int) {
    let key = QueryKey(
      library: Self.library, method: QueryKind.directory.method,
      input: [UInt8](repeating: 9, count: bytes))
    #expect(QueryInput.decode(key) == nil)
  }
}
