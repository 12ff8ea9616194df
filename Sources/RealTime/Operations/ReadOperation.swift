import CacheModel
import FoundationEssentials
import NormalizedCache
import ResultModel

/// Listings that are read in turn, and every row of them looked at.
struct ReadOperation: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let keys: [QueryKey]
  private var next = 0

  init(clock: any CacheClock) async throws {
    let library = FileLibrary.standard(seed: HotOperation.seed)
    cache = try await NormalizedCache.filled(with: library, clock: clock)
    keys = library.queryKeys
  }

  mutating func perform(_ count: Int) async -> Int {
    var sum = 0
    for _ in 0..<count {
      let rows = await cache.rows(of: keys[next])
      next = (next + 1) % keys.count
      for row in rows { sum &+= Int(truncatingIfNeeded: row.payload.size) }
    }
    return sum
  }
}

/// The bytes of changes of one file, decoded as a client would.
struct DecodingOperation: Subject {
  private var messages: [Data] = []
  private let decoder = WireDecoder()
  private var next = 0

  mutating func prepare(_ count: Int) throws {
    next = 0
    messages = try EventScript(
      library: .standard(seed: HotOperation.seed), eventClass: .single, count: count
    ).messages
  }

  mutating func perform(_ count: Int) throws -> Int {
    var known = 0
    for _ in 0..<count {
      let event = try decoder.envelope(from: messages[next])
      next += 1
      if event.place != nil { known += 1 }
    }
    return known
  }
}

/// A user's changes to an observed cache, each confirmed before the next.
struct WriteOperation: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let stamps = ObserverStamps()
  private let library = FileLibrary(directories: 20, filesPerDirectory: 100, seed: 1)
  private var number = 0

  init(clock: any CacheClock) async throws {
    cache = try NormalizedCache(
      composition: .unlimited, schema: MeasurementSchema(),
      source: WriteServer(library: library, stamps: stamps), clock: clock)
    for key in library.queryKeys {
      _ = try await cache.query(key)
      _ = await cache.observe(key) { [stamps] _, _ in stamps.notify(at: .zero) }
    }
  }

  mutating func perform(_ count: Int) async throws -> Int {
    for _ in 0..<count {
      number += 1
      let file = number * 7_919 % library.fileCount
      _ = try await cache.mutate(
        ClientMutation(
          token: MutationToken(rawValue: UniqueID(high: 1, low: UInt64(number))),
          library: library.library,
          edits: [
            .update(library.entityKey(ofFile: file), FileChange(name: "renamed \(number)"))
          ]))
    }
    return number
  }
}
