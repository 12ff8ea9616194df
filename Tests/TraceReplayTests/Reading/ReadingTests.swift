import CacheModel
import CacheTestSupport
import EvictionPolicies
import Testing
import Text

@testable import TraceReplay

@Suite("Reading")
struct ReadingTests {
  private func read(
    _ format: String, _ bytes: [UInt8], limits: TraceLimits = .standard
  ) throws -> InternedTrace {
    let format = try #require(TraceFormats.named(format))
    let whole = try TraceReader.read(
      bytes, format: format, name: "t", options: ReadingOptions(limits: limits))
    // Any split into chunks must read the same.
    for size in 1...7 {
      var reader = TraceReader(format: format, name: "t", options: ReadingOptions(limits: limits))
      for start in stride(from: 0, to: bytes.count, by: size) {
        try reader.consume(Array(bytes[start..<min(start + size, bytes.count)]).span)
      }
      #expect(try reader.finish() == whole, "in chunks of \(size)")
    }
    return whole
  }

  private func error(
    _ format: String, _ bytes: [UInt8], limits: TraceLimits = .standard
  ) -> TraceError? {
    #expect(throws: TraceError.self) { try read(format, bytes, limits: limits) }
  }

  private func ids(_ format: String, _ text: String) throws -> [UInt32] {
    try read(format, Array(text.utf8)).ids
  }

  @Test("text: keys are numbered by first appearance; blank lines and CRLF are no keys")
  func text() throws {
    #expect(try ids("text", "b\na\nb\n") == [0, 1, 0])
    #expect(try ids("text", "b\r\n\r\n\na\r\nb") == [0, 1, 0])
    #expect(try ids("text", "a\r") == [0])
    let trace = try read("text", Array("x y\nx  y\nx y \n".utf8))
    #expect(trace.ids == [0, 1, 2])
    #expect(trace.distinct == 3)
    #expect(trace.name == "t")
  }

  @Test("text: keys that look like one number are one key only if their bytes agree")
  func numerals() throws {
    #expect(try ids("text", "7\n07\n+7\n7.0\n7\n0\n00\n0\n") == [0, 1, 2, 3, 0, 4, 5, 4])
    let long = "99999999999999999999"
    #expect(try ids("text", "\(long)\n\(long)9\n9999999999999999999\n\(long)\n") == [0, 1, 2, 0])
    #expect(try ids("text", "18446744073709551615\n18446744073709551616\n") == [0, 1])
  }

  @Test("text: a key may be as long as the limit, and no longer")
  func longLine() throws {
    let limits = TraceLimits(keyBytes: 8)
    #expect(try read("text", Array("12345678\r\nab\n".utf8), limits: limits).distinct == 2)
    #expect(
      error("text", Array("a\n\n123456789\n".utf8), limits: limits)
        == .lineTooLong(line: 3, limit: 8))
    #expect(
      error("text", Array("123456789".utf8), limits: limits) == .lineTooLong(line: 1, limit: 8))
  }

  @Test("text: a line of ten million bytes is refused before it is held")
  func hugeLine() throws {
    var reader = TraceReader(format: try #require(TraceFormats.named("text")), name: "t")
    let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000_000)
    let error = #expect(throws: TraceError.self) { try reader.consume(chunk.span) }
    #expect(error == .lineTooLong(line: 1, limit: 4096))
    #expect(error?.description.contains("line 1") == true)
    #expect(error?.description.contains("4096") == true)
  }

  @Test("be32 and be64: integers, most significant byte first")
  func bigEndian() throws {
    #expect(try read("be32", [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1]).ids == [0, 1, 0])
    let high: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 1]
    let low: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
    let top = [UInt8](repeating: 255, count: 8)
    #expect(try read("be64", high + low + top + high + top).ids == [0, 1, 2, 0, 2])
  }

  @Test("oracle-general: the object distinguishes records; size and time are read")
  func oracleGeneral() throws {
    func record(time: UInt8, object: [UInt8], size: UInt8, next: UInt8) -> [UInt8] {
      [time, 0, 0, 0] + object + [size, 0, 0, 0] + [next, 0, 0, 0, 0, 0, 0, 0]
    }
    let first: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 2]
    let second: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 1]
    let bytes =
      record(time: 1, object: first, size: 4, next: 3)
      + record(time: 1, object: second, size: 4, next: 3)
      + record(time: 2, object: first, size: 5, next: 255)
    let trace = try read("oracle-general", bytes)
    #expect(trace.ids == [0, 1, 0])
    #expect(trace.weights == [4, 4, 5])
    #expect(trace.times == [1_000_000_000, 1_000_000_000, 2_000_000_000])
    #expect(
      error("oracle-general", bytes + [0, 0, 0, 0] + first + [0, 0, 0, 128] + first)
        == .binaryRecord(offset: 72, .sizeOutOfRange(column: "size")))
  }

  @Test(
    "a binary trace that was cut short is refused with the place",
    arguments: [("be32", 4), ("be64", 8), ("oracle-general", 24)])
  func truncated(format: String, recordBytes: Int) throws {
    for extra in 1..<recordBytes {
      let bytes = [UInt8](repeating: 0, count: 2 * recordBytes + extra)
      #expect(
        error(format, bytes)
          == .truncatedRecord(
            format: format, offset: 2 * recordBytes, found: extra, recordBytes: recordBytes))
    }
  }

  @Test("a trace without requests is refused, in every format", arguments: TraceFormats.all)
  func empty(format: TraceFormat) {
    #expect(error(format.name, []) == .noRequests(format: format.name))
    #expect(error("lirs", Array(" \n*\n".utf8)) == .noRequests(format: "lirs"))
    #expect(error("text", Array("\n\r\n".utf8)) == .noRequests(format: "text"))
    #expect(error("csv", Array("key\n".utf8)) == .noRequests(format: "csv"))
  }

  @Test("a trace may have as many requests as the limit, and no more")
  func requestLimit() throws {
    let limits = TraceLimits(requests: 2)
    #expect(try read("text", Array("a\nb".utf8), limits: limits).ids.count == 2)
    #expect(error("text", Array("a\nb\na".utf8), limits: limits) == .tooManyRequests(limit: 2))
  }

  @Test("more memory than is allowed is refused before it is taken")
  func memoryLimit() throws {
    var limits = TraceLimits(memoryBytes: 399)
    var reader = TraceReader(format: .be32, name: "t", options: ReadingOptions(limits: limits))
    #expect(throws: TraceError.tooMuchMemory(requests: 100, needed: 400, limit: 399)) {
      try reader.expect(bytes: 400)
    }
    var sized = TraceReader(
      format: .oracleGeneral, name: "t", options: ReadingOptions(limits: limits))
    #expect(throws: TraceError.tooMuchMemory(requests: 100, needed: 1600, limit: 399)) {
      try sized.expect(bytes: 2400)
    }
    limits.memoryBytes = 200_000
    let long = Array((0..<60_000).map { "\($0 % 7)\n" }.joined().utf8)
    guard case .tooMuchMemory(_, let needed, 200_000)? = error("text", long, limits: limits) else {
      Issue.record("not refused")
      return
    }
    #expect((200_000..<700_000).contains(needed))
    limits.memoryBytes = 2_000_000
    #expect(try read("text", long, limits: limits).ids.count == 60_000)
    let distinct = Array((0..<60_000).map { "k\($0)\n" }.joined().utf8)
    #expect(throws: TraceError.self) { try read("text", distinct, limits: limits) }
  }

  @Test("a row for a thousand million lines is refused before they are made")
  func hugeCount() {
    let text = Array("key,op,op_count\na,GET,1000000000\n".utf8)
    #expect(
      error("cachelib", text, limits: TraceLimits(memoryBytes: 100_000_000))
        == .tooMuchMemory(requests: 0, needed: 4_000_000_000, limit: 100_000_000))
  }

  @Test("formats have unique names, one sentence, and are found by name")
  func registry() {
    let formats = TraceFormats.all
    #expect(Set(formats.map(\.name)).count == formats.count)
    for format in formats {
      #expect(TraceFormats.named(format.name)?.summary == format.summary)
      #expect(format.summary.hasSuffix("."))
    }
    #expect(TraceFormats.named("nothing") == nil)
  }

  @Test("lirs: blanks around a block, blank lines and lines with a star are ignored")
  func lirs() throws {
    #expect(try ids("lirs", "1\r\n 2\t\n*\n\n1\n3 * phase\n  \n2") == [0, 1, 0, 1])
  }

  @Test("arc: a line is a run of blocks")
  func arc() throws {
    #expect(try ids("arc", "10 3 0 0\n11 1 0 1\r\n\n 12\t2 9 2 \n") == [0, 1, 2, 1, 2, 3])
    #expect(
      error("arc", Array("1 1 0 0\n5 6 7\n".utf8))
        == .record(line: 2, .fieldCount(expected: 4, found: 3)))
    #expect(
      error("arc", Array("1 0 0 0\n".utf8))
        == .record(line: 1, .outOfRange(column: "number of blocks", limit: 1 << 20)))
    #expect(
      error("arc", Array("1 1048577 0 0\n".utf8))
        == .record(line: 1, .outOfRange(column: "number of blocks", limit: 1 << 20)))
    #expect(
      error("arc", Array("-1 1 0 0\n".utf8))
        == .record(line: 1, .negative(column: "first block")))
    #expect(
      error("arc", Array("1 1000 0 0\n".utf8), limits: TraceLimits(requests: 999))
        == .tooManyRequests(limit: 999))
  }

  @Test("jsonl: strings and numbers, escapes, and other members of a line")
  func jsonLines() throws {
    let trace = try read(
      "jsonl",
      Array(
        """
        {"key":"7"}
        {"key":7,"operation":"set","size":5,"ttl":60,"time":1}

         { "key" : "a\\"\\u00e9\\ud83d\\ude00" }\r
        {"time":3,"key":"a\\"é😀"}

        """.utf8))
    #expect(trace.ids == [0, 0, 1, 1])
    #expect(trace.operations == [.get, .set, .get, .get])
    #expect(trace.weights == [0, 5, 0, 0])
    #expect(trace.lifetimes == [0, 60, 0, 0])
    #expect(trace.times == [0, 1, 0, 3])
  }

  @Test(
    "an error repeats no control character of the trace, and little of it",
    arguments: [
      ("csv", "key,op\na,\u{1B}[2J\n", "line 2: '\\u{1B}[2J' is no operation; an operation"),
      ("csv", "key,op\na,\"x\n\u{7}\"\n", "line 2: 'x\\u{A}\\u{7}' is no operation"),
      ("jsonl", "{\"k\\u001b\":1}\n", "line 1: no member is called 'k\\u{1B}'; known: key"),
      (
        "jsonl", "{\"\\u0007\":1,\"\\u0007\":1}\n",
        "line 1: the member '\\u{7}' occurs twice; write one"
      ),
    ])
  func controlCharacters(format: String, text: String, message: String) {
    let found = error(format, Array(text.utf8))
    #expect(found?.description.hasPrefix(message) == true, "\(String(describing: found))")
  }

  @Test(
    "a negative number is called so",
    arguments: [
      ("jsonl", "{\"key\":1,\"size\":-1}\n", "line 1: the field 'size' is negative; correct it"),
      (
        "jsonl", "{\"key\":1,\"time\":\"-1\"}\n", "line 1: the field 'time' is negative; correct it"
      ),
      ("arc", "1 -1 0 0\n", "line 1: the field 'number of blocks' is negative; correct it"),
    ])
  func negative(format: String, text: String, message: String) {
    let found = error(format, Array(text.utf8))
    #expect(found?.description.hasPrefix(message) == true, "\(String(describing: found))")
  }

  @Test(
    "jsonl: a line that is not a record is refused",
    arguments: [
      "7", "{", "{\"key\":\"a\"", "{\"key\":\"a\"} x", "{\"key\":[1]}", "{\"key\":-1}",
      "{\"key\":1.5}", "{\"key\":01}", "{\"key\":\"\"}", "{}", "{\"key\":\"\\ud800\"}",
      "{\"key\":\"a\",\"key\":\"b\"}", "{\"key\":\"a\",\"colour\":1}", "{\"key\":\"\\q\"}",
      "{\"key\":\"a\",\"operation\":\"fetch\"}", "{\"key\":\"a\",\"size\":2147483648}",
      "{\"key\":\"a\",\"time\":9223372036854775808}", "{\"key\":\"\\u12\"}", "{'key':1}",
    ])
  func malformedJSON(text: String) {
    let found = error("jsonl", Array("{\"key\":1}\n\(text)\n".utf8))
    guard case .record(line: 2, _) = found else {
      Issue.record("\(text) gave \(String(describing: found))")
      return
    }
  }
}

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

  @Test("A lone surrogate is not a key", arguments: RandomText.unpairedInJSON)
  func unpaired(text: String) {
    #expect(throws: TraceError.self) { try Self.read("{\"key\":\(text)}\n".bytes, "jsonl") }
  }
}
