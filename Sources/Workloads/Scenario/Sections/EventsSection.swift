package import CacheModel

/// The content of the server's events.
package struct EventsSection: Hashable, Sendable {
  /// The contents of an event for a new or changed entity.
  package var carry = EventContents.whole

  package init() {}
}

extension EventsSection: ScenarioSection {
  static let fields: [Field<EventsSection>] = [
    .choice("carry", \.carry, "how much an event carries of an entity that is new or has changed")
  ]
}
