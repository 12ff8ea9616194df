import CacheModel
import Foundation
import NormalizedCache
import Synchronization
import Testing

@testable import RealTime

@Suite("Alternatives")
struct AlternativeTests {
  /// Small enough for debug builds, with several files in a batch and unobserved listings.
  private static let workloads = [
    AlternativeWorkload(
      name: "singles", directories: 5, filesPerDirectory: 7, observed: 4, filesPerEvent: 1),
    AlternativeWorkload(
      name: "batches", directories: 4, filesPerDirectory: 6, observed: 4, filesPerEvent: 3),
  ]

  @Test(
    "The same events end in the same listings, and call each observer of a change",
    arguments: Alternatives.all.map(\.name), workloads)
  func conformance(name: String, workload: AlternativeWorkload) async throws {
    let alternative = try #require(Alternatives.named(name))
    try await withFolder { folder in
      let library = workload.library(seed: 3)
      let design = try await alternative.make(library, folder)
      let board = ObserverBoard(listings: workload.observed, clock: ContinuousCacheClock())
      for directory in 0..<workload.observed {
        for index in 0..<ObserverBoard.observersPerListing {
          try await design.observe(directory: directory, board.observer(index, of: directory))
        }
      }
      var script = AlternativeScript(
        library: library, workload: workload, random: RandomSource(seed: 4))
      for _ in 0..<40 {
        let event = script.next()
        for directory in 0..<workload.observed { board.begin(directory) }
        let commits = Atomic<Int>(0)
        try await design.apply(event.envelope) { commits.add(1, ordering: .relaxed) }
        #expect(try await board.tellsAll(of: event.directory))
        #expect(commits.load(ordering: .relaxed) == 1)
        let others = (0..<workload.observed).filter { $0 != event.directory }
        #expect(!others.contains { board.hasTold($0) }, "told of what did not change")
      }
      for directory in 0..<workload.directories {
        #expect(
          try await design.listing(ofDirectory: directory)
            == script.listing(ofDirectory: directory))
      }
      try await design.close()
    }
  }

  @Test(
    "A run of any alternative has all its samples",
    arguments: Alternatives.all.map(\.name) + ["control"])
  func run(name: String) async throws {
    let alternative = try #require(Alternatives.named(name))
    try await withFolder { folder in
      var run = AlternativeRun(workload: Self.workloads[0], seed: 1)
      run.warmUp = 3
      run.hot = 20
      run.paced = 5
      run.rate = 10_000
      // A loaded machine takes as long as it takes.
      run.limit = .seconds(3600)
      let samples = try await run.run { try await alternative.make($0, folder) }
      #expect(samples.hot.count == 20)
      #expect(samples.paced.count == 5)
      #expect(samples.hot.allSatisfy { $0.apply >= 0 && $0.notify >= 0 })
    }
  }

  @Test("Names are flat, unique, and found; each alternative has a summary")
  func registry() {
    var seen: Set<String> = []
    for alternative in Alternatives.all + [Alternatives.control] {
      #expect(seen.insert(alternative.name).inserted, "\(alternative.name) is registered twice")
      #expect(Alternatives.named(alternative.name)?.summary == alternative.summary)
      #expect(
        alternative.name.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "-") })
      #expect(alternative.summary.hasSuffix("."))
    }
    #expect(Alternatives.all.first?.name == "ours")
    #expect(Alternatives.named("no-such-alternative") == nil)
  }
}

extension ObserverBoard {
  /// Waits for notifications on another thread.
  fileprivate func tellsAll(of listing: Int) async throws -> Bool {
    for _ in 0..<10_000 {
      if notified(listing) != nil { return true }
      try await Task.sleep(for: .milliseconds(1))
    }
    return false
  }
}

private func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("tidemark-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder.path)
}
