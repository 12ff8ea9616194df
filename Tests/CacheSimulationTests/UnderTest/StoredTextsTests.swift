import CacheModel
import CacheTestSupport
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Texts that outlive a process")
struct StoredTextsTests {
  private static func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("What was on its way when the process ended is lost, and nothing before it")
  func crash() throws {
    var stored = StoredTexts()
    try stored.put("a", "1", at: Self.at(0))
    try stored.put("b", "1", at: Self.at(5))
    try stored.put("a", "2", at: Self.at(6))
    #expect(stored.endProcess(at: Self.at(15)) == [StoredText(key: "a", value: "1"), b])
    // It does not come later either.
    #expect(stored.endProcess(at: Self.at(100)) == [StoredText(key: "a", value: "1"), b])
    #expect(stored.count == 2 && stored.peakBytes == 4)
  }

  private let b = StoredText(key: "b", value: "1")

  @Test("Texts come in the order of keys, and one without a value is removed")
  func order() throws {
    var stored = StoredTexts()
    for key in ["c", "b", "a"] { try stored.put(key, "1", at: .zero) }
    try stored.put("c", nil, at: Self.at(1))
    #expect(stored.endProcess(at: Self.at(50)).map(\.key) == ["a", "b"])
  }

  @Test(
    "Two texts are one key if and only if their bytes are the same, and keys come in their order")
  func keys() throws {
    var random = RandomSource(seed: 37)
    let keys = RandomText.distinct(100, hasNUL: true, &random)
    var stored = StoredTexts()
    for (place, key) in keys.enumerated() { try stored.put(key, "\(place)", at: .zero) }
    try stored.put(keys[0], nil, at: Self.at(1))
    let left = stored.endProcess(at: Self.at(50))
    #expect(
      left.map(\.key.bytes)
        == keys[1...].map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    for text in left { #expect(text.key.bytes == keys[try #require(Int(text.value))].bytes) }
  }

  @Test("A storage that refuses keeps what it had; one that is corrupt loses all")
  func faults() throws {
    func keys(_ fault: StorageFault) throws -> [String] {
      let refusal = StorageRefusal(during: Self.at(100)..<Self.at(200), fault: fault)
      var stored = StoredTexts(faults: [refusal])
      try stored.put("a", "1", at: .zero)
      try stored.put("b", "1", at: Self.at(120))
      try stored.put("c", "1", at: Self.at(220))
      return stored.endProcess(at: Self.at(300)).map(\.key)
    }
    #expect(try keys(.full) == ["a", "c"])
    #expect(try keys(.corrupt) == ["c"])
  }

  @Test("There is a limit, also for what is on its way")
  func limit() throws {
    var stored = StoredTexts()
    let half = String(repeating: "x", count: StoredTexts.mostBytes / 2)
    try stored.put("a", half, at: .zero)
    let fault = try #require(throws: CacheFault.self) { try stored.put("b", half, at: .zero) }
    #expect(fault.kind == .storedTooMuch)
    // What was replaced makes room.
    try stored.put("a", nil, at: Self.at(50))
    try stored.put("b", half, at: Self.at(100))
    #expect(stored.endProcess(at: Self.at(200)).map(\.key) == ["b"])
  }
}
