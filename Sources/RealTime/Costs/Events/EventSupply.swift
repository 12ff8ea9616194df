import CacheModel
import NormalizedCache

/// The events of a script in turn, decoded as a client would decode them, a block at a time.
struct EventSupply {
  typealias Event = (event: FileEvent, directories: [Int])

  private let script: EventScript
  private let decoder = WireDecoder()
  private var taken = 0
  /// The next is the last.
  private var decoded: [Event] = []

  init(script: EventScript) {
    self.script = script
  }

  /// Decodes the next events, and says whose listings each changes.
  ///
  /// - Throws: `DecodingError`, `SyncProtocolError`.
  /// - Precondition: the script has as many left, and those decoded before are taken.
  mutating func prepare(_ count: Int) throws {
    precondition(
      taken + count <= script.messages.count && decoded.isEmpty, "the script is too short")
    decoded = try (taken..<taken + count).reversed().map {
      (try decoder.envelope(from: script.messages[$0]), script.directories(ofEvent: $0))
    }
    taken += count
  }

  /// The next, handed over, not shared, as it comes from a decoder.
  ///
  /// - Precondition: it is prepared.
  mutating func next() -> Event {
    guard let event = decoded.popLast() else { preconditionFailure("no event is left") }
    return event
  }
}
