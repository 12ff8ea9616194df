import CacheModel
import Testing

@testable import TraceReplay

extension TraceParts {
  /// A trace read in parts, however small; `nil`: it has only one, or one cannot be read.
  static func trace(
    _ bytes: [UInt8], _ format: TraceFormat, most: Int, options: ReadingOptions = .standard
  ) -> InternedTrace? {
    let parts = TraceParts(
      bytes.span, format: format, name: "t", options: options, most: most, least: 1)
    guard parts.count > 1 else { return nil }
    var readers = (0..<parts.count).map { try? parts.read($0, of: bytes.span) }
    return try? TraceParts.joined(&readers)
  }
}

@Suite("Parts of a trace")
struct TracePartsTests {
  /// Lines of text keys and integers, of which some say more than the key.
  private func lines(_ count: Int) -> [UInt8] {
    var random = RandomSource(seed: 3)
    var text = "key,op,size,time\n"
    for line in 0..<count {
      let draw = random.below(200)
      let size = line > count / 2 && draw % 3 == 0 ? "\(draw)" : ""
      let key = draw % 2 == 0 ? "\(draw)" : "k\(draw)"
      text += "\(key),\(draw % 5 == 0 ? "set" : "get"),\(size),\(line)\n"
    }
    return Array(text.utf8)
  }

  @Test("all parts together are the trace of one reader", arguments: [2, 3, 7])
  func together(parts: Int) throws {
    let bytes = lines(2_000)
    let whole = try TraceReader.read(bytes, format: .csv, name: "t")
    #expect(TraceParts.trace(bytes, .csv, most: parts) == whole)
    #expect(whole.distinct > 150 && !whole.weights.isEmpty)
    let sampled = ReadingOptions(sampling: KeySampling(rate: 0.3))
    #expect(
      try TraceParts.trace(bytes, .csv, most: parts, options: sampled)
        == TraceReader.read(bytes, format: .csv, name: "t", options: sampled))
    let binary = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
    #expect(
      try TraceParts.trace(binary, .be32, most: parts)
        == TraceReader.read(binary, format: .be32, name: "t"))
  }

  @Test("a line end between quotes does not split, in a record or in the header")
  func quotes() throws {
    let record = Array("key,size\n\"a\n1,2\n3,4\n5,6\",7\n".utf8)
    #expect(try TraceReader.read(record, format: .csv, name: "t").ids == [0])
    #expect(TraceParts.trace(record, .csv, most: 2) == nil)
    let header = Array("size,\"no\nte\",key\n1,2,a\n1,2,b\n1,2,a\n".utf8)
    #expect(TraceParts.trace(header, .csv, most: 2) == nil)
    let plain = Array("size,note,key\n1,\"2\",a\n1,2,b\n1,2,a\n".utf8)
    #expect(TraceParts.trace(plain, .csv, most: 2)?.ids == [0, 1, 0])
  }

  @Test("a fault in any part, or too much in all together, is left to a reader of the whole")
  func faults() {
    #expect(TraceParts.trace([0, 0, 0, 1, 0, 0, 0, 2, 0], .be32, most: 2) == nil)
    let limits = ReadingOptions(limits: TraceLimits(requests: 3))
    #expect(TraceParts.trace([UInt8](0..<16), .be32, most: 2, options: limits) == nil)
    #expect(TraceParts.trace(Array("\n\n\n\n".utf8), .text, most: 2) == nil)
  }
}
