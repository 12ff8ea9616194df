import CommandLineInterface
import Foundation
import Testing
import Workloads

@Suite("The schema of scenarios")
struct SchemaTests {
  @Test("The file that editors read is what the sections declare")
  func isCommitted() throws {
    let schema = try ScenarioSchema(vocabulary: .all).document()
    #expect(
      try SourceFile.top.read("Scenarios/schema.json") == String(decoding: schema, as: UTF8.self),
      "renew it: tidemark list schema > Scenarios/schema.json")
  }
}
