import EvictionPolicies
import Testing
import Text

@testable import TraceReplay

@Suite("CSV")
struct CSVTests {
  private func read(_ text: String, limits: TraceLimits = .standard) throws -> [UInt32] {
    let format = try #require(TraceFormats.named("csv"))
    return try TraceReader.read(
      Array(text.utf8), format: format, name: "t", options: ReadingOptions(limits: limits)
    ).ids
  }

  private func fault(_ text: String, limits: TraceLimits = .standard) -> TraceError? {
    #expect(throws: TraceError.self) { try read(text, limits: limits) }
  }

  @Test(
    "the column of keys is found by name, in any case and place",
    arguments: [
      "key\na\nb\na\n", "time,ID\n1,a\n2,b\n3,a", "Object,size\r\na,1\r\nb,2\r\na,3\r\n",
      "\"key\",x\n\"a\",1\nb,\"2\n2\"\na,\n",
      "key\n\na\n\r\nb\na\n\n",
    ])
  func columns(text: String) throws {
    #expect(try read(text) == [0, 1, 0])
  }

  @Test("quoted fields hold commas, line ends and doubled quotes")
  func quotes() throws {
    #expect(try read("key\n\"a,b\"\n\"a\nb\"\n\"a\"\"b\"\n\"a,b\"\n") == [0, 1, 2, 0])
    #expect(try read("key\n\"a\"\na\n") == [0, 0])
  }

  @Test(
    "a malformed line is refused with line and fault",
    arguments: [
      ("key\na\"b\n", 2, .csv(.quoteInPlainField)),
      ("key\n\"a\"b\n", 2, .csv(.textAfterQuote)),
      ("key\n\na\n\"b\nc\n", 4, .csv(.openQuote)),
      ("key\na\rb\n", 2, .csv(.loneCarriageReturn)),
      ("key\na\r", 2, .csv(.loneCarriageReturn)),
      ("key,x\na,1\nb\n", 3, .fieldCount(expected: 2, found: 1)),
      ("key\n\"x\ny\"\na,b\n", 4, .fieldCount(expected: 1, found: 2)),
      ("key,x\n,1\n", 2, .emptyKey),
      ("key\n\"\"\n", 2, .emptyKey),
      ("name,x\na,1\n", 1, .noColumn(named: ["key", "id", "object"])),
      ("key,id\na,1\n", 1, .severalColumns(["key", "id"])),
      ("op,key\nfetch,a\n", 2, .unknownOperation("fetch")),
      ("op,key\n,a\n", 2, .unknownOperation("")),
      ("key,size\na,-1\n", 2, .negative(column: "size")),
      ("key,size\na,-\n", 2, .sizeOutOfRange(column: "size")),
      ("key,Bytes\na,2147483648\n", 2, .sizeOutOfRange(column: "bytes")),
      ("key,size,bytes\na,1,1\n", 1, .severalColumns(["size", "bytes"])),
      ("key,ttl\na,-1\n", 2, .negative(column: "ttl")),
      ("key,time\na,-0.5\n", 2, .negative(column: "time")),
      ("key,time\na,\nb,1e3\n", 3, .notATime(column: "time")),
      ("key,time\na,1.0000000001\n", 2, .notATime(column: "time")),
      ("key,time\na,9223372037\n", 2, .notATime(column: "time")),
    ] as [(String, Int, RecordFault)])
  func malformed(text: String, line: Int, expected: RecordFault) {
    #expect(fault(text) == .record(line: line, expected))
  }

  @Test("records and keys have a longest length")
  func limits() throws {
    let limits = TraceLimits(keyBytes: 3, recordBytes: 10)
    #expect(try read("key,note\nabc,1\n", limits: limits) == [0])
    #expect(fault("key,x\nabcd,1\n", limits: limits) == .record(line: 2, .keyTooLong(limit: 3)))
    #expect(
      fault("key,x\na,\"bcdefghij\n", limits: limits)
        == .record(line: 2, .csv(.recordTooLong(limit: 10))))
  }

  @Test("operations, sizes, lifetimes and times are read where there are columns for them")
  func columnsBesidesKeys() throws {
    let text = """
      Time,KEY,op,size,ttl
      0.5,a,get,10,
      1,b,SET,1000000000,60
      2.000000001,a,Update,,
      3,b,delete,,

      """
    let format = try #require(TraceFormats.named("csv"))
    let trace = try TraceReader.read(Array(text.utf8), format: format, name: "t")
    #expect(trace.ids == [0, 1, 0, 1])
    #expect(trace.operations == [.get, .set, .update, .delete])
    #expect(trace.weights == [10, 1_000_000_000, 0, 0])
    #expect(trace.lifetimes == [0, 60_000_000_000, 0, 0])
    #expect(trace.times == [500_000_000, 1_000_000_000, 2_000_000_001, 3_000_000_000])
    #expect(trace.columns == .all)
  }

  @Test("blanks around the names of columns are none of the names")
  func blanksAroundNames() throws {
    let format = try #require(TraceFormats.named("csv"))
    let text = "key, op,\tBytes , note\na,set,7,x\nb,get,8,y\n"
    let trace = try TraceReader.read(Array(text.utf8), format: format, name: "t")
    #expect(trace.operations == [.set, .get])
    #expect(trace.weights == [7, 8])
    let named = try TraceReader.read(
      Array("url, how long\na,7\n".utf8), format: format, name: "t",
      options: ReadingOptions(columnNames: [.key: "url ", .size: " How Long"]))
    #expect(named.weights == [7])
    #expect(fault("key, op\na, set\n") == .record(line: 2, .unknownOperation(" set")))
  }

  @Test("columns may have other names, and times another unit")
  func names() throws {
    let format = try #require(TraceFormats.named("csv"))
    func read(
      _ text: String, _ names: [ColumnRole: String]
    ) throws(TraceError) -> InternedTrace {
      try TraceReader.read(
        Array(text.utf8), format: format, name: "t",
        options: ReadingOptions(columnNames: names, timeUnit: .milliseconds))
    }
    let trace = try read(
      "URL,key,ts\na,x,1.5\nb,x,2\n", [.key: "url", .time: "TS"])
    #expect(trace.ids == [0, 1])
    #expect(trace.times == [1_500_000, 2_000_000])
    #expect(throws: TraceError.record(line: 1, .noColumn(named: ["when"]))) {
      try read("key\na\n", [.time: "when"])
    }
  }

  @Test("unneeded columns are neither read nor checked")
  func unwanted() throws {
    let format = try #require(TraceFormats.named("csv"))
    let trace = try TraceReader.read(
      Array("key,size,time\na,many,noon\n".utf8), format: format, name: "t",
      options: ReadingOptions(columns: [.times], wantsTimesAlone: false))
    #expect(trace.columns == [])
  }

  @Test("cachelib: a row stands for equal operations, and a key weighs, too")
  func cachelib() throws {
    let format = try #require(TraceFormats.named("cachelib"))
    let text = """
      key,op,size,op_count,key_size
      k1,GET,0,2,30
      k1,SET,100,1,30
      k2,GET_LEASE,7,1,3
      k1,DELETE,0,1,30

      """
    let trace = try TraceReader.read(Array(text.utf8), format: format, name: "t")
    #expect(trace.ids == [0, 0, 0, 1, 0])
    #expect(trace.operations == [.get, .get, .set, .get, .delete])
    #expect(trace.weights == [0, 0, 130, 10, 0])
    #expect(throws: TraceError.record(line: 2, .outOfRange(column: "op_count", limit: 2))) {
      try TraceReader.read(
        Array("key,op_count\na,3\n".utf8), format: format, name: "t",
        options: ReadingOptions(limits: TraceLimits(requests: 2)))
    }
  }

  @Test("twitter: seven columns without a header")
  func twitter() throws {
    let format = try #require(TraceFormats.named("twitter"))
    let text = "0,a,1,10,5,get,0\n1,b,2,3,5,add,60\n1,a,1,0,5,delete,0\n"
    let trace = try TraceReader.read(Array(text.utf8), format: format, name: "t")
    #expect(trace.ids == [0, 1, 0])
    #expect(trace.operations == [.get, .set, .delete])
    #expect(trace.weights == [11, 5, 0])
    #expect(trace.lifetimes == [0, 60_000_000_000, 0])
    #expect(trace.times == [0, 1_000_000_000, 1_000_000_000])
    #expect(throws: TraceError.record(line: 1, .fieldCount(expected: 7, found: 2))) {
      try TraceReader.read(Array("0,a\n".utf8), format: format, name: "t")
    }
  }

  @Test("lines with and without quotes, of either end, may be mixed, and are counted alike")
  func mixed() throws {
    let text = "key,size\na,1\n\n\"a\",2\r\nb,3\n\"b\"\"\n\",4\nb,5\n\na,6\r\n"
    let format = try #require(TraceFormats.named("csv"))
    let trace = try TraceReader.read(Array(text.utf8), format: format, name: "t")
    #expect(trace.ids == [0, 0, 1, 2, 1, 0])
    #expect(trace.weights == [1, 2, 3, 4, 5, 6])
    #expect(fault(text + "c,-1\n") == .record(line: 11, .negative(column: "size")))
    let bare = Array("0,a,1,1,0,get,0\n0,a,1,1,0,get,0\n".utf8)
    #expect(try TraceReader.read(bare, format: .twitter, name: "t").distinct == 1)
  }
}
