import CacheModel

/// A run in equal parts of virtual time, to see when hits were lost and memory was taken.
///
/// Counts every read of the user, those of the warm-up too: it shows a run, and is no figure of it.
package struct Timeline: Sendable {
  /// What happened in one part.
  package struct Part: Hashable, Sendable {
    package fileprivate(set) var reads = 0
    package fileprivate(set) var freshHits = 0
    package fileprivate(set) var staleHits = 0
    package fileprivate(set) var failures = 0
    /// Resident entities, the mean over time; of several clients, the mean of theirs.
    package fileprivate(set) var entities = 0.0
  }

  package private(set) var parts: [Part]
  /// How long a part lasts, in nanoseconds; the last ends with the run.
  package let partNanoseconds: Int64
  private let duration: Int64

  init(duration: Duration, parts count: Int) {
    precondition(count > 0, "a timeline without parts")
    self.duration = duration.wholeNanoseconds
    partNanoseconds = max(1, (self.duration + Int64(count) - 1) / Int64(count))
    parts = [Part](repeating: Part(), count: count)
  }

  private func place(of nanoseconds: Int64) -> Int {
    min(Int(nanoseconds / partNanoseconds), parts.count - 1)
  }

  /// Counts a read by when it was made.
  mutating func count(_ outcome: Outcome, at nanoseconds: Int64) {
    let place = place(of: nanoseconds)
    parts[place].reads += 1
    switch outcome {
    case .hitFresh: parts[place].freshHits += 1
    case .hitStale: parts[place].staleHits += 1
    case .failed: parts[place].failures += 1
    default: break
    }
  }

  /// Adds up how many entities were resident between two instants; what follows the run is not shown.
  mutating func note(entities: Int, from start: Int64, to end: Int64) {
    var start = start
    let end = min(end, duration)
    while start < end {
      let place = place(of: start)
      let partEnd = place == parts.count - 1 ? end : min(end, Int64(place + 1) * partNanoseconds)
      parts[place].entities +=
        Double(partEnd - start) / Double(length(of: place)) * Double(entities)
      start = partEnd
    }
  }

  private func length(of place: Int) -> Int64 {
    max(1, min(duration, Int64(place + 1) * partNanoseconds) - Int64(place) * partNanoseconds)
  }

  /// Adds another client of the run: reads add up, entities wait for ``divideMeans(by:)``.
  mutating func add(_ other: Timeline) {
    for index in parts.indices {
      parts[index].reads += other.parts[index].reads
      parts[index].freshHits += other.parts[index].freshHits
      parts[index].staleHits += other.parts[index].staleHits
      parts[index].failures += other.parts[index].failures
      parts[index].entities += other.parts[index].entities
    }
  }

  /// Makes means of the sums over so many clients.
  mutating func divideMeans(by clients: Int) {
    for index in parts.indices { parts[index].entities /= Double(max(1, clients)) }
  }
}
