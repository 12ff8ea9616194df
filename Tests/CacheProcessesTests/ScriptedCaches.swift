import CacheModel
import CacheSimulation
import CacheTestSupport
import Workloads

@testable import CacheProcesses

/// Caches written for a shell, which is everywhere: possible mistakes of a process.
enum ScriptedCaches {
  static let hello = #"{"t":"hello","protocol":1,"name":"script","version":"1"}"#

  /// A cache that says hello and nothing else, except by its turns.
  static func script(turn: String) -> String {
    """
    read -r line; echo '\(hello)'; n=0
    while read -r line; do n=$((n+1)); \(turn); done
    """
  }

  static let done = #"printf '{"t":"done","n":%d,"wake":null}\n' $n"#

  static func start(
    _ script: String, client: String = "phone-0", limits: CacheLimits = limits
  ) throws(CacheFault) -> ProcessCache {
    guard let command = CacheCommand("script=\(script)") else { throw CacheFault(.notStarted) }
    var launch = CacheLaunch(
      workload, place: 0, capacity: Capacity(entities: 100), at: .zero)
    launch.client = client
    return try ProcessCache(command, for: PreparedWorkload(workload), launch, limits: limits)
  }

  /// Of tests: long enough for a machine that does much else.
  ///
  /// A test of how long a cache is waited for has shorter ones.
  static let limits: CacheLimits = {
    var limits = CacheLimits()
    limits.startSeconds = 600
    limits.turnSeconds = 600
    limits.endSeconds = 600
    return limits
  }()

  static let workload: Workload = {
    let yaml = """
      name: small
      description: A few reads of a small library.
      seed: 1
      duration: 60 s
      drain: 5 s
      data: {use: files, entities: {file: {count: 5_000, has: {parent: {tree: {depth: 2, fan-out: 8}}}}}}
      writers:
        - {name: laptop, rate: 1/s, mix: {modify: 100 %}}
      users:
        - name: phone
          clients: 2
          think: 2 s
          mix: {browse: 100 %}
          activities: {browse: [{stroll: {through: files.directory}}]}
      network: {delay: 20 ms, round-trip: 40 ms}
      policies: [lru]
      """
    do {
      let scenario = try Scenario.parse(
        Array(yaml.utf8), file: "small.yaml", vocabulary: .unchecked, models: .shipped)
      return Workload.generate(scenario, seed: 1)
    } catch {
      preconditionFailure("\(error)")
    }
  }()
}
