import Analysis
import ArgumentParser
import CacheModel
import CommandLineInterface
import DesignSimulation
import NormalizedCacheCore
import Workloads

/// How a search chooses what to try.
enum SearchMethod: String, ExpressibleByArgument, CaseIterable {
  /// All combinations of values.
  case grid
  case random
  /// Evenly spread points.
  case sobol
  /// Many with few runs, few with many.
  case halving
}

/// The settings that a search tries, by number, so that the order of work does not matter.
struct SearchPlan: Sendable {
  let method: SearchMethod
  let parameters: [TuningParameter]
  let trials: Int
  /// The seed of the points, not of the streams.
  let seed: UInt64
  let steps: Int

  /// The maximum number of settings: more take hours.
  static let settingLimit = 10_000

  init(
    _ method: SearchMethod, _ parameters: [TuningParameter], trials: Int, steps: Int, seed: UInt64
  ) throws(CommandFailure) {
    self.method = method
    self.parameters = parameters
    self.trials = trials
    self.steps = steps
    self.seed = seed
    let free = parameters.filter { !$0.isFixed }.count
    guard method == .grid || method == .random || free <= SobolSequence.maximumDimensions else {
      throw CommandFailure(
        .input,
        "--method \(method): \(free) fields are varied, the limit is "
          + "\(SobolSequence.maximumDimensions); vary fewer, or take random")
    }
    let count =
      method == .grid
      ? parameters.reduce(1) { min($0 * $1.values(steps: steps).count, Self.settingLimit + 1) }
      : trials
    guard count <= Self.settingLimit else {
      throw CommandFailure(
        .input, "--vary makes more than \(Self.settingLimit) settings; vary less")
    }
  }

  private var free: [TuningParameter] { parameters.filter { !$0.isFixed } }

  var count: Int {
    method == .grid ? parameters.reduce(1) { $0 * $1.values(steps: steps).count } : trials
  }

  func values(of trial: Int) -> [String] {
    if method == .grid {
      var rest = trial
      var values: [String] = []
      for parameter in parameters.reversed() {
        let own = parameter.values(steps: steps)
        values.append(own[rest % own.count])
        rest /= own.count
      }
      return values.reversed()
    }
    var point = point(trial)[...]
    return parameters.map { parameter in
      parameter.isFixed ? parameter.value(at: 0) : parameter.value(at: point.popFirst() ?? 0)
    }
  }

  private func point(_ trial: Int) -> [Double] {
    let dimensions = max(free.count, 1)
    let design: SearchDesign =
      method == .random ? .independent(dimensions: dimensions) : .sobol(dimensions: dimensions)
    return design.point(trial, seed: seed)
  }

  /// Returns every policy with every trial, or with some of them.
  ///
  /// - Throws: ``CommandFailure`` if there is none, because every policy is a bound, which ignores the cache
  ///   section.
  func settings(
    of file: ScenarioFile, policies: [String], columns: [String], trials: Range<Int>? = nil
  ) throws -> [TunedSetting] {
    var settings: [TunedSetting] = []
    for trial in trials ?? 0..<count {
      let values = values(of: trial)
      var varied = file
      var own: [(field: String, value: String)] = []
      for (parameter, value) in zip(parameters, values) {
        if case .command = parameter.owner { continue }
        let section = try varied.scenario.cache.setting(
          field: parameter.field.name, to: value, of: varied.scenario.model, vocabulary: .all)
        if parameter.owner == .cache {
          varied.scenario.cache = section
        } else {
          own.append((parameter.field.name, value))
        }
      }
      for contender in try varied.contenders(policies)
      where !PolicyEntry.bounds.contains(contender.name) {
        settings.append(
          TunedSetting(
            policy: contender.name, trial: trial, fields: columns,
            values: columns.map { column in
              parameters.firstIndex { $0.name == column && $0.concerns(contender) }
                .map { values[$0] }
            }, telling: (free.isEmpty ? parameters : free).map(\.name),
            cache: try options(of: contender, values, try varied.cache(of: contender, with: own)))
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
  private func options(
    of contender: Contender, _ values: [String], _ cache: ContenderCache
  ) throws(CommandFailure) -> ContenderCache {
    var cache = cache
    for (parameter, value) in zip(parameters, values)
    where parameter.owner == .command(contender.name) {
      guard let set = cache.setting(parameter.field.name, to: value) else {
        throw CommandFailure(
          .input,
          "--vary \(parameter.name): the command of \(contender.name) has no {\(parameter.field.name)}; write it "
            + "where the value goes")
      }
      cache = set
    }
    return cache
  }
}

extension ScenarioFile {
  /// Returns the cache of a contender with its own fields.
  func cache(
    of contender: Contender, with own: [(field: String, value: String)]
  ) throws(CommandFailure) -> ContenderCache {
    if let design = scenario.design(for: contender.name, with: own)
      .flatMap({ ConfiguredDesign($0) })
    {
      return .blackBox(design)
    }
    guard !own.isEmpty, let composition = scenario.composition(for: contender.name, with: own)
    else { return contender.cache }
    do throws(CachePolicyError) {
      try composition.validate()
    } catch {
      throw CommandFailure(.input, "\(path): policy \"\(contender.name)\": \(error)")
    }
    return .composed(composition)
  }
}
