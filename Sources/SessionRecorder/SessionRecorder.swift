public import NormalizedCache

/// Records an app's use of its cache, so that `tidemark` can simulate which policy, and how much memory, would have
/// served these users best.
///
/// ```swift
/// let recorder = await SessionRecorder.record(cache, to: "session.jsonl")
/// ```
///
/// A file contains identifiers, sizes, versions and times, but no names and no values. The cache waits only while
/// these are copied into memory: the recorder's own queue formats and writes the lines. If the disk is slow or
/// full, lines are lost, and the cache goes on: ``report`` has their number, and the file has their place.
///
/// A file begins with the content of the cache, so recording may begin at any time, and each file can be simulated
/// by itself. Copying the content takes O(rows of all cached queries), once for each file; nothing else does.
///
/// Recording ends with ``stop()``, or with the cache.
public final class SessionRecorder: Sendable {
  private let writer: SessionWriter
  private let end: @Sendable () async -> Void

  private init(_ writer: SessionWriter, endingBy end: @escaping @Sendable () async -> Void) {
    self.writer = writer
    self.end = end
  }

  /// Records a cache whose queries are types.
  ///
  /// An earlier recorder of this cache receives nothing more.
  ///
  /// - Parameters:
  ///   - cache: the cache to record; it is not kept alive.
  ///   - path: the file; an existing one is renamed, to `session.1.jsonl`.
  ///   - options: how much to write, and how.
  /// - Returns: the recorder, which need not be kept.
  @discardableResult
  public static func record<Schema: ListSchema>(
    _ cache: NormalizedCache<Schema>, to path: String, options: RecorderOptions = RecorderOptions()
  ) async -> SessionRecorder {
    await record(cache, to: PathFile(path: path), options) { SessionOutline(of: $0) }
  }

  /// Records a cache with the app's own schema.
  ///
  /// Operations of other types and methods than these are left out, and counted. At most 58 of each are recorded.
  ///
  /// - Parameters:
  ///   - cache: the cache to record; it is not kept alive.
  ///   - path: the file; an existing one is renamed, to `session.1.jsonl`.
  ///   - types: the types of entities, with the app's names.
  ///   - methods: the methods of queries, with the app's names.
  ///   - options: how much to write, and how.
  /// - Returns: the recorder, which need not be kept.
  @discardableResult
  public static func record<Schema: CacheSchema>(
    _ cache: NormalizedCache<Schema>, to path: String, types: [(ResourceType, String)],
    methods: [(QueryMethod, String)], options: RecorderOptions = RecorderOptions()
  ) async -> SessionRecorder {
    await record(cache, to: PathFile(path: path), options) {
      SessionOutline(types: types, methods: methods, schema: $0)
    }
  }

  /// Records into a file of any kind; for tests.
  package static func record<Schema: ListSchema>(
    _ cache: NormalizedCache<Schema>, into file: sending any RecordingFile,
    options: RecorderOptions = RecorderOptions()
  ) async -> SessionRecorder {
    await record(cache, to: file, options) { SessionOutline(of: $0) }
  }

  private static func record<Schema: CacheSchema>(
    _ cache: NormalizedCache<Schema>, to file: sending any RecordingFile,
    _ options: RecorderOptions, _ outline: @Sendable (Schema) -> SessionOutline
  ) async -> SessionRecorder {
    let writer = SessionWriter(outline(await cache.schema), options, file)
    await cache.beginRecording(by: writer)
    return SessionRecorder(writer) { [weak cache] in await cache?.endRecording() }
  }

  /// How much was written, and how much was lost.
  public var report: RecorderReport { writer.report }

  /// Returns when everything that happened before is in the file, or is lost.
  ///
  /// Call it when the app goes to the background: otherwise up to a tenth of a second is lost with the process.
  public func flush() async { await writer.flush() }

  /// Ends the recording, and returns when everything is in the file.
  public func stop() async {
    await end()
    await writer.flush(isLast: true)
  }
}

/// How a session is recorded.
public struct RecorderOptions: Hashable, Sendable {
  /// How a file identifies libraries and entities.
  public enum Identifiers: Hashable, Sendable {
    /// By their own identifiers: a random one reveals nothing by itself, and is the same in every file.
    case kept
    /// By numbers in the order of appearance, which begin again in each file.
    case numbered
  }

  /// The most bytes of one file; the next file begins with the content of the cache at that time.
  public var maximumBytes = 16 << 20
  /// The number of files to keep, with the one that is written.
  public var files = 2
  /// The most operations in memory that wait for the disk; others are left out, and counted.
  public var bufferedOperations = 16_384
  public var identifiers = Identifiers.kept
  /// Whether the file has the app's names of types and queries instead of numbers.
  public var namesTypes = false
  /// The name of the session, and of the policy that the app runs, in reports.
  public var name = "app"

  public init() {}
}

/// How much a recorder has written and lost so far.
public struct RecorderReport: Hashable, Sendable {
  /// Operations that were left out, because the buffer was full or the file could not be written.
  ///
  /// The file has a line with their number, if it can be written again.
  public internal(set) var lost = 0
  /// Operations that the format cannot express, such as clearing a single library.
  ///
  /// The file has a line with their number.
  public internal(set) var withoutPlace = 0
  /// Lines in all files.
  public internal(set) var lines = 0
  /// Bytes in the present file.
  public internal(set) var bytes = 0
  /// Files that were begun.
  public internal(set) var files = 0
  /// Why the file cannot be written; `nil` if it can.
  public internal(set) var error: String?

  init() {}
}
