/// How what a group's users change is made, and what the server says to it.
package struct WritesSection: Sendable {
  package var through = WriteHandling.Door.outbox
  package var shown = WriteHandling.Showing.atOnce
  /// The share of writes that the server refuses.
  package var refused = 0.0
  var place: SourcePlace?

  package init() {}

  package var handling: WriteHandling {
    var handling = WriteHandling()
    handling.through = through
    handling.shown = shown
    return handling
  }
}

extension WritesSection: ScenarioSection {
  static let fields: [Field<WritesSection>] = [
    .choice("through", \.through, "whether a write is kept until it is answered, or sent once"),
    .choice("shown", \.shown, "when the change shows"),
    .share("refused", \.refused, "share of writes that the server refuses"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
  }
}
