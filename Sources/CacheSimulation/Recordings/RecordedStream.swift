import CacheModel
import RecordingCodec
import Workloads

/// Implicit evidence of a numbered stream of events: data that no event names has not changed.
///
/// Each commit of the server is an event with its own position. An answer read at a known position proves,
/// for the time of its request, everything that was true at an earlier position and that no event in between
/// names. A missing event, or one that does not say what it changed, ends the proof.
struct RecordedStream: Sendable {
  /// The positions of events, ascending.
  private var places: [StreamPosition] = []
  /// Whether each event says what it changed.
  private var isTelling: [Bool] = []
  /// For each event, the last position up to which none is missing.
  private var runEnds: [StreamPosition] = []
  /// The events that name each object, and each type, ascending.
  private var eventsOfObject: [UInt32: [Int]] = [:]
  private var eventsOfType: [[Int]]
  /// The positions of answers, ascending, and the times of their requests, in nanoseconds.
  private var readings: [(place: StreamPosition, asked: Int64)] = []

  /// O(items + answers · log answers).
  init(of workload: Workload) {
    eventsOfType = [[Int]](repeating: [], count: workload.model.types.count)
    for mutation in workload.mutations where mutation.isPlaced {
      let event = places.count
      places.append(mutation.position)
      if case .bulkNotice = mutation.kind {
        isTelling.append(false)
      } else {
        isTelling.append(mutation.carries == .whole)
      }
      for item in workload.items[mutation.items] {
        eventsOfObject[item.object, default: []].append(event)
        let type = Int(workload.catalog.objects[Int(item.object)].type.rawValue) - 1
        if eventsOfType[type].last != event { eventsOfType[type].append(event) }
      }
    }
    runEnds = places
    for event in places.indices.dropLast().reversed()
    where isTelling[event + 1] && Self.follows(places[event + 1], places[event]) {
      runEnds[event] = runEnds[event + 1]
    }
    for answer in workload.clients.flatMap(\.answers) where answer.failure == nil {
      if let place = answer.place { readings.append((place, answer.asked.nanoseconds)) }
    }
    readings.sort { ($0.place, $0.asked) < ($1.place, $1.asked) }
  }

  private static func follows(_ next: StreamPosition, _ place: StreamPosition) -> Bool {
    next.epoch == place.epoch && next.sequence == place.sequence + 1
  }

  /// Returns the time until which an object provably kept its state at a position.
  func unchanged(object: UInt32, since place: StreamPosition?) -> Int64 {
    unchanged(since: place, unless: eventsOfObject[object] ?? [])
  }

  /// Returns the time until which all data of some types provably stayed as at a position.
  func unchanged(types: [Int], since place: StreamPosition?) -> Int64 {
    types.map { unchanged(since: place, unless: eventsOfType[$0]) }.min() ?? .min
  }

  /// O(log events + log answers).
  private func unchanged(since place: StreamPosition?, unless events: [Int]) -> Int64 {
    guard let place, !readings.isEmpty else { return .min }
    let following = places.partitioningIndex { $0 > place }
    var end = place
    if following < places.count, isTelling[following], Self.follows(places[following], place) {
      end = runEnds[following]
    }
    let next = events.partitioningIndex { $0 >= following }
    if next < events.count, places[events[next]] <= end {
      end = events[next] > following ? places[events[next] - 1] : place
    }
    return reading(from: place, to: end)
  }

  /// Returns the time of the last request whose answer is between two positions.
  private func reading(from place: StreamPosition, to end: StreamPosition) -> Int64 {
    let after = readings.partitioningIndex { $0.place > end }
    guard after > 0, readings[after - 1].place >= place else { return .min }
    return readings[after - 1].asked
  }
}

extension Array {
  /// Returns the first index whose element, like all after it, satisfies the condition; O(log count).
  fileprivate func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
