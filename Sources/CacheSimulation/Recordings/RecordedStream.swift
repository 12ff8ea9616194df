import CacheModel
import RecordingCodec
import Workloads

/// What a numbered stream of events tells without saying it: what none of them names has not changed.
///
/// Each commit of the server is an event with a place of its own. An answer that tells at which place it was read proves,
/// for the time at which it was asked for, all that was so at an earlier place and that no event between the two names.
/// Where an event is missing, or does not tell what it changed, nothing is proved beyond it.
struct RecordedStream: Sendable {
  /// Where the events stand, ascending.
  private var places: [StreamPosition] = []
  /// By event: whether it tells what it changed.
  private var isTelling: [Bool] = []
  /// By event: the last place up to which none is missing from it on.
  private var runEnds: [StreamPosition] = []
  /// By object, and by type: the events that name it, ascending.
  private var eventsOfObject: [UInt32: [Int]] = [:]
  private var eventsOfType: [[Int]]
  /// Places of answers, ascending, and when these were asked for, in nanoseconds.
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

  /// Until when an object was in the state that it had at a place, as far as that is proved.
  func unchanged(object: UInt32, since place: StreamPosition?) -> Int64 {
    unchanged(since: place, unless: eventsOfObject[object] ?? [])
  }

  /// Until when everything of some types was as it was at a place, as far as that is proved.
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

  /// When the last answer between two places was asked for.
  private func reading(from place: StreamPosition, to end: StreamPosition) -> Int64 {
    let after = readings.partitioningIndex { $0.place > end }
    guard after > 0, readings[after - 1].place >= place else { return .min }
    return readings[after - 1].asked
  }
}

extension Array {
  /// The first place whose element, like all after it, is as asked; O(log count).
  fileprivate func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
