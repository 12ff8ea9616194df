import ResultModel
import Testing
import Text

@Suite("Reading tidy CSV")
struct TidyReadingTests {
  private static let header = TidyTable.columns.joined(separator: ",") + "\n"
  private static let good = "s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,1\n"

  private func refusal(_ text: String) -> CSVError? {
    do {
      _ = try TidyTable.read(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("CR LF is read like LF, and a file without rows has no version")
  func lineEnds() throws {
    let unix = Self.header + Self.good
    let windows = unix.split(separator: "\n").map { $0 + "\r\n" }.joined()
    #expect(try TidyTable.read(Array(windows.utf8)) == TidyTable.read(Array(unix.utf8)))
    #expect(try TidyTable.read(Array(Self.header.utf8)).schemaVersion == nil)
  }

  @Test(
    "a broken line is refused with its number and cause",
    arguments: [
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,\n", "12 cells where 13 are expected"),
      ("s,lru,-1,total,hit_ratio,value,0.5,ratio,exact,,,,1\n", "seed is \"-1\""),
      ("s,lru,01,total,hit_ratio,value,0.5,ratio,exact,,,,1\n", "seed is \"01\""),
      ("s,lru,1,total,hit_ratio,value,nan,ratio,exact,,,,1\n", "value is \"nan\", not a number"),
      ("s,lru,1,total,hit_ratio,value,1e999,ratio,exact,,,,1\n", "value is \"1e999\""),
      ("s,lru,1,total,hit_ratio,value,0x1p3,ratio,exact,,,,1\n", "value is \"0x1p3\""),
      ("s,lru,1,total,hit_ratio,value, 1,ratio,exact,,,,1\n", "value is \" 1\""),
      (
        "s,lru,1,total,hit_ratio,value,9223372036854775808,ratio,exact,,,,1\n",
        "value is \"9223372036854775808\""
      ),
      (
        "s,lru,1,total,hit_rate,value,0.5,ratio,exact,,,,1\n",
        "metric is \"hit_rate\", not a metric of this version, which `tidemark list metrics` names"
      ),
      (
        "s,lru,1,total,hit_ratio,p99,0.5,ratio,exact,,,,1\n",
        "statistic is \"p99\", not a statistic of hit_ratio, which has value"
      ),
      ("s,lru,1,total,hit_ratio,value,0.5,percent,exact,,,,1\n", "unit is \"percent\", not ratio"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,slo,,,,1\n", "noise_class is \"slo\", not exact"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,0.1,,1\n", "the end of an interval"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,0.2,0.1,1\n", "the end of an interval"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,2\n", "schema version 2 in a file of"),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,\n", "schema_version is \"\""),
      ("s,lru,1,total,hit_ratio,value,0.5,ratio,exact,,,,1", "the last line has no end"),
      ("\"s,lru,1,total", "a quoted cell has no end"),
      ("\"s\"x,lru", "text after a closing quote"),
      ("s\"x,lru", "a quote inside an unquoted cell"),
      ("s\rx,lru", "a carriage return without a line feed"),
    ])
  func brokenLine(line: String, cause: String) throws {
    let error = try #require(refusal(Self.header + Self.good + line))
    #expect(error.line == 3)
    #expect("\(error)".contains(cause), "\(error)")
    #expect("\(error)".hasPrefix("line 3: "))
  }

  @Test("a cell that is repeated is shortened, and its control characters are shown by number")
  func hostileCell() throws {
    let cell = "\"\u{1B}[2J\n" + String(repeating: "x", count: 100) + "\""
    let error = try #require(refusal(Self.header + "s,lru," + cell + Self.good.dropFirst(7)))
    let shown = "\\u{1B}[2J\\u{A}" + String(repeating: "x", count: 55) + "…"
    #expect(
      "\(error)" == "line 2: seed is \"\(shown)\", not a whole number from 0 to \(UInt64.max)")
  }

  @Test("lines are counted through the line breaks of quoted cells")
  func linesInCells() throws {
    let tall = "\"a\nb\r\nc\"" + Self.good.dropFirst()
    let error = try #require(refusal(Self.header + tall + "short\n"))
    #expect(error.line == 5)
  }

  @Test("another header, an empty file and bytes that are not text are refused")
  func otherFiles() throws {
    #expect(refusal("")?.line == 1)
    #expect("\(try #require(refusal("a,b\n")))".contains("the header is not scenario,policy"))
    let notText = Array(Self.header.utf8) + [0xFF, 0x0A]
    #expect(throws: CSVError(line: 2, cause: .notUTF8)) { try TidyTable.read(notText) }
  }

  @Test("any prefix of a file is refused or is whole lines of it; no byte makes it trap")
  func prefixesAndFlips() throws {
    let whole = Array((Self.header + Self.good + "\"a\"\"b\nc\"" + Self.good.dropFirst()).utf8)
    let rows = try TidyTable.read(whole).rows
    for end in whole.indices {
      if let contents = try? TidyTable.read(Array(whole[..<end])) {
        #expect(contents.rows == Array(rows.prefix(contents.rows.count)))
        #expect(whole[end - 1] == UInt8(ascii: "\n"))
      }
      for byte: UInt8 in [0, 0x22, 0x0D, 0x0A, 0x2C, 0xFF] {
        var changed = whole
        changed[end] = byte
        if let contents = try? TidyTable.read(changed) { #expect(contents.rows.count <= 3) }
      }
    }
  }
}
