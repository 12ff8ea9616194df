extension Collection {
  /// Each value of a part of the elements once, in the order of its first element: the order in which
  /// reports list scenarios, policies and classes.
  package func distinct<Part: Hashable>(_ part: (Element) -> Part) -> [Part] {
    var seen: Set<Part> = []
    return map(part).filter { seen.insert($0).inserted }
  }
}
