import FaultSearch
import Foundation
import Testing

@Suite("Committed cases", .timeLimit(.minutes(30)))
struct CommittedCaseTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Cases")

  private static let names: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".case") }.sorted()
  }()

  @Test("There are some")
  func thereAreSome() {
    #expect(!Self.names.isEmpty)
  }

  @Test("What was found once is not found again", arguments: names)
  func isNotFoundAgain(name: String) throws {
    let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(name))
    let faultCase = try CaseFile.read([UInt8](bytes))
    #expect(FaultSearch.replay(faultCase) == nil)
  }
}
