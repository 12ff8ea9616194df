import CacheModel

/// Something that breaks at a given time.
package struct FaultSection: Sendable {
  package var kind = Kind.partition
  package var at = Duration.zero
  package var length = Duration.zero
  /// The client whose link is concerned; `nil`: all.
  package var client: String?
  var place: SourcePlace?

  package init() {}

  package enum Kind: String, CaseIterable, Sendable {
    /// The link is down: events are lost and requests fail.
    case partition
    /// The link delivers nothing until the end, then all at once.
    case hold
    /// The server begins a new epoch; it has no length.
    case restart
    /// The server answers every request with an error; events go on.
    case errors
  }
}

extension FaultSection: ScenarioSection {
  static let fields: [Field<FaultSection>] = [
    Field.choice("kind", \.kind, "partition, hold, restart or errors").required(),
    Field.duration("at", \.at, .zero ... .days(30), "when it begins").required(),
    .duration("for", \.length, .milliseconds(1)...(.days(30)), "how long it lasts"),
    Field(name: "client", form: .text, summary: "the client whose link is concerned") {
      $0.client = $2.scalar($1)
      $0.place = $1.place
    },
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = self.place ?? place
    switch kind {
    case .partition, .hold, .errors:
      if length == .zero { reader.report(place, "`for` is missing", "say how long it lasts") }
    case .restart:
      if length != .zero || client != nil {
        reader.report(place, "a restart has neither `for` nor `client`", "remove them")
      }
    }
  }
}
