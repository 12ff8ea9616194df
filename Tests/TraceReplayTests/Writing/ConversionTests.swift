import CacheModel
import EvictionPolicies
import Testing

@testable import TraceReplay

@Suite("Conversion")
struct ConversionTests {
  private func convert(
    _ bytes: [UInt8], _ source: String, _ target: String,
    losses: TraceConverter.Losses = TraceConverter.Losses(), pieces: Int = 1 << 20
  ) throws -> [UInt8] {
    var options = ReadingOptions.standard
    options.columns.subtract(losses.columns.subtracting(.operations))
    var converter = TraceConverter(
      from: try #require(TraceFormats.named(source)), to: try #require(TraceFormats.named(target)),
      options: options, losses: losses)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let end = min(start + pieces, bytes.count)
      try converter.consume(Array(bytes[start..<end]).span) { output += $0 }
    }
    try converter.finish { output += $0 }
    return output
  }

  private func convert(
    _ text: String, _ source: String, _ target: String,
    losses: TraceConverter.Losses = TraceConverter.Losses()
  ) throws -> String {
    String(
      decoding: try convert(Array(text.utf8), source, target, losses: losses), as: UTF8.self)
  }

  private func fault(
    _ text: String, _ source: String, _ target: String
  ) -> ConversionError? {
    #expect(throws: ConversionError.self) { try convert(text, source, target) }
  }

  private func read(_ bytes: [UInt8], _ format: String) throws -> InternedTrace {
    try TraceReader.read(bytes, format: try #require(TraceFormats.named(format)), name: "t")
  }

  /// Records that the format can hold, as JSON Lines.
  private func records(for format: TraceFormat, seed: UInt64) -> [UInt8] {
    var random = RandomSource(seed: seed).substream("records")
    let holdsText = !["be32", "be64", "oracle-general", "arc"].contains(format.name)
    let hasUpdates = !["cachelib", "twitter"].contains(format.name)
    let encoder = JSONLinesEncoder()
    var bytes: [UInt8] = []
    for _ in 0..<300 {
      var record = TraceRecord()
      if format.columns.contains(.operations) {
        record.operation = TraceOperation.allCases[random.below(4)]
        if record.operation == .update, !hasUpdates { record.operation = .set }
      }
      if format.columns.contains(.weights) { record.weight = Int32(random.below(1 << 20)) }
      if format.columns.contains(.lifetimes) {
        record.lifetime = Int64(random.below(3) * 60) * 1_000_000_000
      }
      if format.columns.contains(.times) {
        record.time = Int64(random.below(1 << 30)) * 1_000_000_000
      }
      let key = random.below(40)
      let text = Array((key % 4 == 3 ? "\"k,\(key)\"" : "key-\(key)").utf8)
      let isPlain = ["cachelib", "twitter"].contains(format.name)
      let name = isPlain ? Array("key-\(key)".utf8) : text
      // JSON Lines hold whatever these keys are.
      try? encoder.encode(
        holdsText && key % 2 == 1 ? .text(name[...]) : .integer(UInt64(key) << 20), record,
        into: &bytes)
    }
    return bytes
  }

  @Test("a trace that a format can hold comes back the same", arguments: TraceFormats.all)
  func roundTrip(format: TraceFormat) throws {
    for seed in 0..<5 as Range<UInt64> {
      let original = records(for: format, seed: seed)
      let bytes = try convert(original, "jsonl", format.name)
      let there = try read(bytes, format.name)
      #expect(there == (try read(original, "jsonl")))
      for pieces in [1, 7, 100] {
        #expect(try convert(bytes, format.name, format.name, pieces: pieces) == bytes)
      }
      let back = try read(try convert(bytes, format.name, "jsonl"), "jsonl")
      #expect(back == there)
    }
  }

  @Test("csv writes the columns that the trace has, and quotes what needs it")
  func csv() throws {
    #expect(try convert("a\n7\nx,\"y\n", "text", "csv") == "key\na\n7\n\"x,\"\"y\"\n")
    #expect(
      try convert("key,time,ttl\na,0.5,\nb,2,0.25\n", "csv", "csv")
        == "key,ttl,time\na,,0.5\nb,0.25,2\n")
  }

  @Test("text becomes integers of any size that fits")
  func integers() throws {
    let top = "18446744073709551615"
    #expect(try convert(Array("\(top)\n".utf8), "text", "be64") == Array(repeating: 255, count: 8))
    #expect(
      try convert(Array(repeating: 255, count: 8), "be64", "text") == Array("\(top)\n".utf8))
    #expect(try convert(Array("258\n".utf8), "text", "be32") == [0, 0, 1, 2])
  }

  @Test("a request that a format cannot express is refused")
  func refused() throws {
    #expect(fault("1\n2\nx\n", "text", "be32")?.line == 3)
    #expect(fault("4294967296\n", "text", "be32")?.fault == .key("4294967296 is above 4294967295"))
    #expect(fault("key,size\n1,\n1,5\n", "csv", "be32")?.line == 2)
    #expect(fault("key,size\n1,5\n", "csv", "text")?.fault == .column(.weights))
    #expect(fault("op,key\nset,1\n", "csv", "oracle-general")?.fault == .column(.operations))
    #expect(fault("key\n\"a\nb\"\n", "csv", "text")?.fault == .key("it contains a line end"))
    #expect(fault("a*\n", "text", "lirs") != nil)
    #expect(fault("key,time\n1,0.5\n", "csv", "oracle-general") != nil)
    #expect(fault("key,op\n1,update\n", "csv", "twitter") != nil)
    #expect(throws: TraceError.noRequests(format: "text")) { try convert("\n", "text", "csv") }
  }

  @Test("dropped columns are left out, and with operations the lines that are not gets")
  func losses() throws {
    let text = "key,op,size,time\n1,get,5,0\n2,set,6,1\nx,get,7,2\n1,delete,,3\n"
    #expect(
      try convert(
        text, "csv", "text",
        losses: TraceConverter.Losses(columns: [.operations, .weights, .times])) == "1\nx\n")
    #expect(
      try convert(
        text, "csv", "csv", losses: TraceConverter.Losses(columns: .times, numbersKeys: true))
        == "key,operation,size\n0,get,5\n1,set,6\n2,get,7\n0,delete,\n")
    let numbered = try convert(
      Array("b\na\nb\n".utf8), "text", "be32", losses: TraceConverter.Losses(numbersKeys: true))
    #expect(numbered == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  }

  @Test("runs of blocks and repeated rows become lines")
  func runs() throws {
    #expect(try convert("5 3 0 0\n", "arc", "text") == "5\n6\n7\n")
    #expect(
      try convert("key,op,op_count\na,GET,2\n", "cachelib", "csv")
        == "key,operation\na,get\na,get\n")
  }

  @Test("oracle-general: a trace without sizes is written with size 1, which libCacheSim reads")
  func oracleSizes() throws {
    let bytes = try convert(Array("9\n".utf8), "text", "oracle-general")
    #expect(
      bytes == [0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0] + Array(repeating: 255, count: 8))
  }
}
