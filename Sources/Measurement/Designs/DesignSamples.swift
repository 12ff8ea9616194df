/// What one run of a design measured, in nanoseconds.
package struct DesignSamples: Hashable, Sendable {
  /// One event on its way through a design.
  package struct Event: Hashable, Sendable {
    /// From the decoded event to the commit.
    package var apply: Int64
    /// From the commit to the call of the last of ten observers.
    package var notify: Int64
    /// From when the event was due to that call; `nil` where nothing was due.
    package var response: Int64?

    package init(apply: Int64, notify: Int64, response: Int64? = nil) {
      self.apply = apply
      self.notify = notify
      self.response = response
    }

    package var total: Int64 { apply + notify }
  }

  /// Back to back.
  package var hot: [Event] = []
  /// Open loop.
  package var paced: [Event] = []

  package init() {}
}

/// The form in which a process hands its samples to the one that started it.
extension DesignSamples {
  private static let header = "tidemark-design-samples 1"
  private static let footer = "end"

  package var text: String {
    let hot = hot.map { "hot \($0.apply) \($0.notify)\n" }
    let paced = paced.map { "paced \($0.apply) \($0.notify) \($0.response ?? 0)\n" }
    return Self.header + "\n" + hot.joined() + paced.joined() + Self.footer + "\n"
  }

  /// - Throws: ``DesignRunError/unreadable(line:)`` for anything but the whole of ``text``.
  package init(text: String) throws(DesignRunError) {
    let lines = text.split(separator: "\n")
    guard lines.count >= 2, lines.first == Self.header[...] else { throw .unreadable(line: 1) }
    guard lines.last == Self.footer[...] else { throw .unreadable(line: lines.count) }
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int64($0) }.filter { $0 >= 0 }
      switch (words.first, numbers.count, words.count) {
      case ("hot", 2, 3): hot.append(Event(apply: numbers[0], notify: numbers[1]))
      case ("paced", 3, 4):
        paced.append(Event(apply: numbers[0], notify: numbers[1], response: numbers[2]))
      default: throw .unreadable(line: index + 1)
      }
    }
  }
}
