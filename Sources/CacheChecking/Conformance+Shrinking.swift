package import CacheSimulation

extension Conformance {
  /// Makes a case that fails shorter: fewer steps, and the same wrong answer in its place.
  ///
  /// A rule that is broken is broken after any steps. A wrong answer is one to what the server did and
  /// told: of its case, only what the user did besides is left out.
  ///
  /// - Parameters:
  ///   - result: what came of the case.
  ///   - trials: how many processes may be started.
  ///   - isTimeLeft: whether another may be.
  ///   - start: begins one.
  /// - Returns: the shorter case and what came of it; or the same.
  package func shrunk(
    _ result: ConformanceResult, trials: Int, while isTimeLeft: () -> Bool,
    _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> ConformanceResult {
    let test = result.test
    guard !test.isRepeated, !result.turns.isEmpty else { return result }
    let wrong = result.findings.first { $0.verdict == .fail }
    var found = result
    func shows(_ test: ConformanceCase) -> Bool {
      let other = run(test, start)
      let isSame =
        result.fault != nil
        ? other.fault?.kind == result.fault?.kind
        : other.findings.first { $0.verdict == .fail }.map { $0.isAlike(wrong) } ?? false
      if isSame { found = other }
      return isSame
    }
    let places = test.steps.indices.filter { result.fault != nil || test.steps[$0].isUsers }
    var reduction = StepReduction(trials: trials)
    _ = reduction.reduce(places.count, while: isTimeLeft) { kept in
      let left = Set(kept.map { places[$0] })
      var fewer = test
      fewer.steps = test.steps.indices.filter { left.contains($0) || !places.contains($0) }
        .map { test.steps[$0] }
      return shows(fewer)
    }
    return found
  }
}

extension ConformanceResult.Finding {
  /// Whether another says the same of another turn.
  fileprivate func isAlike(_ other: Self?) -> Bool {
    guard let other else { return false }
    return asked == other.asked && right == other.right && came == other.came
  }
}

extension ConformanceStep {
  /// Whether what is right later does not depend on it.
  fileprivate var isUsers: Bool {
    switch self {
    case .read, .observe, .unobserve, .tag, .open, .told, .underWay: true
    default: false
    }
  }
}
