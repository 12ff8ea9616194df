import CacheModel
import CacheTestSupport
import Testing
import Text

@testable import CacheProcesses
@testable import CacheSimulation

@Suite("Texts that the protocol of caches carries")
struct KeyTests {
  @Test("A key that a cache stores comes back to its next process with the same bytes")
  func stored() throws {
    var random = RandomSource(seed: 3)
    let keys = RandomText.distinct(80, hasNUL: true, &random)
    var stored = StoredTexts()
    for key in keys {
      var json = JSONWriter()
      json.line {
        $0.member("t", "store")
        $0.member("key", key)
        $0.member("value", key)
      }
      guard case .reply(.store(let key, let value)) = try ReplyLine(json.bytes.dropLast()) else {
        return #expect(Bool(false), "\(key.legible) is not stored")
      }
      try stored.put(key, value, at: .zero)
    }
    var launch = CacheLaunch(
      ScriptedCaches.workload, place: 0, capacity: Capacity(entities: 1), at: .zero)
    launch.stored = stored.endProcess(at: Instant(nanoseconds: 1_000_000_000))
    let line = TurnLines(ScriptedCaches.workload).hello(launch)
    let told = try JSONParser.parse(line.dropLast())["stored"]?.elements ?? []
    let pairs = told.map { $0.elements?.map { $0.text?.bytes } }
    let sorted = keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
    #expect(pairs == sorted.map { [$0, $0] })
  }

  @Test("A surrogate without its other half is no text", arguments: RandomText.unpairedInJSON)
  func unpaired(text: String) {
    let line = #"{"t":"store","key":\#(text),"value":"1"}"#
    let fault = #expect(throws: CacheFault.self) { try ReplyLine(line.bytes[...]) }
    #expect(fault?.kind == .notJSON)
  }

  @Test("A cache that spells its name otherwise in another process is another cache")
  func hello() throws {
    let first = FirstHello()
    try first.check(claim: "caf\u{E9} 1", features: [])
    try first.check(claim: "caf\u{E9} 1", features: [])
    let fault = #expect(throws: CacheFault.self) {
      try first.check(claim: "cafe\u{301} 1", features: [])
    }
    #expect(fault?.kind == .otherHello)
  }
}
