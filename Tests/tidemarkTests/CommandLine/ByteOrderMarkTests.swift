import CacheTestSupport
import Foundation
import Testing

@Suite("Byte order marks of files", .startsProcesses)
struct ByteOrderMarkTests {
  private static let mark = Data([0xEF, 0xBB, 0xBF])

  private func add(_ mark: Data, to name: String, in folder: URL) throws {
    let file = folder.appendingPathComponent(name)
    try (mark + Data(contentsOf: file)).write(to: file)
  }

  /// Runs a command on files as they are, and again with a mark before one of them.
  private func expectSame(
    _ arguments: [String], marking name: String, in folder: URL, status: Int32 = 0
  ) async throws {
    let plain = try await TidemarkProcess.run(arguments, in: folder)
    try add(Self.mark, to: name, in: folder)
    let marked = try await TidemarkProcess.run(arguments, in: folder)
    #expect(plain.status == status, "\(arguments): \(plain.errors)")
    #expect(marked.status == status, "\(arguments): \(marked.errors)")
    #expect(marked.output == plain.output && marked.errors == plain.errors, "\(arguments)")
  }

  private static let simulate = ["--policies", "lru", "--no-robustness", "--format", "csv"]

  @Test("A scenario, a recording and outcomes of reads are read the same as without one")
  func sessions() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let made = try await TidemarkProcess.run(
        ["simulate", "small.yaml", "--record", "small.jsonl", "--outcomes", "reads.csv"]
          + Self.simulate, in: folder)
      #expect(made.status == 0, "\(made.errors)")
      try await expectSame(
        ["simulate", "small.yaml"] + Self.simulate, marking: "small.yaml", in: folder)
      try await expectSame(
        ["simulate", "small.jsonl"] + Self.simulate, marking: "small.jsonl", in: folder)
      try await expectSame(["diff", "reads.csv", "reads.csv"], marking: "reads.csv", in: folder)
    }
  }

  @Test("The baseline of a gate is read as without one")
  func baseline() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let bench = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--policies", "lru", "--output", "baseline", in: folder
      )
      #expect(bench.status == 0, "\(bench.errors)")
      for file in ["baseline.csv", "manifest.json"] {
        try await expectSame(
          [
            "gate", "small.yaml", "--baseline", "baseline", "--candidate", "baseline", "--verdict",
            "v",
          ],
          marking: "baseline/\(file)", in: folder)
      }
    }
  }

  @Test("Plans, shards and journals are read as without one, and a journal is gone on with")
  func studies() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let search = [
        "small.yaml", "--policies", "lru", "--seeds", "2", "--vary", "capacity-entities=100,1000",
      ]
      for arguments in [
        ["sweep", "plan"] + search + ["--output", "plan.json"],
        ["sweep", "run", "plan.json", "--shard", "1/1", "--output", "shards"],
      ] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
      }
      let merge = ["sweep", "merge", "plan.json", "shards", "--format", "csv"]
      try await expectSame(merge, marking: "plan.json", in: folder)
      try await expectSame(merge, marking: "shards/shard-1-of-1.jsonl", in: folder)
      let tune = ["tune"] + search + ["--journal", "journal", "--format", "csv"]
      let first = try await TidemarkProcess.run(tune, in: folder)
      #expect(first.status == 0, "\(first.errors)")
      // Torn, so that it is cut off and written on.
      let whole = try Data(contentsOf: folder.appendingPathComponent("journal"))
      try (Self.mark + whole.dropLast(5)).write(to: folder.appendingPathComponent("journal"))
      let second = try await TidemarkProcess.run(tune, in: folder)
      #expect(second.status == 0 && second.output == first.output, "\(second.errors)")
      #expect(try Data(contentsOf: folder.appendingPathComponent("journal")) == Self.mark + whole)
    }
  }

  @Test("A case of a search is replayed as without one")
  func cases() async throws {
    try await withTemporaryFolder { folder in
      let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("FaultSearchTests/Cases")
      let name = try #require(try cases.entries().first { $0.hasSuffix(".case") })
      try folder.write(try cases.read(name), to: "a.case")
      try await expectSame(["check", "--replay", "a.case"], marking: "a.case", in: folder)
    }
  }

  @Test(
    "Traces of text, from a file and from a pipe, are read as without one",
    arguments: [
      ("text", "a\nb\na\n"), ("csv", "key,size\na,1\nb,2\na,1\n"), ("arc", "1 2 0 0\n1 2 0 0\n"),
      ("jsonl", "{\"key\":\"a\"}\n{\"key\":\"b\"}\n"),
    ])
  func traces(format: String, text: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(text, to: "trace")
      let replay = ["--trace-format", format, "--capacities", "1", "--format", "csv"]
      try await expectSame(["trace", "replay", "trace"] + replay, marking: "trace", in: folder)
      let keys = ["trace", "convert", "trace", "--from", format, "--to", "text", "--drop", "sizes"]
      let converted = try await TidemarkProcess.run(keys, in: folder)
      #expect(
        converted.status == 0 && !converted.output.hasPrefix("\u{FEFF}"), "\(converted.errors)")
      try folder.write(text, to: "trace")
      let piped = try await TidemarkProcess.run(
        "trace", "replay", "-", "--trace-format", format, "--capacities", "1", "--format", "csv",
        in: folder,
        by: "{ printf '\\357'; sleep 0.1; printf '\\273\\277'; cat trace; } | \"$@\"")
      let plain = try await TidemarkProcess.run(
        "trace", "replay", "-", "--trace-format", format, "--capacities", "1", "--format", "csv",
        in: folder,
        by: "\"$@\" < trace")
      #expect(piped.status == 0 && piped.output == plain.output, "\(piped.errors)")
    }
  }

  @Test("A first byte EF alone is content: a header in wide letters, and numbers in binary")
  func noMark() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("ｋｅｙ\na\nb\na\n", to: "wide.csv")
      let wide = try await TidemarkProcess.run(
        "trace", "convert", "wide.csv", "--from", "csv", "--columns", "key=ｋｅｙ", "--to", "text",
        in: folder)
      #expect(wide.status == 0 && wide.output == "a\nb\na\n", "\(wide.errors)")
      try Data([0xEF, 0xBB, 0xBF, 0x01]).write(to: folder.appendingPathComponent("one.be32"))
      let binary = try await TidemarkProcess.run(
        "trace", "convert", "one.be32", "--from", "be32", "--to", "text", in: folder)
      #expect(binary.status == 0 && binary.output == "\(0xEFBB_BF01)\n", "\(binary.errors)")
    }
  }

  @Test(
    "Text in another encoding is refused by its name, with the command that converts it",
    arguments: [
      ["simulate", "in"], ["diff", "in", "in"], ["check", "--replay", "in"],
      ["trace", "replay", "in", "--trace-format", "csv", "--capacities", "1"],
      ["trace", "convert", "in", "--from", "text", "--to", "csv", "--output", "out"],
      ["trace", "inspect", "in", "--trace-format", "text"],
    ])
  func otherEncoding(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      for (head, encoding) in [([0xFF, 0xFE], "UTF-16"), ([0, 0, 0xFE, 0xFF], "UTF-32")] {
        let bytes = head.map { UInt8($0) } + Array("name: x".utf8).flatMap { [$0, 0] }
        let name = arguments[0] == "simulate" ? "in.yaml" : "in"
        try Data(bytes).write(to: folder.appendingPathComponent(name))
        let run = try await TidemarkProcess.run(
          arguments.map { $0 == "in" ? name : $0 }, in: folder)
        #expect(run.status == 2)
        #expect(
          run.errors
            == "tidemark: \(name): its text is \(encoding), and UTF-8 is read; save it as UTF-8, or "
            + "convert it: iconv -f \(encoding) -t UTF-8\n")
        #expect(try folder.entries() == [name])
      }
    }
  }
}
