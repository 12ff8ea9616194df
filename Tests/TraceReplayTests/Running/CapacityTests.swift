import EvictionPolicies
import Testing
import Text
import TidemarkTestSupport

@testable import TraceReplay

@Suite("Capacities")
struct CapacityTests {
  private func entities(_ text: String, distinct: Int) throws -> Int {
    let trace = InternedTrace(name: "t", ids: [0], distinct: distinct)
    guard case .entities(let count) = try CapacityRequest(text).capacity(for: trace) else {
      return -1
    }
    return count
  }

  @Test("entities are taken as written, shares of keys rounded, halves up, at least 1")
  func resolved() throws {
    #expect(try entities("100", distinct: 5) == 100)
    #expect(try entities("1%", distinct: 1_000) == 10)
    #expect(try entities("0.1%", distinct: 1_000) == 1)
    #expect(try entities("0.1%", distinct: 1) == 1)
    #expect(try entities("12.5%", distinct: 12) == 2)
    #expect(try entities("12.5%", distinct: 11) == 1)
    #expect(try entities("100%", distinct: 2_147_483_646) == 2_147_483_646)
  }

  @Test("lists are read in order")
  func lists() throws {
    #expect(
      try CapacityRequest.parseList("100,1%,64MiB,3B,10MB")
        == [
          .entities(100), .share(billionths: 10_000_000), .bytes(64 << 20), .bytes(3),
          .bytes(10_000_000),
        ])
  }

  @Test("a number may be grouped, have decimals, and a space before its unit, as in a scenario")
  func asInScenarios() throws {
    #expect(
      try CapacityRequest.parseList("1_000,20 entities,1 entity,.5 %,1.5GiB,0.5 kB")
        == [
          .entities(1_000), .entities(20), .entities(1), .share(billionths: 5_000_000),
          .bytes(3 << 29), .bytes(500),
        ])
  }

  @Test(
    "a text that is not a capacity is refused",
    arguments: [
      "", "x", "%", "1.2.3%", "10mb", "64mib", "1e3", "+1", " 1", "١", "0x10", "5 s", "-",
    ])
  func unreadable(text: String) {
    #expect(throws: CapacityError.unreadable(text)) { try CapacityRequest(text) }
  }

  @Test(
    "an impossible capacity is refused",
    arguments: [
      "0", "-0", "0%", "100.1%", "999%", "99999999999999999999", "0B", "9999999999TiB",
    ])
  func outOfRange(text: String) {
    #expect(throws: CapacityError.outOfRange(text)) { try CapacityRequest(text) }
  }

  @Test("a negative capacity is called negative", arguments: ["-1", "-5%", "-0.5MiB"])
  func negative(text: String) {
    #expect(throws: CapacityError.negative(text)) { try CapacityRequest(text) }
  }

  @Test("a part of an entity or a byte is refused", arguments: ["1.5", "0.5B", "0.12345678%"])
  func notWhole(text: String) {
    #expect(throws: CapacityError.notWhole(text)) { try CapacityRequest(text) }
  }

  @Test(
    "a comma within a number is refused, with the number that may be meant",
    arguments: [("0,5%", "0.5%"), ("2,5 GiB", "2.5 GiB"), ("12,34", "12.34")])
  func comma(text: String, meant: String) throws {
    #expect(throws: CapacityError.comma(text, meant: meant)) { try CapacityRequest(text) }
    let error = try #require(throws: CapacityError.self) {
      try CapacityRequest.parseList("10,5,000")
    }
    #expect(error == .comma("10,5,000", meant: "5000"))
    #expect(error.description.contains("commas separate capacities; write `5000`"))
  }

  @Test("one capacity may be grouped by commas")
  func grouped() throws {
    #expect(try CapacityRequest("12,000 entities") == .entities(12_000))
  }

  @Test("an empty element of a list is refused")
  func emptyElement() {
    #expect(throws: CapacityError.unreadable("")) { try CapacityRequest.parseList("1,,2") }
  }

  @Test("bytes are refused where every entity weighs one, with the reason, and else taken")
  func bytes() {
    let error = #expect(throws: CapacityError.self) { try entities("1KiB", distinct: 9) }
    #expect(error == .bytesWithoutWeights(1024))
    #expect(error?.description.contains("sizes") == true)
    let trace = InternedTrace(name: "t", ids: [0], distinct: 1, weights: [5])
    let capacity = try? CapacityRequest("1KiB").capacity(for: trace)
    #expect(capacity == .bytes(1024))
  }
}

@Suite("Replay")
struct ReplayTests {
  private func trace() throws -> InternedTrace {
    let format = try #require(TraceFormats.named("text"))
    return try TraceReader.read(
      Array("a\nb\nc\na\nd\nb\n".utf8), format: format, name: "abcadb")
  }

  @Test("a row has the columns that scripts rely on")
  func row() throws {
    let lru = try #require(EvictionPolicies.named("lru"))
    let row = Replay.run(Replay.Cell(policy: lru, capacity: 3), of: try trace(), seed: 1)
    #expect(
      row.values.map(\.column).joined(separator: ",")
        == """
        trace,policy,capacity,requests,hits,misses,hit_ratio,evictions,rejections,capacity_unit,sets,\
        updates,deletes,compulsory_misses,capacity_misses,coherence_misses,expired_misses,\
        stale_hits,invalidations,deletions,bytes_requested,bytes_missed,byte_hit_ratio,estimate
        """)
    let reads: [JSONValue] = [
      .string("abcadb"), .string("lru"), .integer(3), .integer(6), .integer(1), .integer(5),
      .real(1.0 / 6), .integer(2), .integer(0), .string("entities"),
    ]
    let ofOperations = [JSONValue](repeating: .null, count: 13)
    #expect(row.values.map(\.value) == reads + ofOperations + [.string("no")])
  }

  @Test("cells run policy by policy, each size once")
  func cells() throws {
    let cells = try Replay.cells(
      for: try trace(), policies: EvictionPolicies.all,
      capacities: try CapacityRequest.parseList("2,50%,100%"))
    #expect(cells.map(\.policy.name) == EvictionPolicies.all.flatMap { [$0.name, $0.name] })
    #expect(cells.prefix(2).map(\.capacity) == [2, 4])
  }

  @Test("rows come in the order of the cells, the same for any width", arguments: [0, 1, 2, 64])
  func widths(width: Int) async throws {
    let zipf = ZipfTrace(requests: 3_000, keys: 300, seed: 9)
    let trace = InternedTrace(name: "zipf", ids: zipf.ids, distinct: zipf.distinct)
    let cells = try Replay.cells(
      for: trace, policies: EvictionPolicies.all,
      capacities: try CapacityRequest.parseList("1,10,10%,100%"))
    let rows = await Replay.run(cells, of: trace, seed: 4, width: width)
    #expect(rows == cells.map { Replay.run($0, of: trace, seed: 4) })
    for row in rows {
      #expect(row.counts.hits + row.counts.misses == 3_000)
      #expect(row.counts.misses >= trace.distinct)
    }
  }
}
