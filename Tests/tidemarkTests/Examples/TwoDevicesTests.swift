import CacheTestSupport
import Foundation
import Testing

@Suite("The example of two devices", .startsProcesses)
struct TwoDevicesTests {
  @Test("An album that is renamed on A is seen on B")
  func runs() async throws {
    try await withTemporaryFolder { folder in
      let example = try await TidemarkProcess.run(
        TidemarkProcess.executable(named: "TwoDevices"), [], in: folder)
      #expect(
        example.output == """
          A shows Holidays, Work
          B shows Holidays, Work
          A renames Holidays to Iceland
          A shows Iceland, Work
          B shows Iceland, Work
          queries to the server: 2, one for each device

          """)
      #expect(example.errors == "")
      #expect(example.status == 0)
    }
  }

  @Test("The README shows what the example compiles")
  func readmeIsCompiled() throws {
    let example = try SourceFile.top.read("Examples/TwoDevices/Device.swift")
    let parts = example.components(separatedBy: "// README: ")
    try #require(parts.count == 3, "the marks `README: begin` and `README: end` are not there")
    // Without its indentation, which is that of a function's body.
    let snippet = parts[1].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      .dropLast().map { $0.dropFirst(4) }.joined(separator: "\n")
    let readme = try SourceFile.top.read("README.md")
    #expect(readme.contains("```swift\n\(snippet)\n```\n"), "copy the marked part into the README")
  }
}
