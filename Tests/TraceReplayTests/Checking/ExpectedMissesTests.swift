import EvictionPolicies
import Testing

@testable import TraceReplay

@Suite("Expected misses")
struct ExpectedMissesTests {
  private static let header = "trace,policy,cache_size,requests,misses\n"

  private func table(_ rows: String) throws -> ExpectedMisses {
    try ExpectedMisses(csv: Array((Self.header + rows).utf8))
  }

  private func load(_ source: TraceSource) -> InternedTrace? {
    source.fileName == "x.trace.gz"
      ? InternedTrace(name: source.name, ids: [0, 1, 2, 0, 3, 1], distinct: 4) : nil
  }

  @Test("rows that agree, differ, or cannot be checked are distinguished")
  func check() async throws {
    let table = try table(
      """
      lirs_x,lru,3,6,5
      lirs_x,fifo,3,6,5
      lirs_x,sieve,3,7,4
      lirs_x,nru,3,6,1
      lirs_x,nru,4,6,1
      cache2k_y,lru,3,6,5
      other,fifo,3,6,5

      """)
    let report = await table.check(width: 2, load: load)
    #expect(report.agreeing == 1)
    #expect(
      report.mismatches.map(\.description) == [
        "lirs_x, fifo, capacity 3: 4 misses, expected 5",
        "lirs_x, sieve, capacity 3: the trace holds 6 requests, expected 7",
      ])
    #expect(report.unknownPolicies == [.init(name: "nru", rows: 2)])
    #expect(
      report.missingTraces == [.init(name: "cache2k_y", rows: 1), .init(name: "other", rows: 1)])
    #expect(report.checked == 3)
    #expect(!report.passes)
  }

  @Test("a check passes only if something was checked and nothing is missing")
  func passes() async throws {
    func passes(_ rows: String) async throws -> Bool {
      try await table(rows).check(width: 1, load: load).passes
    }
    #expect(try await passes("lirs_x,lru,3,6,5\n"))
    #expect(try await passes("lirs_x,lru,3,6,5\nlirs_x,nru,3,6,5\n"))
    #expect(try await !passes("lirs_x,nru,3,6,5\n"))
    #expect(try await !passes("lirs_x,lru,3,6,5\nlirs_z,lru,3,6,5\n"))
  }

  @Test("names in the table map to files, and none leaves the folder")
  func sources() {
    let lirs = TraceSource(tableName: "lirs_2_pools")
    #expect(lirs?.fileName == "2_pools.trace.gz")
    #expect(lirs?.compression == .gzip)
    #expect(lirs?.format == "lirs")
    let cache2k = TraceSource(tableName: "cache2k_orm-night")
    #expect(cache2k?.fileName == "orm-night.trace.xz")
    #expect(cache2k?.compression == .xz)
    #expect(cache2k?.format == "be32")
    for name in ["", "lirs_", "orm", "lirs_../secret", "cache2k_a/b", "lirs_.hidden"] {
      #expect(TraceSource(tableName: name) == nil, "\(name)")
    }
  }

  @Test("policies that tables call otherwise are found")
  func aliases() {
    #expect(
      ["s3fifo", "twoq", "belady", "lru"].map(ExpectedMisses.policyName(for:))
        == ["s3-fifo", "two-queue", "clairvoyant", "lru"])
  }

  @Test("a malformed table is refused with line and fault")
  func malformed() {
    #expect(throws: TraceError.record(line: 2, .notANumber(column: "misses"))) {
      try table("lirs_x,lru,3,6,many\n")
    }
    #expect(throws: TraceError.record(line: 3, .negative(column: "cache_size"))) {
      try table("lirs_x,lru,3,6,5\nlirs_x,lru,-3,6,5\n")
    }
    #expect(throws: TraceError.record(line: 2, .fieldCount(expected: 5, found: 2))) {
      try table("lirs_x,lru\n")
    }
    #expect(throws: TraceError.record(line: 1, .noColumn(named: ["policy"]))) {
      try ExpectedMisses(csv: Array("trace,misses\n".utf8))
    }
    #expect(throws: TraceError.noRequests(format: "csv")) { try table("") }
  }
}
