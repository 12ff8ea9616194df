/// Shares of what is chosen, where not everything may be chosen each time.
enum ChoiceFit {
  /// One choice among a few: which were possible, and which was taken.
  struct Choice {
    var possible: [Bool]
    var taken: Int
  }

  /// The shares, adding up to one, of highest likelihood, where what is impossible leaves its share to the
  /// others.
  ///
  /// Source of the iteration: Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
  /// Statistics 32(1), 2004.
  static func shares(of choices: [Choice], among count: Int) -> [Double] {
    var shares = [Double](repeating: 1 / Double(count), count: count)
    guard !choices.isEmpty else { return shares }
    for _ in 0..<40 {
      var taken = [Double](repeating: 0, count: count)
      var offered = [Double](repeating: 0, count: count)
      for choice in choices {
        taken[choice.taken] += 1
        var total = 0.0
        for option in 0..<count where choice.possible[option] { total += shares[option] }
        guard total > 0 else { continue }
        for option in 0..<count where choice.possible[option] { offered[option] += 1 / total }
      }
      for option in 0..<count {
        shares[option] = offered[option] > 0 ? taken[option] / offered[option] : 0
      }
      let sum = shares.reduce(0, +)
      for option in 0..<count { shares[option] /= sum }
    }
    return shares
  }

  /// One choice among many, by number, and the few that were not possible.
  struct Pick {
    var taken: Int
    var excluded: [Int]
  }

  /// How often two independent choices would be the same: the sum of squared shares, without the bias of
  /// counting so few of so many.
  static func sumOfSquares(of picks: [Pick], among count: Int) -> Double? {
    guard picks.count > 1 else { return nil }
    let total = Double(picks.count)
    var shares = [Double](repeating: 0, count: count)
    for pick in picks { shares[pick.taken] += 1 / total }
    for _ in 0..<20 where picks.contains(where: { !$0.excluded.isEmpty }) {
      var all = 0.0
      var missed = [Double](repeating: 0, count: count)
      var taken = [Double](repeating: 0, count: count)
      for pick in picks {
        let rest = 1 / max(1e-6, 1 - pick.excluded.reduce(0) { $0 + shares[$1] })
        all += rest
        for option in pick.excluded { missed[option] += rest }
        taken[pick.taken] += 1
      }
      for option in 0..<count where taken[option] > 0 {
        shares[option] = taken[option] / max(1e-6, all - missed[option])
      }
      let sum = shares.reduce(0, +)
      for option in 0..<count { shares[option] /= sum }
    }
    let squares = shares.reduce(0) { $0 + $1 * $1 }
    return (total * squares - 1) / (total - 1)
  }
}
