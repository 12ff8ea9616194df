package import Processes

/// What one run of a design measured, in nanoseconds.
package struct AlternativeSamples: Hashable, Sendable {
  /// One event on its way through a design.
  package struct Event: Hashable, Sendable {
    /// From the decoded event to the commit.
    package var apply: Int64
    /// From the commit to the call of the last of ten observers.
    package var notify: Int64
    /// From when the event was due to that call; `nil` where nothing was due.
    package var response: Int64?

    package var total: Int64 { apply + notify }
  }

  /// Back to back.
  package var hot: [Event] = []
  /// Open loop.
  package var paced: [Event] = []
}

/// The form in which a process hands its samples to the one that started it.
extension AlternativeSamples {
  private static let header = "tidemark-design-samples 2"

  package var text: String {
    ChildText.write(
      Self.header,
      hot.map { ["hot", "\($0.apply)", "\($0.notify)"] }
        + paced.map { ["paced", "\($0.apply)", "\($0.notify)", "\($0.response ?? 0)"] })
  }

  /// - Throws: ``ChildTextError`` for anything but the whole of ``text``.
  package init(text: String) throws(ChildTextError) {
    let entries = try ChildText.read(text, Self.header) { fields -> (isHot: Bool, Event)? in
      let numbers = fields.dropFirst().compactMap { Int64($0) }.filter { $0 >= 0 }
      switch (fields[0], numbers.count, fields.count) {
      case ("hot", 2, 3): return (true, Event(apply: numbers[0], notify: numbers[1]))
      case ("paced", 3, 4):
        return (false, Event(apply: numbers[0], notify: numbers[1], response: numbers[2]))
      default: return nil
      }
    }
    hot = entries.filter(\.isHot).map(\.1)
    paced = entries.filter { !$0.isHot }.map(\.1)
  }
}
