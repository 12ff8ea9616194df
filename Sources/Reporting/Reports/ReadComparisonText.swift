package import Analysis
import ResultModel

/// Two runs compared read by read, for a terminal.
package enum ReadComparisonText {
  /// Returns the number of reads with each pair of outcomes, and the first differing reads.
  package static func text(
    _ comparison: ReadComparison, names: (first: String, second: String), shown: Int,
    style: TextStyle
  ) -> String {
    let differ = comparison.differing.count
    var text =
      "\(count(comparison.inBoth)) reads in both: \(count(comparison.inBoth - differ)) the same, "
      + "\(count(differ)) not\n"
    let (first, second) = comparison.waited
    for (name, alone, waitedLess) in [
      (names.first, comparison.onlyInFirst, first < second),
      (names.second, comparison.onlyInSecond, second < first),
    ] where alone > 0 {
      text += "\(count(alone)) more in \(name) alone"
      text += waitedLess ? ", whose users waited less\n" : "\n"
    }
    guard differ > 0 else { return text }
    text += "\n" + changes(comparison, names).terminal(style: style, indent: 2)
    let listed = comparison.differing.prefix(shown)
    guard !listed.isEmpty else { return text }
    text += "\n" + style.paint("the first \(count(listed.count)) that differ", .strong) + "\n"
    return text + reads(listed, names).terminal(style: style, indent: 2)
  }

  private static func count(_ number: Int) -> String { HumanNumber.count(Double(number)) }

  private static func changes(
    _ comparison: ReadComparison, _ names: (first: String, second: String)
  ) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column(names.first), TextTable.Column(names.second),
      TextTable.Column("reads", .right),
    ])
    for change in comparison.changes {
      table.append([change.first.name, change.second.name, count(change.reads)])
    }
    return table
  }

  private static func reads(
    _ pairs: ArraySlice<ReadComparison.Pair>, _ names: (first: String, second: String)
  ) -> TextTable {
    let isOneRun = pairs.allSatisfy {
      $0.first.scenario == pairs.first?.first.scenario && $0.first.seed == pairs.first?.first.seed
    }
    var table = TextTable(columns: [
      TextTable.Column("run"), TextTable.Column("at", .right), TextTable.Column("client"),
      TextTable.Column("read"), TextTable.Column(names.first), TextTable.Column(names.second),
    ])
    for pair in pairs {
      table.append([
        isOneRun ? "" : "\(pair.first.scenario) \(pair.first.seed)",
        HumanNumber.duration(nanoseconds: Double(pair.first.at)), pair.first.client,
        pair.first.read, ending(of: pair.first), ending(of: pair.second),
      ])
    }
    return table.withoutEmptyColumns()
  }

  /// The outcome, as in the file unless a page names it, and of what was served wrong how: `hit_stale, row 3 older
  /// by 12.0 s`.
  static func ending(of read: ReadLine, named name: String? = nil) -> String {
    var text = name ?? read.outcome.name
    if let difference = read.difference { text += ", row \(difference.row) \(difference.word)" }
    if let age = read.age { text += ", for \(HumanNumber.duration(nanoseconds: Double(age)))" }
    return text
  }
}
