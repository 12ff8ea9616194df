import CacheModel
import CacheTestSupport
import RecordingCodec
import Testing

@testable import Workloads

@Suite("Texts that a recording or a scenario carries")
struct RecordedNameTests {
  private static let minimal = MinimalScenario.completing("name: a\n")

  @Test("The names of a recording and of its clients come back with the same bytes")
  func names() throws {
    let scenario = try Scenario.parse(
      Self.minimal.bytes, file: "a.yaml", vocabulary: .unchecked)
    var workload = Workload.generate(scenario, seed: 1)
    var random = RandomSource(seed: 5)
    for text in RandomText.distinct(Trials.count(8, of: 40), hasNUL: true, &random) {
      workload.name = text
      workload.clients[0].name = text
      let read = try SessionRecording.read(SessionRecording.write(workload))
      #expect(read.name.bytes == text.bytes)
      #expect(read.clients[0].name.bytes == text.bytes)
    }
  }

  @Test("A lone surrogate is not text", arguments: RandomText.unpairedInJSON)
  func unpaired(text: String) throws {
    let scenario = try Scenario.parse(
      Self.minimal.bytes, file: "a.yaml", vocabulary: .unchecked)
    let bytes = SessionRecording.write(Workload.generate(scenario, seed: 1))
    let recording = String(decoding: bytes, as: UTF8.self)
    let other = recording.replacing(#""name":"a""#, with: #""name":\#(text)"#, maxReplacements: 1)
    #expect(other != recording)
    let error = #expect(throws: RecordingError.self) { try SessionRecording.read(other.bytes) }
    #expect(error?.line == 1)
  }

  @Test(
    "The name of a scenario is of letters, digits and hyphens, so that it is one file name everywhere"
  )
  func scenarioNames() {
    var random = RandomSource(seed: 6)
    for text in RandomText.distinct(100, &random) {
      let isPlain =
        !text.isEmpty && text.bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
      let quoted = text.unicodeScalars.map { "\\U\(Self.eight($0.value))" }.joined()
      let yaml = Self.minimal.replacing("name: a\n", with: "name: \"\(quoted)\"\n")
      let scenario = try? Scenario.parse(yaml.bytes, file: "a.yaml", vocabulary: .unchecked)
      #expect((scenario != nil) == (isPlain && text.utf8.count <= 64))
    }
  }

  private static func eight(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
