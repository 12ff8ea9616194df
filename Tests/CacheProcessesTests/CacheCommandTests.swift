import CacheModel
import CacheTestSupport
import Testing
import Text

@testable import CacheProcesses
@testable import CacheSimulation

@Suite("The command of a cache")
struct CacheCommandTests {
  private static func filled(_ command: String, _ option: String, _ value: String) -> String? {
    (CacheCommand(name: "mine", command: command).setting(option, to: value) as? CacheCommand)?
      .command
  }

  @Test("A value replaces each placeholder of its option, and no other")
  func options() {
    #expect(Self.filled("cache --ttl {ttl}", "ttl", "30") == "cache --ttl 30")
    #expect(Self.filled("{ttl}{ttl}", "ttl", "5") == "55")
    #expect(Self.filled("cache {ttl} {size}", "size", "9") == "cache {ttl} 9")
    // The text of a value is not expanded again.
    #expect(Self.filled("cache {ttl} {ttl}", "ttl", "{ttl}") == "cache {ttl} {ttl}")
  }

  @Test("The shell's own syntax is left to it; without a placeholder no value is passed")
  func places() {
    #expect(Self.filled("cache ${ttl} {ttl}", "ttl", "5") == "cache ${ttl} 5")
    #expect(Self.filled("cache ${ttl}", "ttl", "5") == nil)
    #expect(Self.filled("cache", "ttl", "5") == nil)
  }

  @Test("Its content is its command, whatever its name")
  func content() {
    let one = CacheCommand(name: "one", command: "a")
    #expect(one.content == CacheCommand(name: "other", command: "a").content)
    #expect(one.content != CacheCommand(name: "one", command: "b").content)
    #expect(!one.isDeterministic && !one.predictsMemory && one.held(toMemory: 1) == nil)
  }

  @Test(
    "A process that says another hello than those before it is refused",
    .startsProcesses)
  func hellos() throws {
    let script = #"""
      read -r line; case "$line" in *phone-1*) v=2;; *) v=1;; esac
      printf '{"t":"hello","protocol":1,"name":"script","version":"%s"}\n' $v
      while read -r line; do :; done
      """#
    var command = CacheCommand(name: "mine", command: script)
    command.limits = ScriptedCaches.limits
    let workload = ScriptedCaches.workload
    let start = command.maker(for: workload)
    var launch = CacheLaunch(workload, place: 0, capacity: Capacity(entities: 100), at: .zero)
    for client in ["phone-0", "phone-2"] {
      launch.client = client
      try start(launch).end()
    }
    launch.client = "phone-1"
    let fault = try #require(throws: CacheFault.self) { try start(launch).end() }
    #expect(fault.kind == .otherHello)
  }
}

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

  @Test("A lone surrogate is not text", arguments: RandomText.unpairedInJSON)
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
