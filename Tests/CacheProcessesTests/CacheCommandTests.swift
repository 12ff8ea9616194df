import CacheModel
import CacheSimulation
import CacheTestSupport
import Testing

@testable import CacheProcesses

@Suite("The command of a cache")
struct CacheCommandTests {
  private static func filled(_ command: String, _ option: String, _ value: String) -> String? {
    (CacheCommand(name: "mine", command: command).setting(option, to: value) as? CacheCommand)?
      .command
  }

  @Test("A value stands in each place of its option, and in no other")
  func options() {
    #expect(Self.filled("cache --ttl {ttl}", "ttl", "30") == "cache --ttl 30")
    #expect(Self.filled("{ttl}{ttl}", "ttl", "5") == "55")
    #expect(Self.filled("cache {ttl} {size}", "size", "9") == "cache {ttl} 9")
    // What a value says is not read again.
    #expect(Self.filled("cache {ttl} {ttl}", "ttl", "{ttl}") == "cache {ttl} {ttl}")
  }

  @Test("What is the shell's own is left to it; without a place there is no value")
  func places() {
    #expect(Self.filled("cache ${ttl} {ttl}", "ttl", "5") == "cache ${ttl} 5")
    #expect(Self.filled("cache ${ttl}", "ttl", "5") == nil)
    #expect(Self.filled("cache", "ttl", "5") == nil)
  }

  @Test("Its content is its command, whatever it is called")
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
