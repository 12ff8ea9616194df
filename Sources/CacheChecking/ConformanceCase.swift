package import CacheModel
package import CacheSimulation

/// A short script with a stable address, and what is right in it.
package struct ConformanceCase: Sendable {
  /// The group and the place in it, as `gaps/3`.
  package var address: String
  package var title: String
  package var capacity = Capacity(entities: nil)
  /// Whether each line that it is told has a member more than the protocol says.
  package var hasUnknownMembers = false
  /// What the cache has to take part in; without it there is nothing to ask.
  package var needs: [CacheFeature] = []
  /// Whether it is run again, in another process, and must do the same.
  package var isRepeated = false
  /// What rows that are not right break.
  var rule = ConformanceRule.servesRows
  var steps: [ConformanceStep]

  /// Whether it is about views.
  var asksWhatViewsAreTold: Bool {
    steps.contains { if case .told = $0 { true } else { false } }
  }
}

/// Cases about one thing, in the order in which they ask more and more.
package struct ConformanceGroup: Sendable {
  package var name: String
  package var title: String
  package var cases: [ConformanceCase]

  /// Gives each case its address, and the rule that its rows are about.
  init(
    _ name: String, _ title: String, rule: ConformanceRule = .servesRows, _ cases: [Row]
  ) {
    self.name = name
    self.title = title
    self.cases = cases.enumerated().map { index, row in
      var test = row.test
      test.address = "\(name)/\(index + 1)"
      test.rule = rule
      return test
    }
  }

  struct Row: Sendable {
    var test: ConformanceCase

    init(
      _ title: String, entities: Int? = nil, unknownMembers: Bool = false, repeated: Bool = false,
      needs: [CacheFeature] = [], _ steps: [ConformanceStep]
    ) {
      test = ConformanceCase(
        address: "", title: title, capacity: Capacity(entities: entities),
        hasUnknownMembers: unknownMembers, needs: needs, isRepeated: repeated, steps: steps)
    }
  }

  /// All that there are.
  ///
  /// Summaries have no words in version 1.
  package static let all = [
    start, reads, requests, events, observers, reorder, gaps, offline, capacity, time, `repeat`,
    writes, relaunch, given,
  ]
}
