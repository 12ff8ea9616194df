extension Collection where Element == ResultRow {
  /// Each value of a part of the rows once, in the order of its first row: the order in which
  /// reports list scenarios, policies and classes.
  package func distinct<Part: Hashable>(_ part: (ResultRow) -> Part) -> [Part] {
    var seen: Set<Part> = []
    return map(part).filter { seen.insert($0).inserted }
  }
}
