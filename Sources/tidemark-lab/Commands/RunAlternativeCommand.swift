import ArgumentParser
import CommandLineInterface
import Foundation
import RealTime

/// One round of one alternative; started by `alternatives`, and of no use alone.
struct RunAlternativeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-alternative",
    abstract: "One round of an alternative; `measure alternatives` starts it.",
    shouldDisplay: false)

  @Argument var alternative: String
  @Option var workload: String
  @Option var round: Int
  @Option var events: Int
  @Option var rate: Double
  @Option var seed: UInt64

  func run() async throws {
    guard let alternative = Alternatives.named(alternative),
      let workload = AlternativeWorkload.named(workload)
    else {
      throw CommandFailure(.input, "no such alternative or workload: \(alternative), \(workload)")
    }
    let folder = TemporaryFolder(for: "alternative")
    folder.removeWhenInputEnds()
    defer { folder.remove() }
    try folder.make()
    var run = AlternativeRun(workload: workload, seed: seed)
    run.round = round
    run.hot = events
    run.paced = events / 3
    run.warmUp = events / 5
    run.rate = rate
    let samples = try await run.run { library in
      try await alternative.make(library, folder.url.path)
    }
    try Console.tell(samples.text)
  }
}

extension TemporaryFolder {
  /// Removes it, and ends the process, when the one that started it ends.
  ///
  /// Standard input ends when that one does, however that happens: then there is no one to measure for.
  fileprivate func removeWhenInputEnds() {
    // A Ctrl-C that reaches it too: this process leaves by the end of its input.
    signal(SIGINT, SIG_IGN)
    Thread.detachNewThread {
      while readLine() != nil {}
      leave()
    }
  }

  private func leave() -> Never {
    remove()
    // Without the C library's clean-up, which would run beside threads that still measure.
    _exit(ExitStatus.fault.rawValue)
  }
}
