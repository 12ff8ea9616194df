/// Selects whom to ship among contenders that meet the same seeds, with no more seeds than it takes.
///
/// A state machine: ``demand`` says which seeds of which contenders it wants next, ``record(_:)`` takes
/// them, and in the end ``verdict`` is there. It looks only at the ends of its plan's steps; between them
/// nothing is decided, since each look is another chance to be wrong.
///
/// It drops who is worse beyond doubt and stops when the rest is equal for all that matters (indifference
/// zone selection after Kim and Nelson, "A fully sequential procedure for indifference-zone selection in
/// simulation", ACM TOMACS 11, 2001, with few looks and Bonferroni's level instead of their boundary, so
/// that each decision is an interval that a reader can check).
package struct Selection: Sendable {
  /// The runs that a selection wants to see next.
  package struct Demand: Hashable, Sendable {
    /// Who is left, in the order given.
    package let contenders: [String]
    /// Numbers of common seeds.
    package let seeds: Range<Int>
  }

  package let rule: Goal
  package let plan: SeedPlan
  /// `nil` until it is decided.
  package internal(set) var verdict: ShipVerdict?
  var contenders: [ObservedContender]
  /// The place in the plan of the look that is next.
  private var nextLook = 0
  /// Who competed at the first look, which sets the level; who lacks figures then is not counted.
  private var contenderCount: Int?

  /// - Parameters:
  ///   - rule: What the scenario asks for.
  ///   - contenders: Distinct names.
  ///   - memoryUnknown: Those of them whose memory cannot be seen: the limits of the cache do not bind them,
  ///     and the verdict says so.
  ///   - plan: When to look.
  package init(
    rule: Goal, contenders: [String], memoryUnknown: Set<String> = [],
    plan: SeedPlan = .automatic
  ) {
    precondition(Set(contenders).count == contenders.count, "a contender has a name of its own")
    self.rule = rule
    self.plan = plan
    self.contenders = contenders.map {
      ObservedContender(name: $0, isMemoryUnknown: memoryUnknown.contains($0))
    }
    if contenders.isEmpty { verdict = verdict(.nobody) }
  }

  /// What to run next; `nil` once there is a verdict.
  package var demand: Demand? {
    guard verdict == nil else { return nil }
    return Demand(contenders: left.map(\.name), seeds: seedsSeen..<plan.looks[nextLook])
  }

  /// The common seeds behind the last look.
  var seedsSeen: Int { nextLook == 0 ? 0 : plan.looks[nextLook - 1] }

  /// The level of the intervals between contenders.
  var level: Double { plan.level(contenders: contenderCount ?? contenders.count) }

  var isLastLook: Bool { nextLook == plan.looks.count }

  /// Takes what was demanded, in any order of contenders, and looks.
  ///
  /// - Precondition: one sample for each contender of ``demand``, of exactly its seeds.
  package mutating func record(_ samples: [ObservedSample]) {
    guard let demand else { preconditionFailure("the selection has its verdict") }
    precondition(
      samples.count == demand.contenders.count
        && samples.allSatisfy { $0.seedCount == demand.seeds.count },
      "seeds \(demand.seeds) of \(demand.contenders) were wanted")
    for index in contenders.indices where contenders[index].isLeft {
      let name = contenders[index].name
      guard let own = samples.first(where: { $0.contender == name }) else {
        preconditionFailure("seeds \(demand.seeds) of \(name) were wanted")
      }
      contenders[index].take(own, requiring: rule)
    }
    nextLook += 1
    contenderCount = contenderCount ?? left.count
    verdict = look().map(verdict)
  }

  /// Ends the selection where the caller has no time for more; without effect once it is decided.
  ///
  /// The state of the last look is what is reported: seeds beyond it have not been looked at.
  package mutating func stop() {
    if verdict == nil { verdict = verdict(.notDecided(indecision(.stopped))) }
  }

  /// Who is left, in the order given.
  var left: [ObservedContender] { contenders.filter(\.isLeft) }

  private func verdict(_ outcome: ShipVerdict.Outcome) -> ShipVerdict {
    ShipVerdict(
      outcome: outcome, rule: rule, seeds: seedsSeen, level: level,
      standings: contenders.map { $0.standing(by: rule) })
  }

  /// The verdict of a selection that is run to its end.
  ///
  /// - Parameters:
  ///   - rule: What the scenario asks for.
  ///   - contenders: Distinct names.
  ///   - memoryUnknown: Those of them whose memory cannot be seen.
  ///   - plan: When to look.
  ///   - run: Runs what is demanded; `nil` stops the selection.
  /// - Returns: The verdict.
  package static func verdict(
    by rule: Goal, among contenders: [String], memoryUnknown: Set<String> = [],
    plan: SeedPlan = .automatic, run: (Demand) throws -> [ObservedSample]?
  ) rethrows -> ShipVerdict {
    var selection = Selection(
      rule: rule, contenders: contenders, memoryUnknown: memoryUnknown, plan: plan)
    while let demand = selection.demand {
      if let samples = try run(demand) { selection.record(samples) } else { selection.stop() }
    }
    guard let verdict = selection.verdict else {
      preconditionFailure("a selection that demands nothing has a verdict")
    }
    return verdict
  }
}
