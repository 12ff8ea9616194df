import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark conform", .startsProcesses)
struct ConformTests {
  /// Says hello, and closes each turn without a word.
  private static let mute = """
    read -r l; echo '{"t":"hello","protocol":1,"name":"mute","version":"1"}'; n=0
    while read -r l; do n=$((n+1)); printf '{"t":"done","n":%d,"wake":null}\\n' $n; done
    """

  @Test("The cases are listed by address")
  func list() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run("conform", "--list", "--only", "gaps", in: folder)
      #expect(run.status == 0 && run.output.contains("gaps/3"))
      #expect(!run.output.contains("reads/"))
    }
  }

  @Test("A failing case shows the right answer and the cache's, and writes its turns")
  func failure() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(
        "conform", "--cache", "mute=\(Self.mute)", "--only", "reads/1", "--junit", "a.xml",
        "--output", "failed", in: folder)
      #expect(run.status == 1 && run.errors == "", "\(run.errors)")
      #expect(run.output.contains("told: 1 read q 0 (files in \"docs\")"))
      #expect(run.output.contains("expected: a1=[4,4]") && run.output.contains("received: nothing"))
      #expect(run.output.contains("why: the read has no answer [answer-reads]"))
      // The note on the file comes before the result at the end.
      #expect(
        run.output.hasSuffix("\nmute: 0 pass, 0 non-strict, 1 fail, 0 info\nfail: reads/1\n"))
      let told = try folder.read("failed/reads-1.jsonl").split(separator: "\n")
      #expect(told.count == 3 && told[1].contains("\"read\""))
      let answers = try folder.read("failed/reads-1.txt")
      #expect(answers.contains("expected: a1=[4,4]") && answers.contains("received: nothing"))
      #expect(try folder.read("a.xml").contains("<failure message=\"told: 1"))
      // Without a folder it is shown.
      let shown = try await TidemarkProcess.run(
        "conform", "--cache", "mute=\(Self.mute)", "--only", "reads/1", in: folder)
      #expect(shown.output.contains(told[1]))
    }
  }

  @Test("A cache that does not start is started once only")
  func start() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(
        "conform", "--cache", "a=echo listening", in: folder)
      #expect(run.status == 1 && run.errors.contains("not run: "), "\(run.errors)")
      #expect(run.output.contains("listening"))
      #expect(run.output.contains("Was that line meant for standard error?"))
    }
  }

  @Test("A command that is not there is one error, and no case")
  func notThere() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(
        "conform", "--cache", "a=./nosuch", "--junit", "a.xml", in: folder)
      #expect(run.status == 1 && run.output == "", "\(run.output)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
      #expect(run.errors.contains("nosuch") && run.errors.contains("[not-started]"))
      #expect(try folder.read("a.xml").contains("[not-started]"))
    }
  }

  @Test("Cases not run for lack of a feature take one line; JUnit has each")
  func notRun() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(
        "conform", "--cache", "mute=\(Self.mute)", "--only", "given", "--junit", "a.xml",
        in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n").filter { $0.contains("given/") }
      #expect(lines.count == 1 && lines[0].contains("not run: hello names no `given`"))
      #expect(lines[0].hasPrefix("given/1 to "), "\(lines)")
      #expect(run.output.contains("of them not run"))
      #expect(try folder.read("a.xml").contains("name=\"given/13 "))
    }
  }

  @Test(
    "Wrong options are reported",
    arguments: [
      (["--cache", "a=b", "--cache-turn", "1"], "--cache-turn"),
      (["--cache", "a=b", "--cache-memory", "1"], "--cache-memory"), ([], "--list"),
      (["--cache", "x"], "NAME=COMMAND"),
      (["--cache", "a=b", "--only", "gap/3"], "no such case"),
      (["--cache", "a=b", "--only", "start/99"], "no such case"),
    ] as [([String], String)])
  func input(arguments: [String], message: String) async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(["conform"] + arguments, in: folder)
      #expect(run.status == 2 && run.output == "" && run.errors.contains(message), "\(run.errors)")
    }
  }
}
