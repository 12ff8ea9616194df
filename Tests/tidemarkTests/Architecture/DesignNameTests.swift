import Foundation
import Testing

@Suite("The names of the design documents")
struct DesignNameTests {
  /// The names of each document's interface.
  private static let names: [(section: String, names: [String])] = [
    (
      "The normalized cache",
      [
        "NormalizedCache", "Identifiable", "resourceType", "entityStore", "queryIndex",
        "QueryCacheEntry", "entityKeys", "fetchedAt", "ttl", "isExpired", "updateEntity",
        "getEntity", "deleteEntity", "query", "generateQueryKey", "getQueryResult", "removeQuery",
        "queryObservers", "notifyObservers", "notifyAffectedQueries", "subscribe",
        "querySubscriptions", "notifySubscribers", "changeStream", "queryKey", "newValue",
        "CachedQueryClient", "queryResults", "useCachedQuery", "enabled", "data", "loading",
        "error", "CacheContext", "CacheConfig", "maxEntities", "evictionThreshold", "accessOrder",
        "evictLRU", "maxQueries", "defaultTTL", "getTTL", "entityRefCounts", "persistToDisk",
        "maxDiskSize", "EventCacheUpdater", "start", "handleEvent", "ResourceTypeRegistry",
        "decode", "ResourceChanged", "ResourceBatchChanged", "ResourceDeleted",
        "BulkOperationCompleted", "Index", "WatcherBatch", "lastEventSequence", "processEvent",
        "reconcileState", "events.since.v1", "invalidateQuery", "invalidateQueriesMatching",
        "invalidateQueriesForResource", "invalidateLibrary", "db", "createTables", "loadFromDisk",
        "optimisticUpdates", "updateOptimistically", "commitOptimisticUpdate",
        "rollbackOptimisticUpdate", "pendingId",
      ]
    ),
    (
      "The tagged response cache",
      [
        "getEntry", "setEntry", "userTag", "removeUserTag", "sweepCache", "etag", "staleTime",
        "lastReadTime", "magnetFetch", "DownloadManager",
      ]
    ),
    (
      "The streaming repository",
      [
        "PURLsRepository", "startPURLsSync", "purlsStream", "fetchPURLs", "storePURLs",
        "purlsContainer",
      ]
    ),
    (
      "The two-tier cache",
      [
        "MemoryCache", "CachedValue", "value", "set", "contains", "DiskCache", "cacheFileName",
        "numberOfWrites", "hitRate", "LogContext",
      ]
    ),
  ]

  /// It is next to this file.
  private static func document() throws -> String {
    try SourceFile.top.read("Tests/tidemarkTests/Architecture/FromTheDesignDocuments.md")
  }

  private struct Row {
    var theirs: String
    var ours: [String]
    var reason: String
  }

  /// The rows of the tables in a section, which begins with a heading of the second level.
  private static func rows(of section: String, in document: String) -> [Row] {
    let text = document.components(separatedBy: "\n## ").first { $0.hasPrefix("\(section)\n") }
    return (text ?? "").split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, let theirs = cells[0].wholeMatch(of: #/`([^`]+)`/#) else {
        return nil
      }
      return Row(
        theirs: String(theirs.1), ours: cells[1].matches(of: #/`([^`]+)`/#).map { String($0.1) },
        reason: cells[2])
    }
  }

  /// The public declarations of the libraries, by their last name.
  private static func declared() throws -> Set<String> {
    let folders = [
      "CacheModel", "NormalizedCache", "NormalizedCacheCore", "NormalizedCacheFoundation",
      "CachePersistence",
    ]
    let introducers: Set = [
      "struct", "class", "actor", "enum", "protocol", "func", "var", "let",
      "typealias",
    ]
    var names: Set<String> = []
    for folder in folders {
      for file in try SourceFile.all(below: "Sources/\(folder)") {
        for index in file.tokens.indices.dropLast()
        where introducers.contains(file.tokens[index].text) {
          names.insert(file.tokens[index + 1].text)
        }
      }
    }
    return names
  }

  @Test("Each name is mapped once, to an existing one, with a reason", arguments: names.indices)
  func mapped(index: Int) throws {
    let (section, names) = Self.names[index]
    let document = try Self.document()
    let rows = Self.rows(of: section, in: document)
    #expect(rows.map(\.theirs) == names)
    let declared = try Self.declared()
    for row in rows {
      #expect(!row.ours.isEmpty, "\(row.theirs) has no name here")
      for name in row.ours {
        #expect(declared.contains(name), "\(row.theirs): nothing is called \(name)")
      }
      #expect(row.reason.count >= 9, "\(row.theirs) departs without a reason")
    }
  }

  /// Parts for apps besides the cache itself, each mapped to something that exists.
  private static let conveniences = [
    "CachedQuery", "key", "QueryRule", "UniqueID", "JSONCodec", "tag", "clear", "prefetch",
    "cursor", "releaseMemory", "ObservationToken", "updates", "changes", "isEnabled",
    "isPlaceholder", "PagedRelation", "hasMore", "open", "restoreReport",
  ]

  @Test("Conveniences for apps are mapped too")
  func conveniencesAreMapped() throws {
    let document = try Self.document()
    let mapped = Set(
      Self.names.flatMap { Self.rows(of: $0.section, in: document) }.flatMap(\.ours))
    #expect(Self.conveniences.filter { !mapped.contains($0) } == [])
  }

  @Test("There are no tables but these")
  func noOthers() throws {
    let document = try Self.document()
    let rows = document.split(separator: "\n").count { $0.hasPrefix("| `") }
    #expect(rows == Self.names.reduce(0) { $0 + $1.names.count })
  }
}
