import Workloads

/// A few sentences on one subject.
struct ExplanationSection: Sendable {
  var title: String
  var lines: [String]

  init(_ title: String, _ lines: [String]) {
    self.title = title
    self.lines = lines
  }

  /// Every value of a scenario, those that were not written included, in sentences.
  static func declared(in scenario: Scenario) -> [Self] {
    let link = LinkWords(scenario)
    let cache = CacheWords(scenario)
    let sections =
      [Self(scenario.name, [scenario.summary] + time(of: scenario))] + data(of: scenario) + [
        Self("what the network does", link.network), Self("what breaks", link.faults),
        Self("what the server keeps", link.server), Self("what the caches share", cache.shared),
        Self("what is compared", cache.policies), Self("what is sought", cache.aims),
      ]
    return sections.filter { !$0.lines.isEmpty }
  }

  private static func time(of scenario: Scenario) -> [String] {
    [
      "\(Words.duration(scenario.duration)), of which the first \(Words.share(scenario.warmUp)) is not "
        + "counted, while caches fill, and in the last \(Words.duration(scenario.drain)) nothing "
        + "changes. The seed is \(scenario.seed)."
    ]
  }

  private static func data(of scenario: Scenario) -> [Self] {
    let words = ModelWords(scenario.model)
    let opened = scenario.users.flatMap { group in
      group.watched + group.activities.flatMap(\.steps).compactMap(\.shape)
    }
    let queries = scenario.model.shapes.indices.map { place in
      words.shape(scenario.model.shapes[place])
        + (opened.contains(place) ? "" : " It is never opened.")
    }
    return [
      Self("what there is", scenario.model.types.indices.map { words.type($0) }),
      Self("what is asked", queries), Self("what can change", words.operations),
      Self("what writers do", scenario.writers.flatMap { words.others($0, scenario) }),
      Self("what users do", scenario.users.flatMap { words.people($0) }),
    ]
  }
}
