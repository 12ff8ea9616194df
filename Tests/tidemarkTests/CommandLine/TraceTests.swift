import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark replay, convert and inspect", .startsProcesses)
struct TraceTests {
  private static let operations = """
    key,op,size,time,ttl
    a,get,100,0,
    b,set,5000,1,60
    a,update,,2,
    a,get,100,3,
    b,get,5000,70,
    b,delete,,71,
    b,get,5000,72,10

    """

  @Test("A replay of operations counts the causes of misses, in each form")
  func operations() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.operations, to: "ops.csv")
      let arguments = [
        "trace", "replay", "ops.csv", "--trace-format", "csv", "--policies", "lru", "--capacities",
        "2,4KiB",
      ]
      let csv = try await TidemarkProcess.run(arguments + ["--format", "csv"], in: folder)
      #expect(csv.status == 0, "\(csv.errors)")
      #expect(
        csv.output == """
          trace,policy,capacity,requests,hits,misses,hit_ratio,evictions,rejections,capacity_unit,\
          sets,updates,deletes,compulsory_misses,capacity_misses,coherence_misses,expired_misses,\
          stale_hits,invalidations,deletions,bytes_requested,bytes_missed,byte_hit_ratio,estimate
          ops.csv,lru,2,4,0,4,0.0,0,0,entities,1,1,1,2,0,1,1,0,1,1,10200,10200,0.0,no
          ops.csv,lru,4096,4,0,4,0.0,0,3,bytes,1,1,1,2,1,1,0,0,1,0,10200,10200,0.0,no

          """)
      let table = try await TidemarkProcess.run(arguments, in: folder)
      #expect(table.output.contains("coherence_misses"))
      let unseen = try await TidemarkProcess.run(
        arguments + ["--updates", "unseen", "--format", "json"], in: folder)
      #expect(unseen.output.contains("\"stale_hits\": 1"), "\(unseen.output)")
    }
  }

  @Test("A trace of reads alone has the columns that scripts rely on, from a file and from a pipe")
  func reads() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("a\nb\na\nc\na\n", to: "keys.txt")
      let row = ",lru,2,5,2,3,0.4,1,0,entities,,,,,,,,,,,,,,no\n"
      let header = """
        trace,policy,capacity,requests,hits,misses,hit_ratio,evictions,rejections,capacity_unit,\
        sets,updates,deletes,compulsory_misses,capacity_misses,coherence_misses,expired_misses,\
        stale_hits,invalidations,deletions,bytes_requested,bytes_missed,byte_hit_ratio,estimate

        """
      let arguments = [
        "--trace-format", "text", "--policies", "lru", "--capacities", "2", "--format", "csv",
      ]
      let file = try await TidemarkProcess.run(
        ["trace", "replay", "keys.txt"] + arguments, in: folder)
      #expect(file.output == header + "keys.txt" + row)
      let pipe = try await TidemarkProcess.run(
        "trace", "replay", "-", "--trace-format", "text", "--policies", "lru", "--capacities", "2",
        "--format", "csv", in: folder, by: "cat keys.txt | \"$@\"")
      #expect(pipe.output == header + "stdin" + row)
    }
  }

  @Test("For a person, a trace of reads alone has no columns of operations")
  func readsForPeople() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("a\nb\na\nc\na\n", to: "keys.txt")
      let table = try await TidemarkProcess.run(
        "trace", "replay", "keys.txt", "--trace-format", "text", "--policies", "lru,lru",
        "--capacities",
        "2", in: folder)
      let lines = table.output.split(separator: "\n")
      #expect(lines.first?.hasSuffix("evictions") == true, "\(table.output)")
      // A policy that is named twice has one row.
      #expect(lines.count == 3, "\(table.output)")
    }
  }

  @Test("A small sample is reported, leaves out what it cannot estimate, and counts its keys")
  func sample() async throws {
    try await withTemporaryFolder { folder in
      try folder.write((0..<6_000).map { "k\($0 % 2_000)\n" }.joined(), to: "keys.txt")
      let arguments = [
        "trace", "curve", "keys.txt", "--trace-format", "text", "--format", "csv", "--sample",
        "0.5",
        "--capacities",
      ]
      let run = try await TidemarkProcess.run(arguments + ["10,1000"], in: folder)
      #expect(run.status == 0)
      #expect(run.errors.contains("keys are in the sample, so errors"), "\(run.errors)")
      #expect(run.errors.contains("1 of 2 capacities are left out"), "\(run.errors)")
      let rows = TidyRow.all(in: run.output)
      #expect(rows.map { $0["capacity"] } == ["1000"])
      #expect(rows.allSatisfy { (900...1_100).contains(Int($0["sampled_keys"]) ?? 0) })
      let nothing = try await TidemarkProcess.run(arguments + ["10"], in: folder)
      #expect(nothing.status == 2)
      #expect(nothing.errors.contains("at the sample's scale no capacity"), "\(nothing.errors)")
    }
  }

  @Test("A conversion and back gives the same trace; a refusal keeps the previous file")
  func conversion() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.operations, to: "ops.csv")
      let there = try await TidemarkProcess.run(
        "trace", "convert", "ops.csv", "--from", "csv", "--to", "jsonl", "--output", "ops.jsonl",
        in: folder)
      #expect(there.status == 0, "\(there.errors)")
      #expect(there.errors == "7 requests written\n")
      let back = try await TidemarkProcess.run(
        "trace", "convert", "ops.jsonl", "--from", "jsonl", "--to", "csv", in: folder)
      #expect(back.output.hasPrefix("key,operation,size,ttl,time\na,get,100,,0\nb,set,5000,60,1\n"))
      let kept = try folder.read("ops.jsonl")
      let refused = try await TidemarkProcess.run(
        "trace", "convert", "ops.csv", "--from", "csv", "--to", "text", "--output", "ops.jsonl",
        in: folder)
      #expect(refused.status == 2)
      #expect(refused.errors.contains("request 1 does not fit into 'text': it has sizes"))
      #expect(try folder.read("ops.jsonl") == kept)
      #expect(try folder.entries() == ["ops.csv", "ops.jsonl"])
      let reads = try await TidemarkProcess.run(
        "trace", "convert", "ops.csv", "--from", "csv", "--to", "text", "--drop",
        "operations,sizes,lifetimes,times", in: folder)
      #expect(reads.output == "a\na\nb\nb\n")
      #expect(reads.errors == "4 requests written, 3 that are no gets left out\n")
    }
  }

  @Test("An inspection describes a trace, in each form")
  func inspection() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.operations, to: "ops.csv")
      for (format, mention) in [
        ("table", "one_hit_wonders"),
        ("csv", "ops.csv,update_share,0.14285714285714285,,1 of 7 lines"),
        ("json", "\"footprint\": 5100"),
      ] {
        let run = try await TidemarkProcess.run(
          "trace", "inspect", "ops.csv", "--trace-format", "csv", "--format", format, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(mention), "\(run.output)")
      }
    }
  }

  @Test("An inspection of a scenario, and of its recording, counts what was drawn")
  func inspectionOfSession() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let drawn = try await TidemarkProcess.run(
        "explain", "small.yaml", "--format", "csv", in: folder)
      #expect(drawn.status == 0, "\(drawn.errors)")
      #expect(drawn.output.hasPrefix("session,figure,value,unit,note\n"))
      #expect(drawn.output.contains(",self_revisit_share,0.0,"))
      #expect(drawn.output.contains("asked for: `revisit` 30.0 % of strolls"), "\(drawn.output)")
      let recording = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "small.jsonl", in: folder)
      #expect(recording.status == 0, "\(recording.errors)")
      let recorded = try await TidemarkProcess.run(
        "explain", "small.jsonl", "--format", "csv", in: folder)
      #expect(recorded.status == 0, "\(recorded.errors)")
      func figures(_ output: String) -> [Substring] {
        output.split(separator: "\n").map { $0.split(separator: ",").dropFirst().prefix(2) }
          .map { $0.joined(separator: ",")[...] }
      }
      #expect(figures(recorded.output) == figures(drawn.output))
      let other = try await TidemarkProcess.run(
        "explain", "small.yaml", "--seed", "99", "--format", "csv", in: folder)
      #expect(figures(other.output) != figures(drawn.output))
    }
  }

  @Test("Without reads a curve has no miss ratio, in each form")
  func curveOfWrites() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("key,op\na,set\nb,set\n", to: "writes.csv")
      let curve = [
        "trace", "curve", "writes.csv", "--trace-format", "csv", "--capacities", "1", "--format",
      ]
      let csv = try await TidemarkProcess.run(curve + ["csv"], in: folder)
      #expect(csv.status == 0, "\(csv.errors)")
      #expect(csv.output.hasSuffix("\nwrites.csv,lru,1,entities,0,0,,one-pass,\n"), "\(csv.output)")
      let json = try await TidemarkProcess.run(curve + ["json"], in: folder)
      #expect(json.output.contains("\"miss_ratio\": null"), "\(json.output)")
      let table = try await TidemarkProcess.run(curve + ["table"], in: folder)
      #expect(table.status == 0 && !table.output.contains("%"), "\(table.output)")
    }
  }

  @Test("A curve has a point per policy and capacity, in each form")
  func curve() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("a\nb\na\nc\na\nb\n", to: "keys.txt")
      let arguments = ["trace", "curve", "keys.txt", "--trace-format", "text"]
      let csv = try await TidemarkProcess.run(
        arguments + ["--policies", "lru,fifo", "--capacities", "2,100%", "--format", "csv"],
        in: folder)
      #expect(
        csv.output == """
          trace,policy,capacity,capacity_unit,requests,misses,miss_ratio,method,sampled_keys
          keys.txt,lru,2,entities,6,4,0.6666666666666666,one-pass,
          keys.txt,lru,3,entities,6,3,0.5,one-pass,
          keys.txt,fifo,2,entities,6,5,0.8333333333333334,replay,
          keys.txt,fifo,3,entities,6,3,0.5,replay,

          """, "\(csv.errors)")
      let all = try await TidemarkProcess.run(
        arguments + ["--all", "--format", "json"], in: folder)
      #expect(all.output.contains("\"miss_ratio\": 1.0"), "\(all.output)")
      let table = try await TidemarkProcess.run(
        arguments + ["--sample", "1", "--with-exact"], in: folder)
      #expect(table.output.contains("mean 0.0, largest 0.0 percentage points"), "\(table.output)")
      #expect(table.output.contains("l lru"))
    }
  }
}
