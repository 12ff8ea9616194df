/// Every alternative: a file for each, and a line here.
package enum Alternatives {
  /// The cache under test first, then from what is nearest to it to what is plainest.
  package static let all: [Alternative] = [
    .ours, .literalActor, .grdbValueObservation, .nsCache, .mutexDictionary,
  ]

  /// The control without a cache; it always runs with the others.
  package static let control = Alternative.control

  package static func named(_ name: String) -> Alternative? {
    (all + [control]).first { $0.name == name }
  }
}
