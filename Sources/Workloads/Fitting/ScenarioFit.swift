import CacheModel

/// A scenario that resembles a recording of a library of files.
///
/// It is the inverse of drawing: what the fields of a scenario say is estimated from what happened. Nothing
/// of the recording itself is in it, neither names nor keys.
package struct ScenarioFit {
  let workload: Workload
  let library: LibraryFit
  let others: [OthersFit]
  let users: [UsersFit]
  let network: NetworkFit
  /// The end, in which nothing happens.
  let quiet: Duration
  /// By group of users; as estimated, or as later draws ask for.
  private(set) var revisits: [Double]
  /// What a draw of the scenario came to; `nil` before there was one.
  private(set) var drawn: Drawn?

  /// By group of users: the share of query reads of what the same client had asked before.
  struct Drawn {
    var seenBefore: [Double]
    var draws: Int
  }

  /// - Parameter workload: of the library of files.
  package init(_ workload: Workload) {
    precondition(workload.model == .fileLibrary, "a declared app is no library of files")
    self.workload = workload
    let last = max(
      workload.mutations.last?.at ?? .zero,
      workload.clients.compactMap { $0.actions.last?.at }.max() ?? .zero,
      workload.clients.compactMap { $0.partitions.last?.upperBound }.max() ?? .zero)
    let rest = workload.duration.wholeNanoseconds - last.nanoseconds
    let second: Int64 = 1_000_000_000
    quiet = .nanoseconds(min(max(rest, second), 3_600 * second) / second * second)
    let end = max(second, workload.duration.wholeNanoseconds - quiet.wholeNanoseconds)
    library = LibraryFit(workload)
    others = OthersFit.groups(OperationHistory(workload), workload, end: end)
    users = UsersFit.groups(workload, end: end)
    network = NetworkFit(workload, end: end)
    revisits = users.map(\.strolls.revisit.value)
  }

  /// The scenario, read back from its text.
  ///
  /// - Throws: what is wrong with it, which would be a fault of the fit.
  package func scenario() throws(ScenarioError) -> Scenario {
    try ScenarioDocument(Array(text.utf8), file: "the fitted scenario")
      .scenario(vocabulary: .unchecked)
  }

  /// Draws the scenario, and changes how often users return until the share of views seen before is the
  /// recording's: that share comes of everything else as well.
  ///
  /// - Throws: as ``scenario()``.
  package mutating func adjust() throws(ScenarioError) {
    let recorded = users.map(\.seenBefore)
    var best = (revisits, error: Double.infinity, [Double]())
    var draws = 0
    while draws < 5 {
      let shares = Self.seenBefore(
        Workload.generate(try scenario()), groups: users.map(\.clients.count))
      draws += 1
      let gaps = zip(recorded, shares).map { $0.isMeasured ? $0.value - $1 : 0 }
      let error = gaps.map(abs).max() ?? 0
      if error < best.error { best = (revisits, error, shares) }
      guard error > 0.02 else { break }
      for (group, gap) in gaps.enumerated() {
        // So much of a change of the one reaches the other.
        let slope = max(0.15, users[group].strolls.jumpShare)
        revisits[group] = min(1, max(0, revisits[group] + gap / slope))
      }
    }
    revisits = best.0
    drawn = Drawn(seenBefore: best.2, draws: draws)
  }

  private static func seenBefore(_ workload: Workload, groups: [Int]) -> [Double] {
    var first = 0
    return groups.map { count in
      var part = workload
      part.clients = Array(workload.clients[first..<first + count])
      first += count
      let summary = WorkloadSummary(of: part)
      return Double(summary.seenBefore) / Double(max(1, summary.queryReads))
    }
  }

  /// The file, UTF-8.
  package var text: String {
    var text = FittedText()
    write(into: &text)
    return text.lines.joined(separator: "\n") + "\n"
  }
}
