import CacheTestSupport
import Foundation
import Testing
import Text

@testable import CommandLineInterface

@Suite("Compressed input", .startsProcesses)
struct CompressedInputTests {
  /// How files of each tool begin: of a text, of nothing, and of several threads' work.
  private static let heads: [(form: CompressedForm, bytes: [UInt8])] = [
    (.gzip, [0x1F, 0x8B, 0x08, 0x00, 0, 0, 0, 0, 0x00, 0x03]),
    (.gzip, [0x1F, 0x8B, 0x08, 0x08, 1, 2, 3, 4, 0x02, 0xFF]),
    (.gzip, [0x1F, 0x8B, 0x08]),
    (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0x00, 0x04]),
    (.zstd, [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x08]),
    (.zstd, [0x50, 0x2A, 0x4D, 0x18, 0x04, 0, 0, 0]),
    (.bzip2, Array("BZh9".utf8) + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]),
    (.bzip2, Array("BZh1".utf8) + [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]),
  ]

  @Test("Each form is known by its first bytes, also behind which more follows")
  func known() {
    for (form, bytes) in Self.heads {
      #expect(CompressedForm(head: bytes) == form)
      #expect(CompressedForm(head: bytes + [1, 2, 3]) == form || bytes.count < 4)
    }
  }

  @Test("A file that only resembles a compressed one is read as it is")
  func unknown() {
    for bytes: [UInt8] in [
      [], [0x1F], [0x1F, 0x8B], [0x1F, 0x8B, 0x08, 0xE0], [0x1F, 0x8B, 0x07, 0],
      Array("BZh9 is a key\n".utf8), Array("7zXZ\u{0}".utf8), [0x60, 0x2A, 0x4D, 0x18],
      [0x28, 0xB5, 0x2F],
    ] {
      #expect(CompressedForm(head: bytes) == nil, "\(bytes)")
    }
  }

  @Test(
    "The name loses the ending of the compressed form",
    arguments: [("a.gz", "a"), ("b/a.txt.zst", "b/a.txt"), ("a.bz2", "a"), ("a.xz", "a")])
  func names(name: String, plain: String) {
    #expect(CompressedForm.plainName(of: name) == plain)
    #expect(CompressedForm.plainName(of: plain) == nil)
  }

  /// A command that reads a file called `in.gz`, and the remedy where it could read a pipe; else that it
  /// is to be decompressed first.
  private static let readers: [(arguments: [String], pipe: String?)] = [
    (["trace", "replay", "in.gz", "--trace-format", "text", "--capacities", "5"], "trace replay"),
    (["trace", "curve", "in.gz", "--trace-format", "text"], "trace curve"),
    (["trace", "curve", "in.gz", "--trace-format", "text", "--sample", "1", "--with-exact"], nil),
    (
      ["trace", "convert", "in.gz", "--from", "text", "--to", "csv", "--output", "out"],
      "trace convert"
    ),
    (["trace", "inspect", "in.gz", "--trace-format", "text"], "trace inspect"),
    (["trace", "bench", "in.gz", "--trace-format", "text", "--repetitions", "1"], nil),
    (["trace", "replay", "--expected-misses", "in.gz", "--traces", "."], nil),
    (["check", "--replay", "in.gz"], nil),
    (["simulate", "in.gz"], nil),
    (["bench", "in.gz", "--output", "out"], nil),
    (["tune", "in.gz", "--vary", "capacity-entities=1"], nil),
    (["gate", "in.gz"], nil),
  ]

  @Test("Every command that reads a file refuses it, with the pipe that works", arguments: readers)
  func refused(arguments: [String], pipe: String?) async throws {
    try await withTemporaryFolder { folder in
      try Data(Self.heads[0].bytes).write(to: folder.appendingPathComponent("in.gz"))
      let run = try await TidemarkProcess.run(arguments, in: folder)
      let remedy =
        pipe.map { "decompress it on the way: gzip -dc in.gz | tidemark \($0) - …" }
        ?? "decompress it first: gzip -dc in.gz > in"
      #expect(run.status == 2)
      #expect(run.errors == "tidemark: in.gz: compressed with gzip; \(remedy)\n")
      #expect(run.output == "")
      #expect(try folder.entries() == ["in.gz"])
    }
  }

  @Test(
    "A recording is known by its name, compressed or not", arguments: ["s.jsonl", "s.jsonl.zst"])
  func recording(name: String) async throws {
    try await withTemporaryFolder { folder in
      try Data(Self.heads[4].bytes).write(to: folder.appendingPathComponent(name))
      for arguments in [["simulate", name], ["tune", name, "--vary", "capacity-entities=1"]] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 2)
        #expect(
          run.errors.hasSuffix("zstd -dc \(name) | tidemark \(arguments[0]) - …\n"),
          "\(run.errors)")
      }
    }
  }

  @Test("A compressed table of a baseline is refused as such, with the exit code of a baseline")
  func baseline() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let results = folder.appendingPathComponent("baseline.csv")
      try Data(Self.heads[3].bytes).write(to: results)
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "--baseline", ".", "--verdict", "verdict.json", in: folder)
      #expect(run.status == 3)
      #expect(
        run.errors.hasPrefix("tidemark: ./baseline.csv: compressed with xz; "), "\(run.errors)")
    }
  }

  @Test("From standard input it is recognised too, however little comes at a time")
  func standardInput() async throws {
    try await withTemporaryFolder { folder in
      let bytes = Self.heads[6].bytes.map { "\\x\(String($0, radix: 16))" }
      for script in [
        "printf '\(bytes.joined())' | \"$@\"",
        "{ printf '\(bytes[0])'; sleep 0.1; printf '\(bytes.dropFirst().joined())'; } | \"$@\"",
      ] {
        let run = try await TidemarkProcess.run(
          "trace", "replay", "-", "--trace-format", "text", "--policies", "lru", "--capacities",
          "5",
          in: folder, by: script)
        #expect(run.status == 2)
        #expect(
          run.errors
            == "tidemark: standard input: compressed with bzip2; decompress it before the pipe: … | "
            + "bzip2 -dc | tidemark trace replay - …\n")
        #expect(run.output == "")
      }
      // Even less than any form needs is a trace.
      let short = try await TidemarkProcess.run(
        "trace", "replay", "-", "--trace-format", "text", "--policies", "lru", "--capacities", "5",
        in: folder, by: "printf a | \"$@\"")
      #expect(short.status == 0, "\(short.errors)")
    }
  }

  @Test(
    "A name that a shell would read otherwise is quoted in the remedy",
    arguments: [("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("a/b-1.gz", "a/b-1.gz")])
  func quoted(word: String, written: String) {
    #expect(ShellWord.quoted(word) == written)
  }

  @Test("Each word of a command is quoted by itself")
  func line() {
    #expect(ShellWord.line(["tidemark", "explain", "a b", "c"]) == "tidemark explain 'a b' c")
  }
}
