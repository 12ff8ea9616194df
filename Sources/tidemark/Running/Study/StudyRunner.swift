import Analysis
import CacheSimulation
import CommandLineInterface
import Foundation
import NormalizedCacheCore
import Text
import Workloads

/// Makes the runs of studies on all cores: each once, however many settings need it, and none that a journal
/// has.
struct StudyRunner: Sendable {
  var inputs: [SimulationInput]
  var journal: StudyJournal?
  var progress: ProgressLine
  /// The runs that were made elsewhere.
  var known: [String: RunRecord] = [:]

  /// One of this many runs of a journal is repeated, to check that it gives the same figures.
  private static let checkedShare: UInt64 = 100

  /// Returns the records of the cells, in order; for callers that need all of them.
  func run(_ cells: [StudyCell]) async throws -> [RunRecord] {
    let made = try await attempt(cells)
    try made.failures.throwIfAny()
    return made.records
  }

  /// Returns the records of the cells, in order; without figures if a contender failed, which no journal
  /// stores.
  ///
  /// - Throws: the error of a simulation; ``CommandFailure`` if a run of the journal is not reproducible, or
  ///   the journal cannot be written.
  func attempt(
    _ cells: [StudyCell]
  ) async throws -> (records: [RunRecord], failures: [ContenderFailure]) {
    let prints = inputs.map(\.fingerprint)
    let keys = cells.map { $0.key(workload: prints[$0.input]) }
    var records: [String: RunRecord] = [:]
    var pending: [(key: String, cell: StudyCell)] = []
    var kept: [(key: String, cell: StudyCell)] = []
    var seen: Set<String> = []
    for (key, cell) in zip(keys, cells) where seen.insert(key).inserted {
      if let record = journal?[key] {
        records[key] = record
        kept.append((key, cell))
      } else if let record = known[key] {
        records[key] = record
      } else {
        pending.append((key, cell))
      }
    }
    let checked = checks(among: kept)
    let jobs = checked + pending
    let found = records
    let made = try await run(jobs: jobs.map(\.cell)) { index, record in
      let (key, cell) = jobs[index]
      guard index >= checked.count else {
        if let old = found[key], old != record { throw Self.changed(subject(of: cell), journal) }
        return
      }
      try journal?.append(.init(key: key, subject: subject(of: cell), record: record))
    }
    var failures: [ContenderFailure] = []
    for (job, result) in zip(jobs, made) {
      switch result {
      case .success(let record): records[job.key] = record
      case .failure(let failure):
        records[job.key] = RunRecord([])
        if !failures.contains(failure) { failures.append(failure) }
      }
    }
    let all = keys.map { key in
      guard let record = records[key] else { preconditionFailure("every cell was run") }
      return record
    }
    return (all, failures)
  }

  /// Returns one in a hundred known runs by key, and at least one if there are any.
  private func checks(
    among kept: [(key: String, cell: StudyCell)]
  ) -> [(key: String, cell: StudyCell)] {
    let drawn = kept.filter { Fingerprint(of: $0.key.utf8).below(Self.checkedShare) == 0 }
    return drawn.isEmpty ? Array(kept.prefix(1)) : drawn
  }

  private static func changed(_ subject: String, _ journal: StudyJournal?) -> CommandFailure {
    let path = journal.map { FileKind.title(of: $0.path) } ?? "the journal"
    return CommandFailure(
      .data,
      "\(path): \(subject) comes out otherwise today: it was made by another build, or a result is "
        + "not deterministic; begin another journal")
  }

  /// Returns a run's name in a journal.
  func subject(of cell: StudyCell) -> String {
    let seed = cell.seed.map { " seed \($0)" } ?? ""
    return "\(inputs[cell.input].name)\(seed): \(cell.contender.name)"
  }

  // MARK: Cores

  private func run(
    jobs: [StudyCell], done: @escaping @Sendable (Int, RunRecord) throws -> Void
  ) async throws -> [Attempt] {
    let queue = StudyQueue(jobs, inputs: inputs)
    let progress = progress
    return try await withThrowingTaskGroup(of: [(Int, Attempt)].self) { group in
      for worker in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount) {
        group.addTask {
          var own: [(Int, Attempt)] = []
          while let (job, simulation) = await queue.next(for: worker) {
            try Task.checkCancellation()
            let attempt = try self.attempt(jobs[job], on: await simulation.value)
            if case .success(let record) = attempt { try done(job, record) }
            own.append((job, attempt))
            progress.report("\(await queue.didRun()) of \(jobs.count) runs")
          }
          return own
        }
      }
      var attempts: [Int: Attempt] = [:]
      for try await part in group {
        for (job, attempt) in part { attempts[job] = attempt }
      }
      return jobs.indices.compactMap { attempts[$0] }
    }
  }

  private typealias Attempt = Result<RunRecord, ContenderFailure>

  private func attempt(_ cell: StudyCell, on simulations: [Simulation]) throws -> Attempt {
    do {
      let run = try inputs[cell.input].run(
        cell.contender, on: simulations, seed: cell.seed, isChecked: cell.isChecked)
      if let doubt = run.doubt { return .failure(doubt) }
      return .success(RunRecord(run.rows))
    } catch let failure as ContenderFailure {
      return .failure(failure)
    }
  }
}

/// Distributes runs so that the workload of a seed is generated once, and each core has its own as long as
/// there are enough.
private actor StudyQueue {
  private struct Group {
    var input: Int
    var seed: UInt64?
    /// The runs, with the next one last.
    var jobs: [Int]
    var owner: Int?
    /// The task that generates the workload; released with the last run.
    var simulation: Task<[Simulation], Never>?
  }

  private let inputs: [SimulationInput]
  private var groups: [Group] = []
  private var finished = 0

  init(_ cells: [StudyCell], inputs: [SimulationInput]) {
    self.inputs = inputs
    var places: [[UInt64?]: Int] = [:]
    for (job, cell) in cells.enumerated() {
      let identity = [UInt64(cell.input), cell.seed]
      if let place = places[identity] {
        groups[place].jobs.append(job)
      } else {
        places[identity] = groups.count
        groups.append(Group(input: cell.input, seed: cell.seed, jobs: [job]))
      }
    }
    for index in groups.indices { groups[index].jobs.reverse() }
  }

  func didRun() -> Int {
    finished += 1
    return finished
  }

  func next(for worker: Int) -> (job: Int, simulation: Task<[Simulation], Never>)? {
    let index =
      groups.firstIndex { $0.owner == worker }
      ?? groups.firstIndex { $0.owner == nil }
      ?? groups.indices.max { groups[$0].jobs.count < groups[$1].jobs.count }
    guard let index else { return nil }
    groups[index].owner = groups[index].owner ?? worker
    let group = groups[index]
    let input = inputs[group.input]
    let simulation =
      group.simulation
      ?? Task { input.simulations(seed: group.seed) }
    groups[index].simulation = simulation
    let job = groups[index].jobs.removeLast()
    if groups[index].jobs.isEmpty { groups.remove(at: index) }
    return (job, simulation)
  }
}
