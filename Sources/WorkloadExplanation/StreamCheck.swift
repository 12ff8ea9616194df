import CacheModel
package import Text
package import Workloads

/// A comparison of a generated stream with its declarations.
///
/// It measures only the workload: commits, states and actions, not the generator's internals, so that it
/// detects an incorrect generator.
package struct StreamCheck: Sendable {
  package private(set) var figures: [Figure] = []

  /// A declared quantity and its measured value.
  package struct Figure: Sendable {
    package var name: String
    package var declared: Double
    /// The measured value; `nil` with too few samples.
    package var measured: Double?
    package var tolerance: Double
    package var dimension: Dimension
    package var count: Int

    package var verdict: Verdict {
      guard let measured else { return .tooFew }
      return abs(measured - declared) <= tolerance ? .agrees : .deviates
    }
  }

  package enum Verdict: String, Sendable, CaseIterable {
    case agrees
    case deviates
    case tooFew = "too few"
  }

  package var deviations: [Figure] { figures.filter { $0.verdict == .deviates } }

  /// The tolerance in standard deviations, which chance exceeds in one of 15,000 cases.
  static let deviationsByChance = 4.0

  /// Measures a workload that was generated from a scenario.
  package init(_ workload: Workload, against scenario: Scenario) {
    let seconds = scenario.activeDuration.inSeconds
    let history = StreamHistory(workload, scenario)
    addRates(
      scenario.writers.map { ($0.name, $0.count, $0.rate, $0.burst, $0.jobs.isEmpty) }, workload,
      seconds: seconds)
    var first = 0
    for group in scenario.writers {
      let devices = first..<first + group.count
      first += group.count
      if group.jobs.isEmpty {
        addMix(of: group, scenario, history.commits.filter { devices ~= $0.device })
      } else if group.mix.isEmpty {
        addJobs(of: group, scenario, history.commits.filter { devices ~= $0.device })
      }
      addNearViews(of: group, devices, history, workload)
    }
    addDepths(of: scenario.model, workload)
    addChoices(of: scenario, history)
    for (type, declared) in scenario.model.types.enumerated() {
      addSizes(of: declared, history.sizes[type])
      addReferences(of: declared, type, scenario.model, history)
    }
    addVisits(of: scenario, workload, seconds: seconds)
  }

  mutating func add(
    _ name: String, declared: Double, measured: Double?, tolerance: Double,
    _ dimension: Dimension, count: Int
  ) {
    figures.append(
      Figure(
        name: name, declared: declared, measured: measured, tolerance: tolerance,
        dimension: dimension, count: count))
  }

  // MARK: Others

  private mutating func addRates(
    _ groups: [(name: String, count: Int, rate: Double, burst: BurstSection?, isCounted: Bool)],
    _ workload: Workload, seconds: Double
  ) {
    var counts = [Int](repeating: 0, count: groups.reduce(0) { $0 + $1.count })
    for mutation in workload.mutations where Int(mutation.device) < counts.count {
      counts[Int(mutation.device)] += 1
    }
    var first = 0
    for group in groups {
      let own = counts[first..<first + group.count].reduce(0, +)
      first += group.count
      guard group.isCounted else { continue }
      let devices = Double(group.count)
      var mean = group.rate * seconds * devices
      var variance = mean
      if let burst = group.burst {
        let bursts = burst.meanCount(in: seconds) * devices
        mean += bursts * Double(burst.operations)
        variance += bursts * Double(burst.operations * burst.operations)
      }
      guard mean > 0, seconds > 0 else { continue }
      let scale = 1 / (seconds * devices)
      // Some operations have no target.
      let tolerance = Self.deviationsByChance * variance.squareRoot() + 0.02 * mean
      add(
        "\(group.name): operations of each", declared: mean * scale,
        measured: mean < 50 ? nil : Double(own) * scale, tolerance: tolerance * scale, .rate,
        count: own)
    }
  }

  private mutating func addMix(
    of group: WritersSection, _ scenario: Scenario, _ commits: [StreamHistory.Commit]
  ) {
    // Operations with equal visible effects are counted together.
    var pools: [(effect: StreamHistory.Effect, names: [String], share: Double)] = []
    for (operation, share) in zip(scenario.model.operations, group.mix) where share > 0 {
      let effect = StreamHistory.Effect(operation.effect)
      if let index = pools.firstIndex(where: { $0.effect == effect }) {
        pools[index].names.append(operation.name)
        pools[index].share += share
      } else {
        pools.append((effect, [operation.name], share))
      }
    }
    let total = Double(commits.count)
    let unclear = commits.count { commit in !pools.contains { commit.shows($0.effect) } }
    for pool in pools {
      let count = commits.count { $0.shows(pool.effect) }
      let spread = (pool.share * (1 - pool.share) / max(1, total)).squareRoot()
      add(
        "\(group.name): share of \(pool.names.joined(separator: " and "))",
        declared: pool.share, measured: commits.count < 100 ? nil : Double(count) / total,
        tolerance: Self.deviationsByChance * spread + 0.005 + Double(unclear) / max(1, total),
        .share, count: count)
    }
  }

  /// Adds the exponents of operations' choices.
  private mutating func addChoices(of scenario: Scenario, _ history: StreamHistory) {
    for (place, operation) in scenario.model.operations.enumerated() {
      let effect = StreamHistory.Effect(operation.effect)
      let alike = scenario.model.operations.filter { StreamHistory.Effect($0.effect) == effect }
      // Targets from users' views and from jobs are not chosen by popularity.
      let isPreferred = scenario.writers.allSatisfy { group in
        (group.nearViews == nil || group.mix.isEmpty || group.mix[place] == 0)
          && !group.jobs.contains { $0.waves.contains { $0.operation == place } }
      }
      guard alike.count == 1, isPreferred else { continue }
      let own = history.commits.filter { $0.shows(effect) }
      switch operation.preference {
      case .any: continue
      case .popular(let exponent):
        // A deleted entity is not chosen again.
        if case .delete = operation.effect { continue }
        // Creations and deletions move ranks, so only choices at about the same time are compared.
        let windows = Self.windows(
          of: own, turnover: history.initialCounts[operation.effect.type] / 10)
        addExponent(
          "\(operation.name): exponent of its choice", exponent, own.map(\.object),
          among: history.mostAtOnce[operation.effect.type], windows: windows.count
        ) { ZipfEstimate.exponent(ofRepeatsIn: windows, among: $1) }
      case .newest(let exponent):
        let ranks = own.compactMap(\.ageRank)
        addExponent(
          "\(operation.name): exponent of its preference for the newest", exponent, ranks,
          among: history.mostAtOnce[operation.effect.type], ZipfEstimate.exponent(ofRanks:among:))
      }
    }
  }

  /// Returns the chosen entities in windows of time with at most so many creations and deletions each.
  private static func windows(
    of commits: [StreamHistory.Commit], turnover: Int
  ) -> [[UInt32]] {
    var windows: [[UInt32]] = []
    var current: Int?
    for commit in commits {
      let number = commit.turnover / max(1, turnover)
      if number != current { windows.append([]) }
      current = number
      windows[windows.count - 1].append(commit.object)
    }
    return windows
  }

  // MARK: Sizes and references

  /// Compares shares below a declared quantile, for any distribution.
  private mutating func addSizes(of type: EntityType, _ sizes: [Int]) {
    let count = Double(sizes.count)
    if case .fixed(let bytes) = type.size {
      guard let mean = sizes.isEmpty ? nil : Double(sizes.reduce(0, +)) / count else { return }
      add(
        "\(type.name): size", declared: Double(bytes), measured: mean, tolerance: 0.5, .size,
        count: sizes.count)
      return
    }
    for share in [0.5, 0.99] {
      let quantile = type.size.quantile(share)
      // Sizes are integers, each for all values up to the next.
      let declared = type.size.share(below: Int(quantile) + 1) ?? share
      let below = Double(sizes.count { Double($0) <= quantile }) / max(1, count)
      let spread = (share * (1 - share) / max(1, count)).squareRoot()
      add(
        "\(type.name): share of at most \(Words.size(Int(quantile.rounded())))",
        declared: declared, measured: sizes.count < 200 ? nil : below,
        tolerance: Self.deviationsByChance * spread + (share > 0.5 ? 0.004 : 0.015), .share,
        count: sizes.count)
    }
  }

  private mutating func addReferences(
    of type: EntityType, _ place: Int, _ model: DataModel, _ history: StreamHistory
  ) {
    for (index, field) in type.fields.enumerated() {
      switch field.content {
      case .one(let target, .zipf(let exponent), _):
        addExponent(
          "\(type.name).\(field.name): exponent", exponent, history.references[place][index],
          among: history.mostAtOnce[target], ZipfEstimate.exponent(ofRepeats:among:))
      case .many(let target, let choice, .mean(let mean)):
        let counts = history.listLengths[place][index]
        let count = Double(max(1, counts.count))
        let measured = Double(counts.reduce(0, +)) / count
        // A geometric distribution; duplicates are stored once.
        let spread = (mean * (1 + mean) / count).squareRoot()
        let kept = ZipfEstimate.distinct(ofDraws: mean, choice, among: model.types[target].count)
        add(
          "\(type.name).\(field.name): references that differ", declared: kept,
          measured: counts.count < 100 ? nil : measured,
          tolerance: Self.deviationsByChance * spread + 0.02 * mean, .number,
          count: counts.count)
      case .flag(let share):
        let flags = history.references[place][index]
        let measured = Double(flags.reduce(0) { $0 + Int($1) }) / Double(max(1, flags.count))
        let spread = (share * (1 - share) / Double(max(1, flags.count))).squareRoot()
        add(
          "\(type.name).\(field.name): share set", declared: share,
          measured: flags.count < 100 ? nil : measured,
          tolerance: Self.deviationsByChance * spread + 0.001, .share, count: flags.count)
      default: continue
      }
    }
  }

  /// Estimates a choice by popularity from repetitions: the popular items are unknown, but the probability of
  /// equal choices is independent of them, and increases with the exponent.
  private mutating func addExponent<Choice>(
    _ name: String, _ exponent: Double, _ chosen: [Choice], among count: Int,
    windows: Int = 1, _ estimate: ([Choice], Int) -> Double
  ) {
    let inWindow = chosen.count / max(1, windows)
    let isEnough = chosen.count >= 300 && inWindow >= 50 && count >= 10
    add(
      name, declared: exponent, measured: isEnough ? estimate(chosen, count) : nil,
      tolerance: ZipfEstimate.tolerance(of: inWindow), .number, count: chosen.count)
  }

  // MARK: Users

  /// Adds visits: a suspended app is connected while its user is present, as its link shows.
  private mutating func addVisits(
    of scenario: Scenario, _ workload: Workload, seconds: Double
  ) {
    guard !scenario.faults.contains(where: { $0.kind == .partition }) else { return }
    var first = 0
    for group in scenario.users {
      let own = workload.clients[first..<min(first + group.clients, workload.clients.count)]
      first += group.clients
      guard let visits = group.visits, visits.between == .suspended, group.active.isEmpty else {
        continue
      }
      let pauses = own.reduce(0) { $0 + $1.partitions.count }
      let away = own.flatMap(\.partitions).reduce(0.0) {
        $0 + $1.lowerBound.duration(to: $1.upperBound).inSeconds
      }
      let total = seconds * Double(group.clients)
      let mean = visits.rate * total
      guard pauses > 0, away > 0, mean >= 50 else { continue }
      // A visit that begins during another prolongs it. In a Poisson process the share of time without a
      // visit is e to the power of −rate · length, and the observed visits are fewer by that factor.
      let rate = Double(pauses) / away
      let length = -PortableMath.log(away / total) / rate
      let tolerance = Self.deviationsByChance / mean.squareRoot() + 0.03
      add(
        "\(group.name): visits", declared: visits.rate, measured: rate,
        tolerance: tolerance * visits.rate, .rate, count: pauses)
      let declared = Double(visits.length.wholeNanoseconds)
      add(
        "\(group.name): length of a visit", declared: declared,
        measured: (length * 1e9).rounded(), tolerance: 1.5 * tolerance * declared, .duration,
        count: pauses)
    }
  }
}
