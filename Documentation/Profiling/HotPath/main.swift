import CacheModel
import Dispatch
import NormalizedCache

/// Counts the calls of observers.
final class Calls: Sendable {
  nonisolated(unsafe) var count = 0
}

/// Does a workload so often on the cache's actor, where only one thread takes part, so that counts repeat.
///
/// - Returns: whether it was such a workload.
func runInside(
  _ cache: isolated NormalizedCache<MeasurementSchema>, _ workload: String, _ done: Int,
  _ keys: [QueryKey], _ events: inout [EventEnvelope<FilePayload>]
) async throws -> Bool {
  switch workload {
  case "event":
    for _ in 0..<done { if let event = events.popLast() { cache.receive(event) } }
  case "query":
    for turn in 0..<done { _ = try await cache.query(keys[turn % keys.count]) }
  default: return false
  }
  return true
}

/// Does a workload so often.
///
/// - Parameters:
///   - workload: `single` or `batch`: events, each told to ten observers; `read`: a listing's rows;
///     `map`: two fields of each. On the cache's actor, `event`: as `single`; `query`: a listing's rows,
///     by a read that is counted.
///   - done: how often.
///   - prepared: how often it is prepared for, so that two counts differ in nothing else.
/// - Throws: what the cache throws; nothing is asked that it would refuse.
func run(_ workload: String, _ done: Int, of prepared: Int) async throws {
  let library = FileLibrary.standard(seed: 1)
  let cache = try NormalizedCache(
    composition: CachePolicy(
      evictionOrder: "lru", capacity: Capacity(entities: library.fileCount), retention: .cached,
      freshness: Freshness(timeToLive: .seconds(300)), maximumQueries: library.directories),
    schema: MeasurementSchema(), source: LibraryServer(library: library))
  let calls = Calls()
  for key in library.queryKeys {
    _ = try await cache.query(key)
    for _ in 0..<10 { _ = await cache.observe(key) { [calls] _, _ in calls.count += 1 } }
  }
  let length = workload == "batch" ? 1_000 : 1
  var events: [EventEnvelope<FilePayload>] = []
  for index in 0..<(["read", "query", "map"].contains(workload) ? 0 : prepared) {
    let items = (0..<length).map { item in
      let file = (length == 1 ? index * 7_919 : index * length + item) % library.fileCount
      return library.entity(file: file, revision: index + 1)
    }
    events.append(
      EventEnvelope(
        place: library.place(sequence: index + 1),
        event: length == 1 ? .changed(items[0]) : .batchChanged(items)))
  }
  // Handed over, not shared: as it comes from a decoder.
  events.reverse()
  if try await runInside(cache, workload, done, library.queryKeys, &events) {
    return print(workload, done, calls.count)
  }
  var checksum: Int64 = 0
  for turn in 0..<done {
    if let event = events.popLast() {
      await cache.receive(event)
      continue
    }
    let key = library.queryKey(ofDirectory: turn % library.directories)
    #if MAPS_ROWS
      if workload == "map" {
        let sums = await cache.mapRows(of: key) { $2.size &+ Int64($2.name.utf8.count) }
        checksum &+= sums.reduce(0, &+)
        continue
      }
    #endif
    let rows = await cache.rows(of: key)
    for index in rows.indices { checksum &+= rows[index].payload.size }
  }
  print(workload, done, calls.count, checksum)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let done = Int(arguments[2]), let prepared = Int(arguments[3]) else {
  preconditionFailure("usage: hot-path single|event|batch|read|query|map DONE PREPARED")
}
// Valgrind does not survive a main thread that ends before the others.
let isOver = DispatchSemaphore(value: 0)
Task.detached {
  do { try await run(arguments[1], done, of: prepared) } catch { print(error) }
  isOver.signal()
}
isOver.wait()
