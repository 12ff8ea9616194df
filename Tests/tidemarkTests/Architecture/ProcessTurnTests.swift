import Testing

@Suite("Tests that start processes")
struct ProcessTurnTests {
  /// Calls in tests that start a process.
  private static let starts = [
    "TidemarkProcess.run(", "CrashChild(", "CacheCommand(", "ScriptedCaches.start(", "ProcessRun(",
    "ChildProcess(", "MemoryRun(", "Process()", "processExitsWith:",
  ]

  private static func isOutOfTurn(_ file: SourceFile) -> Bool {
    !file.lines(saying: "@Test").isEmpty && file.lines(saying: ".startsProcesses").isEmpty
      && starts.contains { !file.lines(saying: $0).isEmpty }
  }

  @Test("They take turns: a file that starts processes has the trait `.startsProcesses`")
  func takeTurns() throws {
    let files = try SourceFile.all(below: "Tests")
    #expect(files.count > 100, "the tests were not found")
    for file in files where Self.isOutOfTurn(file) {
      Issue.record("\(file.path) starts processes: give its suite or test `.startsProcesses`")
    }
  }

  @Test("A test without its turn is found", arguments: starts)
  func planted(start: String) {
    let test = "@Test func planted() async throws { try await \(start)"
    #expect(Self.isOutOfTurn(SourceFile(path: "Planted.swift", code: test)))
    #expect(
      !Self.isOutOfTurn(SourceFile(path: "Planted.swift", code: "@Suite(.startsProcesses) " + test))
    )
  }
}
