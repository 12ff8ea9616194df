import CacheModel
import Text
import Workloads

/// Jobs, changes near views, and the depth of trees.
extension StreamCheck {
  /// Adds the number of entities in each wave of a group's jobs, and the rate of batches.
  mutating func addJobs(
    of group: WritersSection, _ scenario: Scenario, _ commits: [StreamHistory.Commit]
  ) {
    let operations = group.jobs.flatMap { job in
      [job.operation] + job.waves.map(\.operation)
    }
    for (number, job) in group.jobs.enumerated() {
      let type = scenario.model.types[scenario.model.operations[job.operation].effect.type]
      let plan = WriterJob(job, by: 0, of: type, random: RandomSource(seed: 0))
        .steps(before: scenario.activeDuration.wholeNanoseconds)
      for (place, operation) in operations.enumerated()
      where operations.firstIndex(of: operation) == place {
        let waves = [job.operation] + job.waves.map(\.operation)
        guard let wave = waves.firstIndex(of: operation),
          operations.count(where: { $0 == operation }) == 1
        else { continue }
        let effect = StreamHistory.Effect(scenario.model.operations[operation].effect)
        let own = commits.filter { $0.counts[effect] != nil }
        let steps = plan.filter { $0.step.wave == wave }
        let share =
          wave == 0 ? 1 : job.waves[wave - 1].when.map { type.fields[$0].share } ?? 1
        let devices = Double(group.count)
        let declared = Double(steps.reduce(0) { $0 + $1.step.count }) * devices
        let measured = Double(own.reduce(0) { $0 + ($1.counts[effect] ?? 0) })
        let name =
          "\(group.name): \(scenario.model.operations[operation].name) in job \(number + 1)"
        let total = share > 0 ? declared / share : 0
        add(
          "\(name), entities", declared: declared, measured: measured,
          // Others delete some of them before the job reaches them.
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

  /// Adds the share of a group's changes in rows of lists that were opened before.
  mutating func addNearViews(
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
      devices ~= $0.device && $0.ageRank != nil && $0.at > first.nanoseconds && $0.canBeElsewhere
    }
    let measured = Double(changes.count { $0.isNearViews }) / Double(max(1, changes.count))
    let spread = (share * (1 - share) / Double(max(1, changes.count))).squareRoot()
    add(
      "\(group.name): share near views", declared: share,
      measured: changes.count < 100 ? nil : measured,
      // Users open other lists if other entities change: the rehearsal was without these changes.
      tolerance: Self.deviationsByChance * spread + 0.1, .share, count: changes.count)
  }

  /// Adds the share of entities on the deepest level of trees.
  mutating func addDepths(of model: DataModel, _ workload: Workload) {
    let catalog = workload.catalog
    var states = [UInt32?](repeating: nil, count: catalog.objects.count)
    for state in 0..<UInt32(catalog.initialCount) {
      states[Int(catalog.revisions[Int(state)].object)] = state
    }
    for (place, type) in model.types.enumerated() {
      guard let field = type.fields.first(where: { $0.tree != nil }), let tree = field.tree,
        let target = field.target
      else { continue }
      let link = model.types[target].fields[tree.link].slot
      var deepest = 0
      var count = 0
      for state in states.compactMap(\.self)
      where catalog.objects[Int(catalog.revisions[Int(state)].object)].type
        == DataModel.resourceType(ofType: place)
      {
        var depth = 0
        var next = catalog.word(field.slot, of: state)
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
}
