import CacheModel
import NormalizedCache
import ResultModel

/// The longest single stall of the store while events insert entities at the limit and everything is
/// retained.
///
/// The machine pauses too, but not in the same place each time: the same insertions into a new cache
/// are timed again and again, and of each the shortest time counts.
struct InsertionStall {
  /// The limit, and how many entities observed listings retain when the insertions begin.
  var retained: Int
  var insertions: Int
  var seed: UInt64

  /// The longest insertion over the median one.
  ///
  /// - Parameters:
  ///   - areListed: whether what is inserted enters observed listings, and is retained as well.
  ///   - repetitions: how often the same insertions are timed.
  /// - Returns: the ratio, and how many insertions stand behind it.
  /// - Throws: `CachePolicyError`.
  func measure(areListed: Bool, repetitions: Int) throws -> (ratio: Double?, samples: Int) {
    var shortest = [Int64](repeating: .max, count: insertions)
    for _ in 0..<repetitions {
      for (index, time) in try times(areListed: areListed).enumerated() {
        shortest[index] = min(shortest[index], time)
      }
    }
    guard repetitions > 0,
      let ratio = SampleSummary(shortest).quantile(.max).flatMap({ longest in
        SampleSummary(shortest).quantile(.p50).map { Double(longest) / Double(max($0, 1)) }
      })
    else { return (nil, 0) }
    return (ratio, insertions)
  }

  private func times(areListed: Bool) throws -> [Int64] {
    let rows = 100
    let clock = ContinuousCacheClock()
    // Files of one directory are numbered in turn, so the later half of each is inserted.
    let directories = retained / rows
    let library = FileLibrary(
      directories: directories, filesPerDirectory: rows + insertions / directories, seed: seed)
    let strangers = FileLibrary(
      directories: 1, filesPerDirectory: insertions, seed: ~seed)
    var store = try CacheStore(
      composition: CachePolicy(
        evictionOrder: "lru", capacity: Capacity(entities: retained), retention: .observed,
        freshness: .neverExpires, maximumQueries: nil),
      schema: MeasurementSchema())
    for directory in 0..<directories {
      let key = library.queryKey(ofDirectory: directory)
      store.addObserver(of: key, at: .zero)
      var response = library.response(toDirectory: directory)
      response.entities.removeLast(response.entities.count - rows)
      store.fill(key, with: response)
    }
    precondition(store.residentEntities == retained, "the cache is not full")
    return (0..<insertions).map { index in
      let file =
        index % directories * library.filesPerDirectory + rows + index / directories
      var entity = library.entity(file: file, revision: 1)
      if !areListed { entity = strangers.entity(file: index, revision: 1) }
      let event = EventEnvelope(
        place: library.place(sequence: index + 1), event: .changed(entity))
      let before = clock.now
      store.receive(event, at: .zero)
      let time = clock.now.nanoseconds - before.nanoseconds
      _ = store.takeActions()
      return time
    }
  }
}
