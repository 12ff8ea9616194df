import CacheModel
import NormalizedCache

/// The events of a script in turn, decoded as a client would decode them.
struct EventSupply {
  typealias Event = (event: FileEvent, directories: [Int])

  private let script: EventScript
  private let decoder = WireDecoder()
  private var taken = 0

  init(script: EventScript) {
    self.script = script
  }

  /// Decodes the next events, and says whose listings each changes.
  ///
  /// - Throws: `DecodingError`, `SyncProtocolError`.
  /// - Precondition: the script has as many left.
  mutating func next(_ count: Int) throws -> [Event] {
    precondition(taken + count <= script.messages.count, "the script is too short")
    defer { taken += count }
    return try (taken..<taken + count).map {
      (try decoder.envelope(from: script.messages[$0]), script.directories(ofEvent: $0))
    }
  }
}
