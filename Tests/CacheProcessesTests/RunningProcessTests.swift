import CacheTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Tests of processes")
struct RunningProcessTests {
  struct Plant: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Runs until its input ends, or it is killed; `MARK` is searched for.
    var script: String
    /// Whether the process that is started ends, and its child stays.
    var isLeft = false
  }

  static let plants = [
    Plant(testDescription: "named in its command line", script: "echo up; read -r end; : MARK"),
    Plant(
      testDescription: "known by its environment alone",
      script: "LEFT=MARK exec sh -c 'echo up; read -r end'"),
    Plant(
      testDescription: "left by the process that started it",
      script: "export LEFT=MARK; exec 3<&0; sh -c 'echo up; read -r end' <&3 &",
      isLeft: true),
  ]

  @Test(
    "A process that stays behind is found each time, and not when it has ended",
    .enabled(if: RunningProcess.areListed, "no /proc"), .startsProcesses, arguments: plants, 1...10)
  func stays(plant: Plant, time: Int) throws {
    let mark = "tidemark-stays-\(UUID().uuidString)"
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", plant.script.replacingOccurrences(of: "MARK", with: mark)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.availableData == Data("up\n".utf8))
    var found = try RunningProcess.all(with: mark)
    while plant.isLeft, found.contains(where: { $0.number == process.processIdentifier }) {
      found = try RunningProcess.all(with: mark)
    }
    #expect(found.count == 1, "\(found)")
    for process in found { kill(process.number, SIGKILL) }
    // Its output ends with it; so do its command line and its environment, a little before.
    #expect(output.fileHandleForReading.availableData == Data())
    #expect(try RunningProcess.all(with: mark) == [])
    process.waitUntilExit()
  }

  @Test("Of any number of waiting tasks the allowed number run, even after one that failed")
  func turns() async throws {
    struct Failure: Error {}
    final class Tally: Sendable {
      let counts = Mutex((now: 0, most: 0, done: 0))
    }
    let turns = Turns(atOnce: 2)
    let tally = Tally()
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          try? await turns.take {
            tally.counts.withLock {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            for _ in 0..<10 { await Task.yield() }
            tally.counts.withLock {
              $0.now -= 1
              $0.done += 1
            }
            if number.isMultiple(of: 3) { throw Failure() }
          }
        }
      }
    }
    let (now, most, done) = tally.counts.withLock { $0 }
    #expect(now == 0 && most <= 2 && done == 200)
  }
}
