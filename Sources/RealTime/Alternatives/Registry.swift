/// All alternatives, each in its own file.
package enum Alternatives {
  /// The cache under test, then the alternatives, the most similar first.
  package static let all: [Alternative] = [
    .ours, .literalActor, .grdbValueObservation, .nsCache, .mutexDictionary,
  ]

  /// The control without a cache; it is part of every run.
  package static let control = Alternative.control

  package static func named(_ name: String) -> Alternative? {
    (all + [control]).first { $0.name == name }
  }
}
