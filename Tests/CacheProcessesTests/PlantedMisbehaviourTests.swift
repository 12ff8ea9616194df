import CacheModel
import CacheSimulation
import CacheTestSupport
import Foundation
import Testing
import Workloads

@testable import CacheProcesses

@Suite("Misbehaviours of a cache, planted in processes of a simulation", .startsProcesses)
struct PlantedMisbehaviourTests {
  struct Misbehaviour: Sendable, CustomTestStringConvertible {
    var name: String
    /// The process's script; `MARK` is found again in the list of processes.
    var script: String
    var kind: CacheFault.Kind
    var testDescription: String { name }

    /// A process that says hello, and in each turn something before `done`.
    init(_ name: String, says said: String, _ kind: CacheFault.Kind) {
      self.init(name, "\(said); \(ScriptedCaches.done)", kind)
    }

    /// A process that says hello, and does something in each turn.
    init(_ name: String, _ turn: String, _ kind: CacheFault.Kind) {
      self.init(name, script: ScriptedCaches.script(turn: turn), kind)
    }

    init(_ name: String, script: String, _ kind: CacheFault.Kind) {
      (self.name, self.script, self.kind) = (
        name, "export LEFT=MARK; sleep 3600 </dev/null >/dev/null & \(script)", kind
      )
    }
  }

  private static func say(_ line: String) -> String { "echo '\(line)'" }

  static let misbehaviours: [Misbehaviour] = [
    Misbehaviour("says nothing at all", script: "sleep 3600", .silentAtStart),
    Misbehaviour("ends before hello", script: "exit 0", .ended),
    Misbehaviour("is not there", script: "./nosuch", .notStarted),
    Misbehaviour(
      "speaks another version",
      script: say(#"{"t":"hello","protocol":9,"name":"a","version":"1"}"#),
      .otherVersion),
    Misbehaviour("prints garbage", "head -c 100 /dev/urandom; echo", .notJSON),
    Misbehaviour("prints for people", "echo 'turn taken'", .notJSON),
    Misbehaviour("says half a line and ends", "printf '{\"t\":\"no'; exit 0", .ended),
    Misbehaviour("ends early", "exit 3", .ended),
    Misbehaviour("dies", "kill -SEGV $$", .ended),
    Misbehaviour("closes its output", "exec >&-; sleep 3600", .ended),
    Misbehaviour("hangs", "sleep 3600", .silent),
    Misbehaviour("loops", "while :; do :; done", .silent),
    Misbehaviour("says a line of a gigabyte", "tr '\\0' x < /dev/zero", .outputTooLong),
    Misbehaviour("says lines forever", "yes '{\"t\":\"note\"}'", .tooManyLines),
    Misbehaviour("says what nobody knows", says: say(#"{"t":"evict","q":1}"#), .unknownMessage),
    Misbehaviour(
      "says more than it may", says: say(#"{"t":"fail","for":1,"stale":true}"#), .badMember),
    Misbehaviour(
      "closes another turn", #"printf '{"t":"done","n":%d,"wake":null}\n' 77"#, .wrongTurn),
    Misbehaviour(
      "lets time run backwards", #"printf '{"t":"done","n":%d,"wake":-1}\n' $n"#, .wakeInThePast),
    Misbehaviour(
      "wants to be woken forever",
      #"at=${line#*\"at\":}; at=${at%%[,\}]*}; printf '{"t":"done","n":%d,"wake":%d}\n' $n $at"#,
      .wakesForEver),
    Misbehaviour(
      "makes up a version", says: #"printf '{"t":"serve","for":%d,"rows":[[4,9]]}\n' $n"#,
      .forgedVersion),
    Misbehaviour(
      "answers what was not asked", says: say(#"{"t":"serve","for":99,"rows":[]}"#), .noSuchRead),
    Misbehaviour(
      "answers twice",
      says: #"for i in 1 2; do printf '{"t":"serve","for":%d,"rows":[]}\n' $n; done"#, .noSuchRead),
    Misbehaviour(
      "asks for a list that is not there", says: say(#"{"t":"fetch","id":1,"q":99999}"#),
      .unknownQuery),
    Misbehaviour(
      "numbers requests alike",
      says: say(#"{"t":"fetch","id":1,"q":0}"#) + "; " + say(#"{"t":"fetch","id":1,"q":1}"#),
      .usedID),
    Misbehaviour(
      "sends a write that nobody made", says: say(#"{"t":"send","token":1}"#), .noSuchWrite),
    Misbehaviour(
      "stores, and has not said that it would", says: say(#"{"t":"store","key":"a","value":"b"}"#),
      .unknownMessage),
  ]

  private static let simulation = Simulation(of: ScriptedCaches.workload)
  private static let prepared = PreparedWorkload(ScriptedCaches.workload)

  @Test(
    "Each is named, and leaves no process behind",
    .enabled(if: RunningProcess.areListed, "no /proc"),
    arguments: misbehaviours)
  func planted(misbehaviour: Misbehaviour) throws {
    #expect(try Self.left(by: misbehaviour) == [])
  }

  @Test(
    "A process started in a group of its own is left behind, and found each time",
    .enabled(if: RunningProcess.areListed, "no /proc"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid"), "no setsid"),
    arguments: 1...20)
  func stays(time: Int) throws {
    let stays = Misbehaviour(
      "leaves its group",
      script: """
        f=$(mktemp); setsid sh -c "rm $f; sleep 3600; :" </dev/null >/dev/null &
        while [ -e $f ]; do :; done; exit 3
        """, .ended)
    let left = try Self.left(by: stays)
    // The shell that leads its group, and perhaps the sleeper that it has started.
    let leader = try #require(left.first { $0.words.first == "sh" }, "\(left)")
    kill(-leader.number, SIGKILL)
  }

  /// Runs one, and tells which of its processes are there in the end.
  private static func left(by misbehaviour: Misbehaviour) throws -> [RunningProcess] {
    let mark = "tidemark-planted-\(UUID().uuidString)"
    let script = misbehaviour.script.replacingOccurrences(of: "MARK", with: mark)
    let command = try #require(CacheCommand("planted=\(script)"))
    var limits = ScriptedCaches.limits
    if misbehaviour.kind == .silentAtStart { limits.startSeconds = 0.5 }
    if misbehaviour.kind == .silent { limits.turnSeconds = 0.5 }
    // A process that closes its output and continues has no status, however long the wait.
    if misbehaviour.name == "closes its output" { limits.endSeconds = 0.5 }
    let failure = try #require(throws: CacheFailure.self) {
      try Self.simulation.run(cache: "planted") {
        launch throws(CacheFault) in
        try ProcessCache(command, for: Self.prepared, launch, limits: limits)
      }
    }
    #expect(failure.fault.kind == misbehaviour.kind, "\(failure)")
    #expect(!failure.client.isEmpty && !failure.fault.kind.remedy.isEmpty)
    return try RunningProcess.all(with: mark)
  }
}
