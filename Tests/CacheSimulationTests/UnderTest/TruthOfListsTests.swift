import CacheModel
import CacheTestSupport
import Foundation
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Effects of a change on lists")
struct TruthOfListsTests {
  private static func workload(_ name: String) throws -> Workload {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let bytes = try [UInt8](Data(contentsOf: top.appending(path: "Scenarios/\(name).yaml")))
    var scenario = try Scenario.parse(
      bytes, file: name, vocabulary: .unchecked, models: .shipped)
    scenario.duration = min(scenario.duration, scenario.drain + .seconds(240))
    return Workload.generate(scenario, seed: nil)
  }

  @Test(
    "Applied one after another, the changes make of each list what the server lists",
    arguments: ["flaky-network", "file-browser", "media-scroll"])
  func oracle(name: String) throws {
    let workload = try Self.workload(name)
    #expect(TruthOfLists.obstacle(workload) == nil)
    let input = Simulation(of: workload)
    var server = SimulatedServer(workload, order: input.order, history: input.history)
    var truth = TruthOfLists(input)
    for query in workload.queries.indices { truth.ask(for: query, input) }
    func listed(_ query: Int) -> [UInt32] { server.answer(query).rows.map(\.object) }
    var lists = workload.queries.indices.map { listed($0) }
    var (carriedOut, again) = (0, 0)
    for mutation in workload.mutations {
      server.advance(to: mutation.at)
      // Several may commit at one instant: then the server is asked after the last.
      var objects = Set(mutation.items.map { workload.items[$0].object })
      if case .bulkNotice = mutation.kind { objects = [] }
      for change in truth.changes(at: mutation.position, with: objects, input) {
        carriedOut += 1
        guard case .moved(let left, let entered) = change.content else {
          again += 1
          lists[change.query] = listed(change.query)
          continue
        }
        lists[change.query].removeAll { left.contains($0) }
        for entry in entered { lists[change.query].insert(entry.object, at: entry.place) }
      }
      guard server.nextCommit > mutation.at.nanoseconds else { continue }
      for query in lists.indices { #expect(lists[query] == listed(query), "query \(query)") }
    }
    if name == "flaky-network" {
      #expect(carriedOut > again && carriedOut > 10, "\(carriedOut), \(again) of them again")
    }
  }

  @Test("A cache receives the truth of requested lists, and of no other")
  func unasked() throws {
    let workload = try Self.workload("flaky-network")
    let input = Simulation(of: workload)
    var truth = TruthOfLists(input)
    func told() -> Set<Int> {
      Set(
        workload.mutations.flatMap { truth.changes(at: $0.position, with: [], input) }
          .map(\.query))
    }
    #expect(told().isEmpty)
    let query = try #require(workload.queries.indices.first { _ in true })
    truth.ask(for: query, input)
    #expect(told().isSubset(of: [query]))
  }

  /// Lists as letters; capitals have another state after the change.
  private static func step(_ before: String, _ after: String) -> ListStep? {
    func objects(_ text: String) -> [UInt32] {
      text.lowercased().utf8.map { UInt32($0) }
    }
    let changed = Set(after.utf8.filter { $0 < 97 }.map { UInt32($0) + 32 })
    return ListStep(0, from: objects(before), to: objects(after)) { changed.contains($0) }
  }

  @Test(
    "Entries and moves have a position; unknown ones are requested",
    arguments: [
      ("abc", "abcD", "d", "", "d3"), ("abc", "Xabc", "x", "", "x0"), ("abc", "ac", "", "b", ""),
      ("abc", "bcA", "a", "a", "a2"), ("abc", "aBc", "b", nil, nil), ("abc", "abc", "", nil, nil),
      // A row pushes another out, and a removed row lets another in.
      ("ab", "aX", "x", "b", "x1"), ("ab", "bc", "", "unknown", ""),
    ] as [(String, String, String, String?, String?)])
  func steps(before: String, after: String, told: String, left: String?, entered: String?) throws {
    let change = Self.step(before, after)?.told(with: Set(told.utf8.map { UInt32($0) }))
    guard let left, let entered else {
      #expect(change == nil)
      return
    }
    switch try #require(change).content {
    case .unknown: #expect(left == "unknown")
    case .moved(let out, let into):
      #expect(out == left.utf8.map { UInt32($0) })
      let words = into.map { "\(UnicodeScalar(UInt8($0.object)))\($0.place)" }
      #expect(words.joined() == entered)
    }
  }
}

@Suite("Texts that outlive a process")
struct StoredTextsTests {
  private static func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("Events in flight when the process ended are lost, earlier ones are not")
  func crash() throws {
    var stored = StoredTexts()
    try stored.put("a", "1", at: Self.at(0))
    try stored.put("b", "1", at: Self.at(5))
    try stored.put("a", "2", at: Self.at(6))
    #expect(stored.endProcess(at: Self.at(15)) == [StoredText(key: "a", value: "1"), b])
    // It does not come later either.
    #expect(stored.endProcess(at: Self.at(100)) == [StoredText(key: "a", value: "1"), b])
    #expect(stored.count == 2 && stored.peakBytes == 4)
  }

  private let b = StoredText(key: "b", value: "1")

  @Test("Texts come in the order of keys, and one without a value is removed")
  func order() throws {
    var stored = StoredTexts()
    for key in ["c", "b", "a"] { try stored.put(key, "1", at: .zero) }
    try stored.put("c", nil, at: Self.at(1))
    #expect(stored.endProcess(at: Self.at(50)).map(\.key) == ["a", "b"])
  }

  @Test(
    "Two texts are one key if and only if their bytes are the same, and keys come in their order")
  func keys() throws {
    var random = RandomSource(seed: 37)
    let keys = RandomText.distinct(100, hasNUL: true, &random)
    var stored = StoredTexts()
    for (place, key) in keys.enumerated() { try stored.put(key, "\(place)", at: .zero) }
    try stored.put(keys[0], nil, at: Self.at(1))
    let left = stored.endProcess(at: Self.at(50))
    #expect(
      left.map(\.key.bytes)
        == keys[1...].map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    for text in left { #expect(text.key.bytes == keys[try #require(Int(text.value))].bytes) }
  }

  @Test("A storage that refuses keeps its content; a corrupt one loses all")
  func faults() throws {
    func keys(_ fault: StorageFault) throws -> [String] {
      let refusal = StorageRefusal(during: Self.at(100)..<Self.at(200), fault: fault)
      var stored = StoredTexts(faults: [refusal])
      try stored.put("a", "1", at: .zero)
      try stored.put("b", "1", at: Self.at(120))
      try stored.put("c", "1", at: Self.at(220))
      return stored.endProcess(at: Self.at(300)).map(\.key)
    }
    #expect(try keys(.full) == ["a", "c"])
    #expect(try keys(.corrupt) == ["c"])
  }

  @Test("There is a limit, also for operations in flight")
  func limit() throws {
    var stored = StoredTexts()
    let half = String(repeating: "x", count: StoredTexts.mostBytes / 2)
    try stored.put("a", half, at: .zero)
    let fault = try #require(throws: CacheFault.self) { try stored.put("b", half, at: .zero) }
    #expect(fault.kind == .storedTooMuch)
    // The replaced row makes room.
    try stored.put("a", nil, at: Self.at(50))
    try stored.put("b", half, at: Self.at(100))
    #expect(stored.endProcess(at: Self.at(200)).map(\.key) == ["b"])
  }
}
