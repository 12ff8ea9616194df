import CacheModel
package import Workloads

/// A scenario that resembles a recording of an app with its own model.
///
/// Counts, sizes, operations and their rates are estimated directly. Users' choices, their returns and their
/// think time can only be inferred from the result of all of them: the scenario is generated and measured
/// the same way, and these parameters are adjusted until its estimates equal the recording's.
package struct AppFit {
  package var name = "fitted"
  let workload: Workload
  let types: [TypeFit]
  let lists: ShownListFit
  let commits: CommitFit
  private(set) var groups: [Group]
  let network: NetworkFit
  let end: Int64
  /// The exponent of the popularity of arguments, by shape.
  private(set) var exponents: [Double?]
  private(set) var draws = 0

  /// Users with similar behaviour.
  struct Group {
    var clients: [Int]
    var watched: [Int]
    var reaction: ClientScript.Reaction
    var pauses: PauseFit
    var redraw: Int64?
    var activities: ActivityFit
    /// The probability that a visit returns to a previous target, adjusted until as many query reads as in the
    /// recording had been asked before: how long ago is not fitted.
    var revisit = 0.2
    /// The think time of the scenario, which is shorter than the observed pauses: steps without an observable
    /// effect lie between observed ones.
    var think: Double
    var visitRate: Double
    var visitLength: Double
    /// The share of query reads that the same client had asked before.
    var seenBefore: Estimate
    /// The same share in a generated workload.
    var drawnSeenBefore: Double?
  }

  /// A recording is missing data that a fit requires.
  package struct Lack: Error, CustomStringConvertible {
    package let description: String
  }

  /// Returns the fit of a recording, adjusted to it.
  ///
  /// - Throws: ``Lack`` if no scenario resembles it, or if the estimates are invalid.
  package static func resembling(_ workload: Workload) throws(Lack) -> AppFit {
    func nothing(_ lack: String) -> Lack { Lack(description: "nothing to fit: \(lack)") }
    let hasReads = workload.clients.contains { $0.actions.contains(where: \.kind.isReadOfUser) }
    guard hasReads else { throw nothing("it has no reads; record what a user looks at") }
    var fitted = AppFit(workload)
    if let lack = fitted.lack { throw nothing(lack) }
    do {
      try fitted.adjust()
    } catch {
      throw Lack(description: "\(error)")
    }
    return fitted
  }

  package init(_ recorded: Workload) {
    let workload = recorded.completed()
    self.workload = workload
    let last = max(
      workload.mutations.last?.at ?? .zero,
      workload.clients.compactMap { $0.actions.last?.at }.max() ?? .zero)
    let second: Int64 = 1_000_000_000
    end = max(second, min(workload.duration.wholeNanoseconds, last.nanoseconds))
    let lists = ShownListFit(recorded, workload)
    self.lists = lists
    types = workload.model.types.indices.map { TypeFit($0, workload, lists) }
    commits = CommitFit(workload, end: end)
    groups = Self.groups(workload, end: end)
    network = NetworkFit(workload)
    exponents = Self.repeats(groups, workload)
  }

  private static func groups(_ workload: Workload, end: Int64) -> [Group] {
    let traits = QueryTraits(workload)
    let users = workload.clients.map { UserSteps($0, traits) }
    return alike(users, workload).prefix(100).map { clients in
      let own = clients.map { users[$0] }
      let pauses = PauseFit(own, clients.map { workload.clients[$0] }, traits, end: end)
      let activities = ActivityFit(own, workload, longest: pauses.longest)
      let share = Double(activities.seenBefore) / Double(max(1, activities.queryReads))
      return Group(
        clients: clients,
        watched: own[0].watched.map { Int(workload.queries[Int($0)].kind.rawValue) - 1 },
        reaction: workload.clients[clients[0]].reaction, pauses: pauses,
        redraw: SortedList.quantile(0.5, of: own.flatMap(\.redraws).sorted()),
        activities: activities,
        think: pauses.think.value, visitRate: pauses.visits?.rate.value ?? 0,
        visitLength: pauses.visits?.length.value ?? 0,
        seenBefore: Estimate(
          share, from: activities.queryReads, "query read", needed: 100, default: 0))
    }
  }

  /// Returns the indices of similar clients.
  private static func alike(_ users: [UserSteps], _ workload: Workload) -> [[Int]] {
    let kinds = workload.queries.map(\.kind)
    func typicalPause(_ user: UserSteps) -> Double {
      let pauses = user.steps.indices.dropFirst().map { user.pause(before: $0) }.filter { $0 > 0 }
      return Double(SortedList.quantile(0.5, of: pauses.sorted()) ?? 0)
    }
    var groups: [[Int]] = []
    for index in users.indices {
      let like = groups.firstIndex { group in
        let first = group[0]
        let (one, other) = (typicalPause(users[first]), typicalPause(users[index]))
        let (few, many) = (
          min(users[first].steps.count, users[index].steps.count),
          max(users[first].steps.count, users[index].steps.count)
        )
        return group.count < 1_000
          && workload.clients[first].reaction == workload.clients[index].reaction
          && users[first].watched.map { kinds[Int($0)] }
            == users[index].watched.map { kinds[Int($0)] }
          && users[first].redraws.isEmpty == users[index].redraws.isEmpty
          && max(one, other) <= 1.5 * min(one, other) && many <= 2 * few + 20
      }
      if let like { groups[like].append(index) } else { groups.append([index]) }
    }
    return groups
  }

  /// Returns by shape the exponent for which independent choices would repeat equally often.
  private static func repeats(_ groups: [Group], _ workload: Workload) -> [Double?] {
    workload.model.shapes.indices.map { place in
      guard let type = workload.model.shapes[place].subjectType,
        !workload.model.shapes[place].isAboutMe
      else { return nil }
      let count = workload.catalog.revisions.prefix(workload.catalog.initialCount).count {
        workload.catalog.objects[Int($0.object)].type == DataModel.resourceType(ofType: type)
      }
      let chosen = groups.flatMap { $0.activities.subjects[place] }
      guard chosen.count >= 100, count >= 10 else { return nil }
      return ZipfEstimate.exponent(ofRepeats: chosen, among: count)
    }
  }

  /// The missing data of the recording, and what to record; `nil` if it is sufficient.
  package var lack: String? {
    if types.allSatisfy({ $0.count == 0 }), !commits.operations.contains(where: { !$0.isChange }) {
      return "it tells of no entity; write `state` lines for what there is at the beginning"
    }
    if groups.allSatisfy({ $0.activities.begun == 0 && $0.watched.isEmpty }) {
      return "it has no view; write `observe` and `unobserve` for what is on screen"
    }
    return nil
  }

  /// Parses the scenario from its text.
  ///
  /// - Throws: an error in the text, which would be a defect of the fit.
  package func scenario() throws(ScenarioError) -> Scenario {
    try ScenarioDocument(Array(text.utf8), file: "the fitted scenario")
      .scenario(vocabulary: .unchecked)
  }

  private static let mostDraws = 6

  /// Generates the scenario, and adjusts exponents and returns until they match the recording.
  package mutating func adjust() throws(ScenarioError) {
    let wanted = Self.repeats(groups, workload)
    var fit = self
    var least = Double.infinity
    for _ in 0..<Self.mostDraws {
      let drawn = AppFit(Workload.generate(try fit.scenario()))
      fit.draws += 1
      var error = 0.0
      var next = fit
      for (place, exponent) in Self.repeats(drawn.groups, drawn.workload).enumerated() {
        guard let wanted = wanted[place], let exponent, let own = fit.exponents[place] else {
          continue
        }
        error = max(error, abs(wanted - exponent))
        next.exponents[place] = min(max(own + 0.8 * (wanted - exponent), 0.01), 4)
      }
      if drawn.groups.count == groups.count {
        for group in groups.indices {
          fit.groups[group].drawnSeenBefore = drawn.groups[group].seenBefore.value
          error = max(error, next.groups[group].approach(groups[group], from: drawn.groups[group]))
        }
      }
      if error < least {
        least = error
        self = fit
      }
      next.draws = fit.draws
      draws = fit.draws
      if error < 0.02 { return }
      fit = next
    }
  }
}

extension AppFit.Group {
  /// Adjusts the parameters towards the recorded estimates.
  fileprivate mutating func approach(_ recorded: Self, from drawn: Self) -> Double {
    var error = 0.0
    func scale(_ value: inout Double, _ recorded: Estimate?, _ drawn: Estimate?) {
      guard let recorded, let drawn, recorded.isMeasured, drawn.isMeasured, drawn.value > 0 else {
        return
      }
      let ratio = recorded.value / drawn.value
      error = max(error, abs(ratio - 1) / 2)
      value *= min(max(ratio, 0.3), 3)
    }
    scale(&think, recorded.pauses.think, drawn.pauses.think)
    scale(&visitRate, recorded.pauses.visits?.rate, drawn.pauses.visits?.rate)
    scale(&visitLength, recorded.pauses.visits?.length, drawn.pauses.visits?.length)
    guard recorded.seenBefore.isMeasured else { return error }
    let gap = recorded.seenBefore.value - drawn.seenBefore.value
    revisit = min(max(revisit + 1.5 * gap, 0), 1)
    return max(error, abs(gap))
  }
}
