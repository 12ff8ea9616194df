/// Whom to name, and beside whom.
extension Selection {
  /// The winner beside who was dropped last, of several the nearest.
  func recommendation(of winner: ObservedContender) -> Recommendation {
    let behind = contenders.filter { $0.fate == .behind }
    let last = behind.map(\.sample.seedCount).max()
    let leads = behind.filter { $0.sample.seedCount == last }
      .compactMap { other in lead(of: winner, over: other).map { (other.name, $0) } }
    let nearest = leads.min { $0.1.mean < $1.1.mean }
    return Recommendation(contender: winner.name, runnerUp: nearest?.0, lead: nearest?.1)
  }

  /// Sets aside, figure by figure, who has more of it than the least; what is never set aside is preferred.
  ///
  /// Of two contenders this names by the first figure that tells them apart.
  func equivalence(of equivalent: [ObservedContender]) -> Equivalence {
    var preferred = equivalent
    var separations: [Equivalence.Separation] = []
    for figure in Goal.preferences where preferred.count > 1 {
      let apart = separated(preferred, by: figure)
      preferred.removeAll { contender in apart.contains { $0.contender == contender.name } }
      separations += apart
    }
    let names = preferred.map(\.name)
    return Equivalence(
      contenders: names + equivalent.map(\.name).filter { !names.contains($0) },
      preferred: names, separations: separations)
  }

  /// Who has more of a figure than the least of them: beyond doubt, and by a share that matters.
  ///
  /// None where one of them lacks the figure: it tells nothing of that one.
  private func separated(
    _ contenders: [ObservedContender], by figure: Figure
  ) -> [Equivalence.Separation] {
    guard contenders.allSatisfy({ $0.sample.complete(figure) != nil }),
      let least = contenders.min(by: { $0.mean(figure) < $1.mean(figure) })
    else { return [] }
    let reference = least.mean(figure)
    return contenders.compactMap { contender in
      guard
        let excess = PairedInterval(
          of: contender.values(figure), less: least.values(figure), level: level),
        excess.low > 0, excess.mean >= Goal.smallestPreference * abs(reference)
      else { return nil }
      return Equivalence.Separation(
        contender: contender.name, figure: figure, reference: least.name, excess: excess,
        share: excess.mean / abs(reference))
    }
  }
}
