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
    .choice("through", \.through, "outbox, which is kept and sent later, or request, sent once"),
    .choice("shown", \.shown, "at-once, or when confirmed"),
    .share("refused", \.refused, "share of writes that the server refuses"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
  }
}
