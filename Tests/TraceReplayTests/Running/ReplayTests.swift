import EvictionPolicies
import Testing
import Text
import TidemarkTestSupport

@testable import TraceReplay

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
