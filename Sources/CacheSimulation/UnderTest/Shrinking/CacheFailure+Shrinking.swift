import CacheModel

extension CacheFailure {
  /// Looks for the fewest turns that make a process break the same rule.
  ///
  /// First the last few turns alone are told, then twice as many, and so on; then parts of these are left
  /// out. Each trial is a process of its own.
  ///
  /// - Parameters:
  ///   - trials: how many processes may be started.
  ///   - isTimeLeft: whether another may be.
  ///   - start: begins one.
  /// - Returns: `nil` where no turn was told, or where the rule is not broken another time.
  package func shrunk(
    trials: Int, while isTimeLeft: () -> Bool,
    _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> ShrunkFault? {
    guard let told, !told.steps.isEmpty else { return nil }
    var reduction = StepReduction(trials: trials)
    var found: ShrunkFault?
    func shows(_ places: [Int]) -> Bool {
      guard let (recorder, other) = told.tell(places, start), other.kind == fault.kind else {
        return false
      }
      found = ShrunkFault(launch: told.launch, turns: recorder.turns, fault: other)
      return true
    }
    let count = told.steps.count
    var length = 1
    while length < count, !shows(Array(count - length..<count)) { length *= 2 }
    let first = max(0, count - length)
    guard found != nil || shows(Array(0..<count)) else { return nil }
    _ = reduction.reduce(count - first, while: isTimeLeft) { shows($0.map { first + $0 }) }
    return found
  }
}
