import CacheModel
import Foundation
import Testing

@testable import TraceReplay

/// Bytes that nobody meant: a reader gives a trace or an error, whatever comes and in whatever pieces,
/// and a trace that it gives is the same after a conversion to JSON Lines.
@Suite("Hostile input")
struct HostileInputTests {
  /// Small, so that no input makes a test slow.
  private static let limits = TraceLimits(keyBytes: 64, recordBytes: 256, requests: 5_000)

  /// More make a search of an afternoon; see CONTRIBUTING.md.
  private static let rounds =
    ProcessInfo.processInfo.environment["TIDEMARK_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 300

  private static let seeds: [String: String] = [
    "text": "1\n2\r\nabc\n\n3\n", "lirs": "1\n*\n 2 \n\n1\n", "arc": "1 2 0 0\n7 1 0 1\n",
    "csv": "key,op,size,ttl,time\na,get,1,2,3.5\n\"b,\"\"c\",set,,,4\r\n",
    "cachelib": "key,op,size,op_count,key_size\nk,GET,5,2,1\nk,SET,5,1,1\n",
    "twitter": "0,a,1,10,5,get,0\n1,b,2,3,5,add,60\n",
    "jsonl": "{\"key\":\"a\\u0041\",\"size\":3}\n{\"key\":7,\"operation\":\"set\",\"time\":1}\n",
  ]

  private func read(_ bytes: [UInt8], _ format: TraceFormat, pieces: Int) -> Result<
    InternedTrace, TraceError
  > {
    Result { () throws(TraceError) in
      var reader = TraceReader(
        format: format, name: "t", options: ReadingOptions(limits: Self.limits))
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        try reader.consume(Array(bytes[start..<min(start + pieces, bytes.count)]).span)
      }
      return try reader.finish()
    }
  }

  /// The trace by way of JSON Lines; `nil` where a key is not UTF-8.
  private func converted(_ bytes: [UInt8], _ format: TraceFormat) -> InternedTrace? {
    var converter = TraceConverter(
      from: format, to: .jsonLines, options: ReadingOptions(limits: Self.limits))
    var lines: [UInt8] = []
    do {
      try converter.consume(bytes.span) { lines += $0 }
      try converter.finish { lines += $0 }
      return try TraceReader.read(lines, format: .jsonLines, name: "t")
    } catch {
      #expect(error is ConversionError, "\(format.name): \(bytes): \(error)")
      return nil
    }
  }

  private func check(_ bytes: [UInt8], _ format: TraceFormat) {
    let whole = read(bytes, format, pieces: max(1, bytes.count))
    #expect(whole == read(bytes, format, pieces: 5), "\(format.name): \(bytes)")
    for most in 2...3 {
      let options = ReadingOptions(limits: Self.limits)
      guard let trace = TraceParts.trace(bytes, format, most: most, options: options) else {
        continue
      }
      #expect(whole == .success(trace), "\(format.name): \(bytes) in \(most) parts")
    }
    switch whole {
    case .success(let trace):
      let converted = converted(bytes, format)
      #expect(converted == nil || converted == trace, "\(format.name): \(bytes)")
      #expect(trace.ids.allSatisfy { $0 < trace.distinct })
      #expect(trace.ids.count <= Self.limits.requests)
    case .failure(let error):
      #expect(error.description.contains(";"), "names no remedy: \(error)")
    }
  }

  @Test("truncated anywhere", arguments: TraceFormats.all)
  func truncated(format: TraceFormat) {
    let bytes = Self.seeds[format.name].map { Array($0.utf8) } ?? [UInt8](0..<72)
    for end in 0...bytes.count { check(Array(bytes[..<end]), format) }
  }

  @Test("with bytes changed, doubled or taken out", arguments: TraceFormats.all)
  func mutated(format: TraceFormat) {
    let original = Self.seeds[format.name].map { Array($0.utf8) } ?? [UInt8](0..<96)
    var former = original
    var random = RandomSource(seed: 11).substream("mutations")
    let favourites = Array("\",\n\r*-0 9{}\\:\u{FF}".utf8)
    for _ in 0..<Self.rounds {
      // Sometimes a mutated input is mutated further.
      var bytes = random.chance(0.5) || former.isEmpty ? original : former
      for _ in 0...random.below(4) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] = favourites[random.below(favourites.count)]
        case 2: bytes.insert(favourites[random.below(favourites.count)], at: place)
        default: if bytes.count > 1 { bytes.remove(at: place) }
        }
      }
      check(bytes, format)
      former = Array(bytes.prefix(300))
    }
  }

  @Test("noise", arguments: TraceFormats.all)
  func noise(format: TraceFormat) {
    var random = RandomSource(seed: 12).substream("noise")
    for length in 0..<150 {
      check((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }, format)
    }
  }

  @Test("a single key, and the largest number of each column")
  func extremes() throws {
    func trace(_ text: String, _ format: String) throws -> InternedTrace {
      try TraceReader.read(
        Array(text.utf8), format: try #require(TraceFormats.named(format)), name: "t")
    }
    #expect(try trace("x", "text").distinct == 1)
    #expect(try trace("key,size\nx,1000000000\n", "csv").weights == [1_000_000_000])
    #expect(try trace("key,size\nx,2147483647\n", "csv").weights == [.max])
    // Beyond 64 bits a key is a text, and still itself.
    let long = "36893488147419103232"
    #expect(try trace("\(long)\n0\n\(long)\n", "text").ids == [0, 1, 0])
    #expect(try trace("\(long) 1 0 0\n", "text").distinct == 1)
    #expect(throws: TraceError.record(line: 1, .notANumber(column: "first block"))) {
      try trace("\(long) 1 0 0\n", "arc")
    }
  }
}
