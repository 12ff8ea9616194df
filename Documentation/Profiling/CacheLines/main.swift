import CCallgrind
import CacheModel
import Dispatch
import NormalizedCache

/// What stands in the place of the driver's: the ten observers of each listing, of which the last ends
/// the counting.
package final class ObserverBoard: Sendable {
  package static let observersPerListing = 10
  nonisolated(unsafe) private var calls = 0

  package struct Observer: Sendable {
    fileprivate let board: ObserverBoard

    package func callAsFunction() {
      board.calls += 1
      if board.calls.isMultiple(of: observersPerListing) { callgrind_region_end() }
    }
  }

  var observer: Observer { Observer(board: self) }
}

/// Hands events over one at a time.
///
/// Where counting begins the simulated caches are empty: that is callgrind's way.
func countCold(_ name: String, events count: Int) async throws {
  let library = FileLibrary.standard(seed: 1)
  let alternative: Alternative =
    switch name {
    case "control": .control
    case "mutex-dictionary": .mutexDictionary
    default: .ours
    }
  let design = try await alternative.make(library, "")
  let board = ObserverBoard()
  for directory in 0..<library.directories {
    for _ in 0..<ObserverBoard.observersPerListing {
      try await design.observe(directory: directory, board.observer)
    }
  }
  let warmUp = 20
  var events = events(warmUp + count, of: library) {
    library.entity(file: $0, revision: $1)
  }
  for _ in 0..<warmUp { try await design.apply(events.removeLast()) {} }
  while let event = events.popLast() {
    callgrind_region_begin()
    try await design.apply(event) {}
    callgrind_region_end()
  }
}

/// Hands events over one after the other, to a store or to a dictionary; there are no observers.
func countWarm(_ name: String, events count: Int, entities: Int) throws {
  let library = FileLibrary(directories: entities / 100, filesPerDirectory: 100, seed: 1)
  // Values share their texts: what differs between sizes is the number of entities.
  let model = library.payload(ofFile: 0, revision: 0)
  func entity(_ file: Int, _ revision: Int) -> VersionedEntity<FilePayload> {
    VersionedEntity(
      key: library.entityKey(ofFile: file), version: FileLibrary.version(ofRevision: revision),
      payload: library.payload(ofFile: file, like: model, revision: revision))
  }
  var events = events(count, of: library, entity)
  if name == "dictionary" {
    var files: [EntityKey: VersionedEntity<FilePayload>] = [:]
    for file in 0..<entities { files[library.entityKey(ofFile: file)] = entity(file, 0) }
    callgrind_region_begin()
    while let event = events.popLast() { event.forEachFile { files[$0.key] = $0 } }
    callgrind_region_end()
    return
  }
  var actions: [CacheAction] = []
  var store = try CacheStore(composition: .unlimited, schema: MeasurementSchema())
  for directory in 0..<library.directories {
    let query = library.queryKey(ofDirectory: directory)
    guard let fetch = store.read(query, at: .zero).fetch else { continue }
    let files = (directory * 100..<directory * 100 + 100).map { entity($0, 0) }
    store.completeFetch(
      fetch,
      with: FetchResponse(
        entities: files.sorted { $0.key < $1.key }, hasMore: false,
        place: library.place(sequence: 0)), at: .zero)
    store.takeActions(into: &actions)
  }
  callgrind_region_begin()
  while let event = events.popLast() {
    store.receive(event, at: .zero)
    store.takeActions(into: &actions)
  }
  callgrind_region_end()
}

/// Changes of files that are drawn, in the order in which they are taken from the end.
func events(
  _ count: Int, of library: FileLibrary, _ entity: (Int, Int) -> VersionedEntity<FilePayload>
) -> [FileEvent] {
  var random = RandomSource(seed: 1).substream("cache-lines")
  return (1...count).map { revision in
    FileEvent(
      place: library.place(sequence: revision),
      event: .changed(entity(random.below(library.fileCount), revision)))
  }.reversed()
}

func run(_ arguments: [String]) async throws {
  let numbers = arguments.dropFirst(3).compactMap { Int($0) }
  switch (arguments.dropFirst().first, numbers.count) {
  case ("cold", 1): try await countCold(arguments[2], events: numbers[0])
  case ("warm", 2): try countWarm(arguments[2], events: numbers[0], entities: numbers[1])
  default: preconditionFailure("usage: cache-lines cold|warm DESIGN EVENTS [ENTITIES]")
  }
}

// Valgrind does not survive a main thread that ends before the others.
let isOver = DispatchSemaphore(value: 0)
Task.detached {
  do { try await run(CommandLine.arguments) } catch { print(error) }
  isOver.signal()
}
isOver.wait()
