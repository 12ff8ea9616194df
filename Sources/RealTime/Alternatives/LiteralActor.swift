import CacheModel
import FoundationEssentials
import NormalizedCache

extension Alternative {
  static let literalActor = Alternative(
    name: "literal-actor",
    summary:
      "The sample code of a design document, taken literally: string keys, boxed values, an array as "
      + "LRU list, and a scan of all queries for each changed entity."
  ) { library, _ in LiteralCache(library: library) }
}

/// A normalized cache exactly as a design document sketches it, without optimization.
private actor LiteralCache: AlternativeCache {
  private struct QueryCacheEntry {
    var entityKeys: Set<String>
  }

  private var entityStore: [String: any Sendable] = [:]
  private var queryIndex: [String: QueryCacheEntry] = [:]
  private var queryObservers: [String: [UUID: @Sendable () -> Void]] = [:]
  /// The identifiers, least recently used first.
  private var accessOrder: [String] = []

  init(library: FileLibrary) {
    for directory in 0..<library.directories {
      let files = library.response(toDirectory: directory).entities
      for file in files {
        entityStore[Self.cacheKey(file)] = file
        accessOrder.append(Self.cacheKey(file))
      }
      queryIndex[Self.queryKey(directory)] = QueryCacheEntry(
        entityKeys: Set(files.map(Self.cacheKey)))
    }
  }

  private static func cacheKey(_ file: VersionedEntity<FilePayload>) -> String {
    "file:\(file.payload.id.uuidString)"
  }

  private static func queryKey(_ directory: Int) -> String { "directory:\(directory)" }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) {
    queryObservers[Self.queryKey(directory), default: [:]][UUID()] = { observer() }
  }

  /// Applies a batch as a loop over its entities, with one actor call for each.
  nonisolated func apply(
    _ event: FileEvent, committed: @escaping @Sendable () -> Void
  ) async throws {
    switch event.event {
    case .changed(let file): await updateEntity(file, committed: committed)
    case .batchChanged(let files):
      for file in files.dropLast() { await updateEntity(file, committed: {}) }
      if let last = files.last { await updateEntity(last, committed: committed) }
    case .deleted, .bulkNotice, .partlyDecoded, .infrastructure:
      preconditionFailure("a run changes files, and nothing else")
    }
  }

  private func updateEntity(
    _ file: VersionedEntity<FilePayload>, committed: @Sendable () -> Void
  ) {
    let cacheKey = Self.cacheKey(file)
    entityStore[cacheKey] = file
    if let index = accessOrder.firstIndex(of: cacheKey) {
      accessOrder.remove(at: index)
    }
    accessOrder.append(cacheKey)
    // The sketch evicts here above its limit; in these runs everything fits.
    let affectedQueries = queryIndex.filter { _, entry in entry.entityKeys.contains(cacheKey) }
    committed()
    for (queryKey, _) in affectedQueries { notifyObservers(of: queryKey) }
  }

  private func notifyObservers(of queryKey: String) {
    for (_, onChange) in queryObservers[queryKey] ?? [:] { onChange() }
  }

  /// Returns the rows unsorted: the set has no order, so a view would sort.
  func listing(ofDirectory directory: Int) -> [ListedFile]? {
    let keys = queryIndex[Self.queryKey(directory)]?.entityKeys ?? []
    return keys.compactMap { entityStore[$0] as? VersionedEntity<FilePayload> }
      .map { ListedFile($0) }
      .sorted { $0.name < $1.name }
  }
}
