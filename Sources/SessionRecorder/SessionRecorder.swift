public import NormalizedCache

/// Records what happens to an app's cache, for the package's tool to simulate: which policy, and how much
/// memory, would have served these users best.
///
/// ```swift
/// let recorder = await SessionRecorder.record(cache, to: "session.jsonl")
/// ```
///
/// A file holds identifiers, sizes, versions and times, and neither names nor values. What the cache waits
/// for is a copy of these into memory: a queue of the recorder's own makes lines of them, and writes these. A
/// disk that is slow or full costs lines, never the cache: ``report`` says how many, and the file says where.
///
/// A file begins with what the cache holds, so recording may begin at any time, and each file can be
/// simulated by itself. That copy is the only thing that takes O(rows of all cached queries); it is made once
/// for each file.
///
/// It ends with ``stop()``, or with the cache.
public final class SessionRecorder: Sendable {
  private let writer: SessionWriter
  private let end: @Sendable () async -> Void

  private init(_ writer: SessionWriter, endingBy end: @escaping @Sendable () async -> Void) {
    self.writer = writer
    self.end = end
  }

  /// Records a cache whose queries are types.
  ///
  /// A recorder that was recording it before gets no more.
  ///
  /// - Parameters:
  ///   - cache: not kept alive.
  ///   - path: where the file is begun; one that is there gets another name, `session.1.jsonl`.
  ///   - options: how much is written, and how.
  /// - Returns: the recorder, which need not be kept.
  @discardableResult
  public static func record<Schema: ListSchema>(
    _ cache: NormalizedCache<Schema>, to path: String, options: RecorderOptions = RecorderOptions()
  ) async -> SessionRecorder {
    await record(cache, to: PathFile(path: path), options) { SessionOutline(of: $0) }
  }

  /// Records a cache with a schema of the app's own.
  ///
  /// What is of no type or method that is named here is left out, and counted. At most 58 of each are taken.
  ///
  /// - Parameters:
  ///   - cache: not kept alive.
  ///   - path: where the file is begun; one that is there gets another name, `session.1.jsonl`.
  ///   - types: of entities, with the app's names of them.
  ///   - methods: of queries, with the app's names of them.
  ///   - options: how much is written, and how.
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

  /// The same into a file of any kind; for tests.
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

  /// What was written, and what was not.
  public var report: RecorderReport { writer.report }

  /// Returns when all that happened before is in the file, or is lost.
  ///
  /// For an app that goes to the background: else up to a tenth of a second is lost with the process.
  public func flush() async { await writer.flush() }

  /// Records no more, and returns when all is in the file.
  public func stop() async {
    await end()
    await writer.flush(isLast: true)
  }
}

/// How a session is recorded.
public struct RecorderOptions: Hashable, Sendable {
  /// What a file says of who and what it is about.
  public enum Identifiers: Hashable, Sendable {
    /// As they are: what is random tells nothing by itself, and names the same entity in every file.
    case kept
    /// Numbered in the order of appearance, again in each file.
    case numbered
  }

  /// The most bytes of one file; the next one begins with what the cache holds then.
  public var maximumBytes = 16 << 20
  /// How many files are kept, the one that is written included.
  public var files = 2
  /// The most happenings that are kept in memory until the disk takes them; what comes beyond is left out,
  /// and counted.
  public var bufferedHappenings = 16_384
  public var identifiers = Identifiers.kept
  /// Whether the file calls types and queries by the app's names of them, and not by numbers.
  public var namesTypes = false
  /// What reports call the session, and the policy that the app runs.
  public var name = "app"

  public init() {}
}

/// What a recorder has done so far.
public struct RecorderReport: Hashable, Sendable {
  /// Happenings that were left out, because more happened than the buffer holds or the file could not be
  /// written.
  ///
  /// The file says so too, where it can be written again.
  public internal(set) var lost = 0
  /// Happenings for which the format has no place: a library that the app cleared, for one.
  ///
  /// The file says so too.
  public internal(set) var withoutPlace = 0
  /// Lines in all files.
  public internal(set) var lines = 0
  /// Bytes in the present file.
  public internal(set) var bytes = 0
  /// Files that were begun.
  public internal(set) var files = 0
  /// Why the file could not be written last, until it can; `nil`: it can.
  public internal(set) var error: String?

  init() {}
}
