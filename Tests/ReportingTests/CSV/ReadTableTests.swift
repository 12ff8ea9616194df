import Analysis
import ResultModel
import Testing
import Text

@testable import Reporting

@Suite("Reads as CSV")
struct ReadTableTests {
  private static let reads = [
    ReadLine(
      scenario: "chat", policy: "lru", seed: 1, client: "phone, old", action: 7, at: 1_500,
      read: "=search(ab)", outcome: .hitStale, waited: 0, age: 12,
      difference: .init(word: "older", row: 3)),
    ReadLine(
      scenario: "chat", policy: "lru", seed: 1, client: "phone, old", action: 9, at: 2_500,
      read: "file 3", outcome: .failed, waited: nil, age: nil, difference: nil),
  ]

  private static let text = """
    scenario,policy,seed,client,action,at_ns,read,outcome,waited_ns,age_ns,difference,row
    chat,lru,1,"phone, old",7,1500,'=search(ab),hit_stale,0,12,older,3
    chat,lru,1,"phone, old",9,2500,file 3,failed,,,,

    """

  @Test("What is written is read again")
  func roundTrip() throws {
    let bytes = ReadTable.header + ReadTable.lines(Self.reads)
    #expect(String(decoding: bytes, as: UTF8.self) == Self.text)
    #expect(try ReadTable.read(bytes) == Self.reads)
  }

  @Test(
    "What is no such file is refused with line and column",
    arguments: [
      ("7,1500", "x,1500", "line 2: action"), ("7,1500", "-7,1500", "line 2: action"),
      ("hit_stale", "hit_ratio", "line 2: outcome"), ("hit_stale", "reads_x", "line 2: outcome"),
      ("older,3", "older,", "line 2: row"), (",failed,,,,", ",failed,,,", "line 3: 11 cells"),
      ("at_ns", "at", "line 1: the header"), ("0,12", "0.5,12", "line 2: waited_ns"),
    ])
  func refused(part: String, replacement: String, expected: String) throws {
    let broken = Self.text.replacing(part, with: replacement)
    let error = #expect(throws: CSVError.self) { try ReadTable.read(Array(broken.utf8)) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix(expected), "\(text)")
  }
}
