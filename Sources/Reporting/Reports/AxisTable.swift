package import Analysis

/// What each choice instead of `lru`'s own is worth: one line per scenario, in points of fresh reads.
package enum AxisTable {
  package static let legend =
    "points of fresh reads more than lru's, of lru with one choice changed, over common seeds"

  package static func table(_ effects: [AxisEffect]) -> TextTable {
    let changes = effects.map(\.change).reduce(into: [String]()) { changes, change in
      if !changes.contains(change) { changes.append(change) }
    }
    var table = TextTable(
      columns: [TextTable.Column("scenario")] + changes.map { TextTable.Column($0, .right) })
    let scenarios = effects.map(\.scenario).reduce(into: [String]()) { scenarios, scenario in
      if scenarios.last != scenario { scenarios.append(scenario) }
    }
    for scenario in scenarios {
      let own = effects.filter { $0.scenario == scenario }
      table.append(
        [scenario]
          + changes.map { change in
            own.first { $0.change == change }?.difference.map(text) ?? "–"
          })
    }
    return table
  }

  private static func text(_ difference: PairedInterval) -> String {
    let sign = difference.mean > 0 ? "+" : ""
    return sign + HumanNumber.points(difference.mean) + " ± "
      + HumanNumber.points(difference.halfWidth)
  }
}
