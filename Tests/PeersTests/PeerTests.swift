import CacheModel
import Foundation
import Synchronization
import Testing

@testable import Measurement
@testable import Peers

@Suite("Peers")
struct PeerTests {
  /// Small enough for debug builds, with several files in a batch and listings that nobody watches.
  private static let workloads = [
    DesignWorkload(
      name: "singles", directories: 5, filesPerDirectory: 7, observed: 4, filesPerEvent: 1),
    DesignWorkload(
      name: "batches", directories: 4, filesPerDirectory: 6, observed: 4, filesPerEvent: 3),
  ]

  @Test(
    "The same events end in the same listings, and call each observer of what they change",
    arguments: Peers.all.map(\.name), workloads)
  func conformance(name: String, workload: DesignWorkload) async throws {
    let peer = try #require(Peers.named(name))
    try await withFolder { folder in
      let library = workload.library(seed: 3)
      let design = try await peer.make(library, folder)
      let calls = CallCounts(workload)
      for directory in 0..<workload.observed {
        for observer in 0..<2 {
          try await design.observe(directory: directory) { calls.count(directory, observer) }
        }
      }
      var script = DesignScript(
        library: library, workload: workload, random: RandomSource(seed: 4))
      for _ in 0..<40 {
        let event = script.next()
        calls.forget()
        let commits = Atomic<Int>(0)
        try await design.apply(event.envelope) { commits.add(1, ordering: .relaxed) }
        #expect(try await calls.wereAll(of: event.directory))
        #expect(commits.load(ordering: .relaxed) == 1)
        #expect(calls.strangers(besides: event.directory) == 0, "told of what did not change")
      }
      for directory in 0..<workload.directories {
        #expect(
          try await design.listing(ofDirectory: directory)
            == script.listing(ofDirectory: directory))
      }
      try await design.close()
    }
  }

  @Test("A run of any peer has all its samples", arguments: Peers.all.map(\.name) + ["control"])
  func run(name: String) async throws {
    let peer = try #require(Peers.named(name))
    try await withFolder { folder in
      var run = DesignRun(workload: Self.workloads[0], seed: 1)
      run.warmUp = 3
      run.hot = 20
      run.paced = 5
      run.rate = 10_000
      // A loaded machine takes as long as it takes.
      run.limit = .seconds(3600)
      let samples = try await run.run { try await peer.make($0, folder) }
      #expect(samples.hot.count == 20)
      #expect(samples.paced.count == 5)
      #expect(samples.hot.allSatisfy { $0.apply >= 0 && $0.notify >= 0 })
    }
  }

  @Test("Names are flat, unique, and found; each peer says what it is and what it is not")
  func registry() {
    var seen: Set<String> = []
    for peer in Peers.all + [Peers.control] {
      #expect(seen.insert(peer.name).inserted, "\(peer.name) is registered twice")
      #expect(Peers.named(peer.name)?.summary == peer.summary)
      #expect(
        peer.name.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "-") })
      #expect(peer.summary.hasSuffix(".") && peer.limits.hasSuffix("."))
    }
    #expect(Peers.all.first?.name == "ours")
    #expect(Peers.named("no-such-peer") == nil)
  }
}

/// How often two observers of each listing were called.
private final class CallCounts: Sendable {
  private let counts: Mutex<[[Int]]>

  init(_ workload: DesignWorkload) {
    counts = Mutex(Array(repeating: [0, 0], count: workload.directories))
  }

  func count(_ directory: Int, _ observer: Int) {
    counts.withLock { $0[directory][observer] += 1 }
  }

  func forget() {
    counts.withLock { counts in
      for directory in counts.indices { counts[directory] = [0, 0] }
    }
  }

  /// Waits for those that are told on another thread.
  func wereAll(of directory: Int) async throws -> Bool {
    for _ in 0..<10_000 {
      if counts.withLock({ $0[directory].allSatisfy { $0 > 0 } }) { return true }
      try await Task.sleep(for: .milliseconds(1))
    }
    return false
  }

  func strangers(besides directory: Int) -> Int {
    counts.withLock { counts in
      counts.indices.filter { $0 != directory }.reduce(0) { $0 + counts[$1].reduce(0, +) }
    }
  }
}

private func withFolder(_ body: (PeerFolder) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("tidemark-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(PeerFolder(path: folder.path))
}
