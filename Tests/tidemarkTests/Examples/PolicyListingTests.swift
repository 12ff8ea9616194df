import Foundation
import Testing

@Suite("The listing in Adding a policy")
struct PolicyListingTests {
  /// The code blocks of the document, in order.
  private static func listings() throws -> [Substring] {
    try SourceFile.top.read("Documentation/AddingAPolicy.md").split(separator: "```swift\n")
      .dropFirst().map { $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex) }
  }

  @Test("The policy is a file of the sources to the letter, so it compiles")
  func policyIsCompiled() throws {
    let listing = try #require(try Self.listings().first)
    #expect(try SourceFile.top.read("Sources/EvictionPolicies/Recency/LRU.swift") == listing)
  }

  @Test("The line that registers it stands in the registry")
  func lineIsCompiled() throws {
    let line = try #require(try Self.listings().dropFirst().first)
    #expect(try SourceFile.top.read("Sources/EvictionPolicies/Registry.swift").contains(line))
  }
}
