import CacheTestSupport
import Foundation
import Testing

/// Output of each kind in terminals of three widths, kept in `Tests/Snapshots`.
@Suite("Output on a terminal", .startsProcesses)
struct TerminalSnapshotTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String { name }
    var name: String
    /// The commands that make the inputs.
    var setUp: [String] = []
    var command: String
    var status: Int32 = 0
    /// More would not be read.
    var mostLines: Int?
  }

  private static let quick = "--policies lru,ttl,no-cache,unbounded --seeds 5"

  static let kinds = [
    Kind(
      name: "simulate", setUp: ["echo 'cache: {capacity-entities: 600}' >>small.yaml"],
      command:
        "simulate small.yaml --policies refcount,lru,spacedrive,no-cache,unbounded --seeds 10"),
    Kind(
      name: "simulate-recording",
      setUp: ["tidemark import har app.har --output app.jsonl"],
      command: "simulate app.jsonl --policies lru,ttl,refcount,no-cache,unbounded"),
    Kind(
      name: "recommend", command: "recommend small.yaml --memory 4MB"),
    Kind(
      name: "gate-pass", setUp: ["tidemark bench small.yaml --baseline \(quick) --output baseline"],
      command: "gate small.yaml --baseline baseline", mostLines: 25),
    Kind(
      name: "gate-fail",
      setUp: [
        "tidemark bench small.yaml --baseline \(quick) --output baseline",
        "echo 'cache: {capacity-entities: 500}' >>small.yaml",
      ], command: "gate small.yaml --baseline baseline", status: 1, mostLines: 25),
    Kind(
      name: "tune",
      command:
        "tune small.yaml --vary capacity-entities=200,400,800,1600 --policies lru,ttl --seeds 3"),
    Kind(name: "explain", command: "explain small.yaml"),
    Kind(
      name: "explain-recording", setUp: ["tidemark import har app.har --output app.jsonl"],
      command: "explain app.jsonl"),
    Kind(
      name: "diff",
      setUp: [
        "tidemark simulate small.yaml --policies lru,no-cache --seeds 1 --outcomes reads.csv"
      ],
      command: "diff reads.csv --show 4", status: 1),
    Kind(
      name: "bench", setUp: ["sed 's/name: small/name: other/' small.yaml >other.yaml"],
      command: "bench small.yaml other.yaml --exact-only \(quick) --output report", mostLines: 60),
    Kind(
      name: "bench-one", command: "bench small.yaml --exact-only \(quick) --output report",
      mostLines: 60),
    Kind(name: "list", command: "list policies"),
    Kind(name: "import", command: "import har app.har --output app.jsonl"),
    Kind(name: "error-option", command: "simulate small.yaml --sedes 5", status: 2, mostLines: 4),
    Kind(name: "error-file", command: "simulate smal.yaml", status: 2, mostLines: 4),
    Kind(
      name: "error-policy", command: "simulate small.yaml --policies LruCache", status: 2,
      mostLines: 4),
    Kind(
      name: "error-format", command: "gate small.yaml --also xml=gate.xml", status: 2, mostLines: 4),
    Kind(name: "error-argument", command: "simulate", status: 2, mostLines: 4),
  ]

  static let widths = [60, 80, 120]

  @Test("Every line fits, and is the one that was looked at", arguments: kinds)
  func snapshots(kind: Kind) async throws {
    try await withInputs(of: kind) { folder in
      for width in Self.widths {
        let text = try await Self.text(of: kind, in: folder, "COLUMNS=\(width)")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
          #expect(line.count <= width, "\(kind.name), \(width) columns: \(line)")
          #expect(line.last != " ", "\(kind.name), \(width) columns: \(line)")
        }
        if let most = kind.mostLines {
          #expect(lines.count - 1 <= most, "\(kind.name), \(width) columns")
        }
        try Self.compare(text, with: "\(kind.name)-\(width).txt")
      }
    }
  }

  @Test("Colours change nothing else")
  func colours() async throws {
    let kind = Self.kinds[0]
    try await withInputs(of: kind) { folder in
      // Without a terminal, `swift test` sets NO_COLOR for its children.
      let text = try await Self.text(
        of: kind, in: folder, "NO_COLOR= COLUMNS=80 CLICOLOR_FORCE=1")
      try Self.compare(text.replacing("\u{1B}", with: "␛"), with: "\(kind.name)-80-colours.txt")
      let plain = text.replacing(/\u{1B}\[[0-9]*m/, with: "")
      #expect(plain != text)
      #expect(try await Self.text(of: kind, in: folder, "COLUMNS=80") == plain)
      #expect(
        try await Self.text(of: kind, in: folder, "COLUMNS=80 CLICOLOR_FORCE=1 NO_COLOR=1") == plain
      )
    }
  }

  private func withInputs(of kind: Kind, _ body: (URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write(ImportTests.har, to: "app.har")
      for line in kind.setUp {
        let run = try await TidemarkProcess.run(
          in: folder, by: "PATH=\"$(dirname \"$1\"):$PATH\"; \(line)")
        #expect(run.status == 0, "\(line): \(run.errors)")
      }
      try await body(folder)
    }
  }

  /// The command's output, and its error if it fails.
  private static func text(
    of kind: Kind, in folder: URL, _ environment: String
  ) async throws -> String {
    let run = try await TidemarkProcess.run(in: folder, by: "\(environment) \"$1\" \(kind.command)")
    #expect(run.status == kind.status, "\(kind.name): \(run.errors)")
    return run.output + (run.status == 2 ? run.errors : "")
  }

  /// Compares with the file of `Tests/Snapshots`, or writes it if requested.
  private static func compare(_ text: String, with name: String) throws {
    let file = SourceFile.top.appendingPathComponent("Tests/Snapshots/\(name)")
    guard ProcessInfo.processInfo.environment["TIDEMARK_RENEW_SNAPSHOTS"] == nil else {
      try Data(text.utf8).write(to: file)
      return
    }
    let known = try? String(contentsOf: file, encoding: .utf8)
    #expect(
      text == known,
      """
      \(name) is not what a terminal shows now:
      \(text)
      If that is meant: TIDEMARK_RENEW_SNAPSHOTS=1 make test ONLY=TerminalSnapshotTests, \
      read `git diff Tests/Snapshots` as a user would, and commit it.
      """)
  }
}
