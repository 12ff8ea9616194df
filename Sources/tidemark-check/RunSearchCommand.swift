import ArgumentParser
import CommandLineInterface
import FaultSearch
import Foundation

/// Performs a part of a search in a separate process, which a crash of the cache may end; an internal command
/// of `check`.
struct RunSearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-search", abstract: "A part of a search; `check` starts it.",
    shouldDisplay: false)

  enum Work: String, ExpressibleByArgument {
    /// Searches seeds, up to the first that fails.
    case search
    /// Searches one seed, and prints its steps.
    case trace
    /// Runs a case file, and prints its steps.
    case replay
    /// Shrinks a case file, in a folder.
    case shrink
  }

  @Argument var work: Work
  @Option var firstSeed: UInt64 = 0
  @Option var seeds: UInt64 = 1
  @Option var steps = 1
  @Option var file = ""
  @Option var folder = ""
  @Option var promise = ""
  @OptionGroup var planting: Planting

  func run() throws {
    // Its input ends together with the parent process, and then it exits.
    _ = ChildOrders.lines()
    switch work {
    case .search: try search()
    case .trace: try trace()
    case .replay: try replay()
    case .shrink: try shrink()
    }
  }

  private func search() throws {
    for seed in firstSeed..<firstSeed + seeds {
      try SearchWord.begins(seed: seed).say()
      let outcome = FaultSearch.search(
        planting.planted(FaultCase.drawn(seed: seed)), steps: steps)
      try SearchWord.done(outcome.tally, outcome.divergence).say()
      if outcome.divergence != nil { return }
    }
  }

  private func trace() throws {
    try SearchWord.begins(seed: firstSeed).say()
    let outcome = FaultSearch.search(
      planting.planted(FaultCase.drawn(seed: firstSeed)), steps: steps, telling: tell)
    try SearchWord.done(outcome.tally, outcome.divergence).say()
  }

  private func replay() throws {
    let faultCase = try planting.planted(CaseFolder.read(file))
    try SearchWord.begins(seed: faultCase.seed).say()
    var found = FaultSearch.replay(faultCase, telling: tell)
    if found == nil {
      try SearchWord.begins(seed: faultCase.seed).say()
      found = FaultSearch.replayTwice(faultCase)
    }
    try SearchWord.done(StepTally(), found).say()
  }

  private func tell(_ moment: ProgramMoment) {
    let word: SearchWord =
      switch moment {
      case .step(let step): .step(CaseFile.text(of: step))
      case .rest: .rest
      }
    // Without a reader, this process ends soon.
    try? word.say()
  }

  /// Shrinks in the same way after each restart: candidates that crashed a process before are known.
  private func shrink() throws {
    guard let promise = Promise(rawValue: promise) else {
      throw CommandFailure(.input, "no promise is called \(promise)")
    }
    let folder = ShrinkingFolder(URL(fileURLWithPath: folder))
    let known = try folder.fatal()
    let faultCase = try planting.planted(CaseFolder.read(folder.original.path))
    let divergence = Divergence(
      promise, step: faultCase.steps.count, subject: "", expected: "", found: "")
    var shrinker = Shrinker(faultCase, divergence) { candidate in
      let text = Data(CaseFile.write(candidate))
      if known.contains(text) { return divergence }
      try? SearchWord.begins(seed: candidate.seed).say()
      if promise == .survives { try? text.write(to: folder.tried) }
      let found = FaultSearch.replay(candidate)
      if found?.promise == promise { try? text.write(to: folder.smallest) }
      return found
    }
    shrinker.shrink()
    try Data(CaseFile.write(shrinker.smallest)).write(to: folder.smallest)
  }
}
