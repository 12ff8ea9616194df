import Analysis
import CacheModel
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

/// What is chosen among the best settings, and judged on other seeds or users.
extension RecommendSearch {
  func choice(among finalists: [Proposal]) async throws -> RecommendOutcome.Choice {
    var study = try self.study(finalists, offset: 1, of: searched)
    let verdict = try await study.select(
      rule, among: study.distinct, plan: searched.plan(Self.plan))
    try study.failures.throwIfAny()
    let scores = study.scores(of: study.distinct, by: rule)
    let nearest = zip(study.distinct, scores).max {
      ($0.1 ?? -.infinity) < ($1.1 ?? -.infinity)
    }
    // With one seed, possibly none meets the limits.
    guard
      let name = BestLine(verdict: verdict, trials: finalists.count).setting
        ?? nearest.flatMap({ $0.1 == nil ? nil : study.labels[$0.0] }),
      let place = study.labels.firstIndex(of: name)
    else {
      throw CommandFailure(
        .data,
        "\(input.name): no policy has the figures of its goal, \(rule.objective.name): nothing is recommended"
      )
    }
    var recorded: RecordedVerdict?
    if let otherRule {
      let other = try await study.select(
        otherRule, among: study.distinct, plan: searched.plan(Self.plan))
      recorded = RecordedVerdict(
        ifStale: verdict, ifFresh: other, scenario: input.name, rows: study.means(of: 0))
    }
    return RecommendOutcome.Choice(
      proposal: finalists[place], finalists: finalists, verdict: verdict, recorded: recorded)
  }

  /// The results of the choice as it is, with less memory, with more, and without a limit.
  func curve(of proposal: Proposal, within memory: Int) async throws -> MemoryCurve {
    let sizes = MemoryCurve.levels.map { Proposal.inFewDigits(memory * $0 / 16) }
    let levels = sizes.map { Optional($0) } + [nil]
    let all = try await samples(
      of: levels.map { proposal.held(toMemory: $0) } + [proposal], on: searched, offset: 1,
      seeds: Self.seedsOfCurve)
    var curve = MemoryCurve(of: rules.map(\.objective), rule.direction)
    for (level, sample) in zip(levels, all) {
      curve.add(sample, memory: level ?? Circumstance.unlimited)
    }
    curve.own = all.last.flatMap { curve.point($0, memory: memory) }
    return curve
  }

  /// The least of a few larger sizes than --memory in which the nearest keeps the limits.
  func enoughMemory(for choice: RecommendOutcome.Choice) async throws -> Int? {
    guard let memory, choice.isOverLimits,
      let over = choice.broken.first(where: { $0.constraint == .withinLimits })?.value
    else { return nil }
    // What cannot be evicted depends on what was fetched, so that the next size need not be enough.
    let sizes = [1.0, 2, 4, 8].map { Proposal.inFewDigits(atLeast: Double(memory) * over * $0) }
    let all = try await samples(
      of: sizes.map { choice.proposal.held(toMemory: $0) }, on: searched, offset: 1,
      seeds: Self.plan.common)
    let goal = otherRule ?? rule
    return zip(sizes, all).first { _, sample in !goal.isBroken(by: sample) }?.0
  }

  /// The same in the least memory that gives away half of what is too little to choose by.
  func lowered(
    _ proposal: Proposal, by curve: MemoryCurve, within memory: Int
  ) throws -> Proposal {
    guard let own = curve.own,
      let least = curve.least(
        within: rule.zone.width(best: curve.means(own.values)[0]) / 2, of: own.values),
      least < memory
    else { return proposal }
    return try proposal.held(toMemory: least).inFewestWords(in: input.file)
  }

  /// The chosen one without the fields that are worth nothing: each is set to what it is in the app, first alone, then
  /// together with the others of which that costs nothing.
  ///
  /// - Returns: What is left, and what each of its fields is worth.
  func fewestChanges(
    _ choice: RecommendOutcome.Choice, within memory: Int?
  ) async throws -> (Proposal, [Proposal.Field: RecommendOutcome.Judged]) {
    var kept = choice.proposal
    func judgements(_ others: [Proposal]) async throws -> [RecommendOutcome.Judged] {
      let all = try await samples(
        of: [kept] + others, on: searched, offset: 1, seeds: choice.verdict.seeds)
      return zip(others, all.dropFirst()).map { other, theirs in
        judged(
          all[0], theirs, reference: other, leastLead: Self.leastOfField, memoryAllowed: memory)
      }
    }
    while true {
      var others = kept.fields.indices.map(kept.without)
      if client == nil, kept.policy != reference.policy {
        others.append(Proposal(policy: reference.policy, fields: kept.fields))
      }
      let alone = try await judgements(try others.map { try $0.inFewestWords(in: input.file) })
      let idle = alone.indices.filter { !alone[$0].isWorthIt }.sorted {
        (alone[$0].leads.first?.mean ?? 0, $0) < (alone[$1].leads.first?.mean ?? 0, $1)
      }
      guard !idle.isEmpty else {
        return (kept, Dictionary(zip(kept.fields, alone)) { one, _ in one })
      }
      let whole = kept
      let together = try (1...idle.count).map { count in
        let places = idle.prefix(count)
        var other = whole
        other.fields = whole.fields.indices.filter { !places.contains($0) }.map { whole.fields[$0] }
        if places.contains(whole.fields.count) { other.policy = reference.policy }
        return try other.inFewestWords(in: input.file)
      }
      let judged = try await judgements(together)
      // The first alone costs nothing.
      kept = together[judged.lastIndex { !$0.isWorthIt } ?? 0]
    }
  }

  /// Returns the choices with other users or memory.
  func circumstances(
    _ finalists: [Proposal], _ choice: RecommendOutcome.Choice, _ memory: Int?
  ) async throws -> [String] {
    var asked: [(label: String, input: SimulationInput, proposals: [Proposal])] = []
    let input = searched
    if input.isDrawn {
      var waiting = input
      waiting.file.scenario = input.file.scenario.withWaitingUsers
      asked.append(("users who wait", waiting, finalists))
    } else if reads != nil {
      // Recorders and imports usually assume how long a view was open.
      for (label, time) in [("views of 0 s", Duration.zero), ("views of 5 min", .seconds(300))] {
        asked.append((label, input.withViews(lasting: time), finalists))
      }
    }
    for bytes in memory.map({ [$0 / 2, $0 * 2] }) ?? [] {
      let size = Proposal.inFewDigits(bytes)
      asked.append(
        (
          "\(Proposal.sizeInWords(size)) of memory", input,
          finalists.map { $0.held(toMemory: size) }
        ))
    }
    // What is best but not worth a change stays so.
    let same =
      [choice.proposal.policy]
      + (choice.recorded?.best ?? []).compactMap { label in
        finalists.first { $0.label == label }?.policy
      }
    var answers: [String] = []
    for (label, input, proposals) in asked {
      var study = try self.study(proposals, offset: 1, of: input)
      let plan = input.plan(.fixed(Self.seedsOfCurve))
      let verdict = try await study.select(rule, among: study.distinct, plan: plan)
      var named = verdict.named
      if let otherRule {
        // The best policy must be best in both cases of a recording's unknown hits.
        let other = try await study.select(otherRule, among: study.distinct, plan: plan).named
        named.removeAll { !other.contains($0) }
      }
      try study.failures.throwIfAny()
      let names = named.compactMap { study.labels.firstIndex(of: $0) }.map { finalists[$0].policy }
      let answer =
        if names.contains(where: same.contains) {
          "the same policy"
        } else if case .noneFeasible = verdict.outcome {
          "nothing that was tried keeps the limits"
        } else {
          names.isEmpty ? "not decided" : names.distinct(\.self).sorted().joined(separator: " or ")
        }
      answers.append("\(label): \(answer)")
    }
    return answers
  }

  // MARK: Judgement

  func judgement(of proposal: Proposal) async throws -> RecommendOutcome.Judged {
    let all = [proposal, reference].distinct(\.self)
    let samples = try await samples(
      of: all, on: judging, offset: 2, seeds: Self.seedsOfJudgement)
    if !input.isDrawn,
      let lost = rules.flatMap(\.requiredFigures).first(where: { figure in
        samples.contains { $0.complete(figure) == nil }
      })
    {
      throw CommandFailure(
        .data,
        "\(input.name): a user who judges has no \(lost.name); leave recordings without reads out")
    }
    return judged(
      samples[0], samples.count > 1 ? samples[1] : nil, reference: reference,
      leastLead: RecommendOutcome.Judged.usualLead, memoryAllowed: memory)
  }

  func judged(
    _ own: ObservedSample, _ theirs: ObservedSample?, reference: Proposal, leastLead: Double,
    memoryAllowed: Int?
  ) -> RecommendOutcome.Judged {
    RecommendOutcome.Judged(
      reference: reference, replicate: isSplit ? .user : input.plan(Self.plan).replicate,
      own: own, theirs: theirs, isNow: now != nil || client != nil, weighsMemory: client == nil,
      memoryAllowed: memoryAllowed, rules: rules, leastLead: leastLead)
  }
}
