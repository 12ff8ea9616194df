import CacheModel
package import Text

/// What a drawn stream is like beside what was declared of it.
///
/// It is measured on the workload alone: on commits, states and actions, not on how they were drawn, so that
/// a generator that does something else than it was told is found out.
package struct StreamCheck: Sendable {
  package private(set) var figures: [Figure] = []

  /// A declared quantity and what was measured of it.
  package struct Figure: Sendable {
    /// What it is, such as `message.room: exponent`.
    package var name: String
    package var declared: Double
    /// `nil`: too few to tell.
    package var measured: Double?
    /// How far the two may lie apart by chance.
    package var tolerance: Double
    package var dimension: Dimension
    /// How many were measured.
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

  /// Chance goes further in one of 15,000 cases.
  private static let deviationsByChance = 4.0

  /// Measures a workload against the scenario that it is said to be drawn from.
  package init(_ workload: Workload, against scenario: Scenario) {
    let seconds = scenario.activeDuration.inSeconds
    guard let app = scenario.app else { return }
    let history = StreamHistory(workload, app)
    addRates(
      app.writers.map { ($0.name, $0.count, $0.rate, $0.burst, $0.jobs.isEmpty) }, workload,
      seconds: seconds)
    var first = 0
    for group in app.writers {
      let devices = first..<first + group.count
      first += group.count
      if group.jobs.isEmpty {
        addMix(of: group, app, history.commits.filter { devices ~= $0.device })
      } else if group.mix.isEmpty {
        addJobs(of: group, app, history.commits.filter { devices ~= $0.device }, scenario)
      }
      addNearViews(of: group, devices, history, workload)
    }
    addDepths(of: app, workload)
    addChoices(of: app, history)
    for (type, declared) in app.model.types.enumerated() {
      addSizes(of: declared, history.sizes[type])
      addReferences(of: declared, type, app.model, history)
    }
    addVisits(of: app, workload, scenario, seconds: seconds)
  }

  private mutating func add(
    _ name: String, declared: Double, measured: Double?, tolerance: Double,
    _ dimension: Dimension, count: Int
  ) {
    figures.append(
      Figure(
        name: name, declared: declared, measured: measured, tolerance: tolerance,
        dimension: dimension, count: count))
  }

  // MARK: What others do

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
      // Now and then an operation finds nothing to do.
      let tolerance = Self.deviationsByChance * variance.squareRoot() + 0.02 * mean
      add(
        "\(group.name): operations of each", declared: mean * scale,
        measured: mean < 50 ? nil : Double(own) * scale, tolerance: tolerance * scale, .rate,
        count: own)
    }
  }

  private mutating func addMix(
    of group: WritersSection, _ app: DeclaredApp, _ commits: [StreamHistory.Commit]
  ) {
    // Operations that look alike from outside are counted together.
    var pools: [(effect: StreamHistory.Effect, names: [String], share: Double)] = []
    for (operation, share) in zip(app.model.operations, group.mix) where share > 0 {
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

  /// How many entities each wave of a group's jobs concerned, and at which rate of batches it went on.
  private mutating func addJobs(
    of group: WritersSection, _ app: DeclaredApp, _ commits: [StreamHistory.Commit],
    _ scenario: Scenario
  ) {
    let operations = group.jobs.flatMap { job in
      [job.operation] + job.waves.map(\.operation)
    }
    for (number, job) in group.jobs.enumerated() {
      let type = app.model.types[app.model.operations[job.operation].effect.type]
      let plan = DeclaredJob(job, by: 0, of: type, random: RandomSource(seed: 0))
        .steps(before: scenario.activeDuration.wholeNanoseconds)
      for (place, operation) in operations.enumerated()
      where operations.firstIndex(of: operation) == place {
        let waves = [job.operation] + job.waves.map(\.operation)
        guard let wave = waves.firstIndex(of: operation),
          operations.count(where: { $0 == operation }) == 1
        else { continue }
        let effect = StreamHistory.Effect(app.model.operations[operation].effect)
        let own = commits.filter { $0.counts[effect] != nil }
        let steps = plan.filter { $0.step.wave == wave }
        let share =
          wave == 0 ? 1 : job.waves[wave - 1].when.map { type.fields[$0].share } ?? 1
        let devices = Double(group.count)
        let declared = Double(steps.reduce(0) { $0 + $1.step.count }) * devices
        let measured = Double(own.reduce(0) { $0 + ($1.counts[effect] ?? 0) })
        let name = "\(group.name): \(app.model.operations[operation].name) in job \(number + 1)"
        let total = share > 0 ? declared / share : 0
        add(
          "\(name), entities", declared: declared, measured: measured,
          // Others delete some of them before their turn comes.
          tolerance: 2 * Self.deviationsByChance * (total * share * (1 - share)).squareRoot()
            + 0.05 * declared, .number, count: Int(measured))
        guard group.count == 1, own.count > 10, let first = own.first?.at, let last = own.last?.at,
          let begin = steps.first?.at, let end = steps.last?.at, end > begin, last > first
        else { continue }
        let rate = Double(steps.count - 1) / Double(end - begin) * 1e9
        add(
          "\(name), batches", declared: rate,
          measured: Double(own.count - 1) / Double(last - first) * 1e9, tolerance: 0.1 * rate,
          .rate, count: own.count)
      }
    }
  }

  /// The share of a group's changes that fell on a row of a list that was opened before.
  private mutating func addNearViews(
    of group: WritersSection, _ devices: Range<Int>, _ history: StreamHistory,
    _ workload: Workload
  ) {
    guard let share = group.nearViews else { return }
    var first: Instant?
    for client in workload.clients {
      for action in client.actions {
        guard case .observe(let query) = action.kind,
          workload.model.shape(of: workload.queries[Int(query)].kind)?.hasSubject == true
        else { continue }
        first = min(first ?? action.at, action.at)
      }
    }
    guard let first else { return }
    let changes = history.commits.filter {
      devices ~= $0.device && $0.ageRank != nil && $0.at > first.nanoseconds
    }
    let measured = Double(changes.count { $0.isNearViews }) / Double(max(1, changes.count))
    let spread = (share * (1 - share) / Double(max(1, changes.count))).squareRoot()
    add(
      "\(group.name): share near views", declared: share,
      measured: changes.count < 100 ? nil : measured,
      // Users open other lists where other things are changed: they were rehearsed without.
      tolerance: Self.deviationsByChance * spread + 0.1, .share, count: changes.count)
  }

  /// How much of what lies in a tree lies on its deepest level.
  private mutating func addDepths(of app: DeclaredApp, _ workload: Workload) {
    let catalog = workload.catalog
    var states = [UInt32?](repeating: nil, count: catalog.objects.count)
    for state in 0..<UInt32(catalog.initialCount) {
      states[Int(catalog.revisions[Int(state)].object)] = state
    }
    for (place, type) in app.model.types.enumerated() {
      guard let field = type.fields.first(where: { $0.tree != nil }), let tree = field.tree,
        let target = field.target
      else { continue }
      let link = app.model.types[target].fields[tree.link].storage
      var deepest = 0
      var count = 0
      for state in states.compactMap(\.self)
      where catalog.objects[Int(catalog.revisions[Int(state)].object)].type
        == DataModel.resourceType(ofType: place)
      {
        var depth = 0
        var next = catalog.word(field.storage, of: state)
        while next < UInt64(states.count), depth <= tree.depth, let above = states[Int(next)] {
          depth += 1
          next = catalog.word(link, of: above)
        }
        count += 1
        if depth == tree.depth { deepest += 1 }
      }
      let share = 1 / Double(tree.depth)
      let spread = (share * (1 - share) / Double(max(1, count))).squareRoot()
      add(
        "\(type.name).\(field.name): share on the deepest level", declared: share,
        measured: count < 100 ? nil : Double(deepest) / Double(count),
        tolerance: Self.deviationsByChance * spread + 0.001, .share, count: count)
    }
  }

  /// The exponents by which operations choose what they fall on.
  private mutating func addChoices(of app: DeclaredApp, _ history: StreamHistory) {
    for (place, operation) in app.model.operations.enumerated() {
      let effect = StreamHistory.Effect(operation.effect)
      let alike = app.model.operations.filter { StreamHistory.Effect($0.effect) == effect }
      // What users have opened, and a job's turn, are other choices.
      let isPreferred = app.writers.allSatisfy { group in
        (group.nearViews == nil || group.mix.isEmpty || group.mix[place] == 0)
          && !group.jobs.contains { $0.waves.contains { $0.operation == place } }
      }
      guard alike.count == 1, isPreferred else { continue }
      let own = history.commits.filter { $0.shows(effect) }
      switch operation.preference {
      case .any: continue
      case .popular(let exponent):
        // What is gone is not chosen again.
        if case .delete = operation.effect { continue }
        addExponent(
          "\(operation.name): exponent of its choice", exponent, own.map(\.object),
          among: history.mostAtOnce[operation.effect.type], ZipfEstimate.exponent(ofRepeats:among:))
      case .newest(let exponent):
        let ranks = own.compactMap(\.ageRank)
        addExponent(
          "\(operation.name): exponent of its preference for the newest", exponent, ranks,
          among: history.mostAtOnce[operation.effect.type], ZipfEstimate.exponent(ofRanks:among:))
      }
    }
  }

  // MARK: Sizes and references

  /// Compares shares below a declared quantile, which needs no more than that it is one.
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
      // Sizes are whole bytes, of which each stands for all up to the next.
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
        // Geometric; what is drawn twice is held once.
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

  /// A choice by popularity is estimated from repeats: who is popular is not known, but how often two choices
  /// are the same does not depend on that, and grows with the exponent.
  private mutating func addExponent<Choice>(
    _ name: String, _ exponent: Double, _ chosen: [Choice], among count: Int,
    _ estimate: ([Choice], Int) -> Double
  ) {
    let isEnough = chosen.count >= 300 && count >= 10
    add(
      name, declared: exponent, measured: isEnough ? estimate(chosen, count) : nil,
      tolerance: ZipfEstimate.tolerance(of: chosen.count), .number, count: chosen.count)
  }

  // MARK: What people do

  /// A suspended app is connected while its user is there: its link shows when.
  private mutating func addVisits(
    of app: DeclaredApp, _ workload: Workload, _ scenario: Scenario, seconds: Double
  ) {
    guard !scenario.faults.contains(where: { $0.kind == .partition }) else { return }
    var first = 0
    for group in app.users {
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
      // A visit that begins during another prolongs it. In a Poisson process the share of time without
      // any is e to the power of −rate · length, and by that share more visits begin than are told apart.
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
