import CacheModel
import CacheTestSupport
import EvictionPolicies
import Testing
import Text

@testable import TraceReplay

@Suite("Texts that are keys of a trace")
struct KeyTests {
  private static func read(_ bytes: [UInt8], _ format: String) throws -> InternedTrace {
    try TraceReader.read(bytes, format: try #require(TraceFormats.named(format)), name: "t")
  }

  @Test("Two are one key if and only if their bytes are the same, in CSV and in JSON Lines")
  func keys() throws {
    var random = RandomSource(seed: 11)
    let keys = RandomText.distinct(200, hasNUL: true, &random).filter { !$0.isEmpty }
    let order = keys.indices.map { _ in random.below(keys.count) }
    var json = JSONWriter()
    var csv = "key\n"
    for place in Array(keys.indices) + order {
      json.line { $0.member("key", keys[place]) }
      csv += "\"\(keys[place].replacing("\"", with: "\"\""))\"\n"
    }
    let expected = (Array(keys.indices) + order).map { UInt32($0) }
    for (bytes, format) in [(json.bytes, "jsonl"), (csv.bytes, "csv")] {
      let trace = try Self.read(bytes, format)
      #expect(trace.distinct == keys.count, "\(format)")
      #expect(trace.ids == expected, "\(format)")
    }
  }

  @Test("A surrogate without its other half is no key", arguments: RandomText.unpairedInJSON)
  func unpaired(text: String) {
    #expect(throws: TraceError.self) { try Self.read("{\"key\":\(text)}\n".bytes, "jsonl") }
  }
}
