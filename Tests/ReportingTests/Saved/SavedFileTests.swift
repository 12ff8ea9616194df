import FoundationEssentials
import ResultModel
import Testing
import Text

@testable import Reporting

@Suite("Files that a report is made from")
struct SavedFileTests {
  @Test("A timeline is read back as it was written")
  func timeline() throws {
    let lines = SampleResults.timeline("=1+1, \"x\"")
    #expect(try TimelineLine.read(try TimelineLine.csv(lines)) == lines)
  }

  @Test("Verdicts are read back as they were written, members in the order of their declaration")
  func verdicts() throws {
    var verdicts = SampleResults.verdicts(["one", "two"])
    let bytes = try verdicts.document()
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try decoder.decode(SavedVerdicts.self, from: Data(bytes)) == verdicts)
    verdicts.policies = nil
    verdicts.scenarios = []
    verdicts.targets = []
    #expect(
      String(decoding: try verdicts.document(), as: UTF8.self)
        .filter { !$0.isWhitespace }
        == #"{"verdicts_version":1,"scenarios":[],"targets":[],"unasked":0,"policies":[]}"#)
  }

  @Test("Levels of memory are read back as they were written")
  func levels() throws {
    let levels = SampleResults.levels("phone-week")
    #expect(try MemoryLevel.read(try MemoryLevel.csv(levels)) == levels)
  }

  @Test(
    "A file of another form is an error that names its line",
    arguments: [
      ("scenario\n", "line 1: the header is not scenario,policy,seed,begin_nanoseconds"),
      ("", "line 1: the header is not"),
      ("HEADa,b,1,0,1,x,0,0,0,1.0\n", "line 2: reads is \"x\", not a whole number from 0"),
      ("HEADa,b,1,0,1,1,0,0,0,-1.0\n", "line 2: resident_entities_mean is \"-1.0\", not a number"),
      ("HEADa,b\n", "line 2: 2 cells where 10 are expected"),
    ])
  func brokenTimeline(text: String, error: String) throws {
    let header = String(decoding: try TimelineLine.csv([]), as: UTF8.self)
    let bytes = Array(text.replacing("HEAD", with: header).utf8)
    #expect {
      try TimelineLine.read(bytes)
    } throws: { found in
      "\(found)".hasPrefix(error)
    }
  }

  @Test("A level of no number of bytes is an error that names its line")
  func brokenLevel() throws {
    let csv = String(
      decoding: try MemoryLevel.csv(SampleResults.levels("phone-week")), as: UTF8.self)
    let bytes = Array(csv.replacing(",7500000\n", with: ",x\n").utf8)
    #expect {
      try MemoryLevel.read(bytes)
    } throws: { found in
      "\(found)".hasPrefix("line 2: memory_limit_bytes is \"x\", not a number of bytes")
    }
  }
}
