import Analysis
import ArgumentParser
import CacheModel
import CommandLineInterface
import DesignSimulation
import NormalizedCacheCore
import Workloads

/// How a search chooses what to try.
enum SearchMethod: String, ExpressibleByArgument, CaseIterable {
  /// Every combination of values.
  case grid
  case random
  /// Evenly spread points.
  case sobol
  /// Many on little, few on much.
  case halving
}

/// The settings that a search tries: by their number, so that no order of work changes them.
struct SearchPlan: Sendable {
  let method: SearchMethod
  let knobs: [Knob]
  let trials: Int
  /// Of the points, not of the streams.
  let seed: UInt64
  let steps: Int

  /// More settings than this take hours.
  static let settingLimit = 10_000

  init(
    _ method: SearchMethod, _ knobs: [Knob], trials: Int, steps: Int, seed: UInt64
  ) throws(CommandFailure) {
    self.method = method
    self.knobs = knobs
    self.trials = trials
    self.steps = steps
    self.seed = seed
    let free = knobs.filter { !$0.isFixed }.count
    guard method == .grid || method == .random || free <= SobolSequence.maximumDimensions else {
      throw CommandFailure(
        .input,
        "--method \(method): \(free) fields are varied, the limit is "
          + "\(SobolSequence.maximumDimensions); vary fewer, or take random")
    }
    let count =
      method == .grid
      ? knobs.reduce(1) { min($0 * $1.values(steps: steps).count, Self.settingLimit + 1) } : trials
    guard count <= Self.settingLimit else {
      throw CommandFailure(
        .input, "--vary makes more than \(Self.settingLimit) settings; vary less")
    }
  }

  private var free: [Knob] { knobs.filter { !$0.isFixed } }

  var count: Int {
    method == .grid ? knobs.reduce(1) { $0 * $1.values(steps: steps).count } : trials
  }

  /// The value of each knob in a trial.
  func values(of trial: Int) -> [String] {
    if method == .grid {
      var rest = trial
      var values: [String] = []
      for knob in knobs.reversed() {
        let own = knob.values(steps: steps)
        values.append(own[rest % own.count])
        rest /= own.count
      }
      return values.reversed()
    }
    var point = point(trial)[...]
    return knobs.map { knob in
      knob.isFixed ? knob.value(at: 0) : knob.value(at: point.popFirst() ?? 0)
    }
  }

  private func point(_ trial: Int) -> [Double] {
    let dimensions = max(free.count, 1)
    let design: SearchDesign =
      method == .random ? .independent(dimensions: dimensions) : .sobol(dimensions: dimensions)
    return design.point(trial, seed: seed)
  }

  /// Every policy under every trial, or under some of them.
  ///
  /// - Throws: ``CommandFailure`` where there is none, since every policy is a bound: a bound ignores
  ///   the cache section.
  func settings(
    of file: ScenarioFile, policies: [String], columns: [String], trials: Range<Int>? = nil
  ) throws -> [TunedSetting] {
    var settings: [TunedSetting] = []
    for trial in trials ?? 0..<count {
      let values = values(of: trial)
      var varied = file
      var own: [(field: String, value: String)] = []
      for (knob, value) in zip(knobs, values) {
        if case .command = knob.owner { continue }
        let section = try varied.scenario.cache.setting(
          field: knob.field.name, to: value, of: varied.scenario.model, vocabulary: .all)
        if knob.owner == .cache {
          varied.scenario.cache = section
        } else {
          own.append((knob.field.name, value))
        }
      }
      for contestant in try varied.contestants(policies)
      where !PolicyEntry.bounds.contains(contestant.name) {
        settings.append(
          TunedSetting(
            policy: contestant.name, trial: trial, fields: columns,
            values: columns.map { column in
              knobs.firstIndex { $0.name == column && $0.concerns(contestant) }
                .map { values[$0] }
            }, telling: (free.isEmpty ? knobs : free).map(\.name),
            cache: try options(of: contestant, values, try varied.cache(of: contestant, with: own)))
        )
      }
    }
    guard !settings.isEmpty else {
      let bounds = PolicyEntry.bounds.joined(separator: ", ")
      throw CommandFailure(
        .input,
        "\(file.path): nothing to vary: the bounds (\(bounds)) ignore the cache section; name "
          + "another policy with --policies")
    }
    return settings
  }
}

extension SearchPlan {
  /// A cache with the options of its command set.
  private func options(
    of contestant: Contestant, _ values: [String], _ cache: ContestantCache
  ) throws(CommandFailure) -> ContestantCache {
    var cache = cache
    for (knob, value) in zip(knobs, values) where knob.owner == .command(contestant.name) {
      guard let set = cache.setting(knob.field.name, to: value) else {
        throw CommandFailure(
          .input,
          "--vary \(knob.name): the command of \(contestant.name) has no {\(knob.field.name)}; write it "
            + "where the value goes")
      }
      cache = set
    }
    return cache
  }
}

extension ScenarioFile {
  /// What a contestant is with fields of its own.
  func cache(
    of contestant: Contestant, with own: [(field: String, value: String)]
  ) throws(CommandFailure) -> ContestantCache {
    if let design = scenario.design(for: contestant.name, with: own)
      .flatMap({ ConfiguredDesign($0) })
    {
      return .outside(design)
    }
    guard !own.isEmpty, let composition = scenario.composition(for: contestant.name, with: own)
    else { return contestant.cache }
    do throws(CompositionError) {
      try composition.validate()
    } catch {
      throw CommandFailure(.input, "\(path): policy \"\(contestant.name)\": \(error)")
    }
    return .composed(composition)
  }
}
