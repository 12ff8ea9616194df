import Dispatch
public import NormalizedCache

/// A cache on disk: one SQLite file, written in one transaction per batch.
///
/// The file is in write-ahead mode with `synchronous = NORMAL`: a killed process loses nothing that was
/// written, a power failure at most the last batches, never the file. It is locked for as long as it is
/// open, since two caches in one file would undo each other: the second is told
/// `StorageError.locked` and goes on in memory.
///
/// What fails costs persistence, never the process:
///
/// | the file | what happens |
/// | --- | --- |
/// | is corrupt, or no SQLite file | it is kept under another name, `….corrupt-1`, and a new one is begun |
/// | has the schema of a newer program | it is left untouched, and not used |
/// | is locked by another cache | it is not used; while it is open already, the batch is written later |
/// | cannot be written | it is read, and not written |
/// | or its disk is full | what was used longest ago is dropped; where that does not help, the batch is written later |
///
/// Isolation: every call runs on a queue of the storage's own, so no thread of the caller's waits for
/// the disk.
public final class SQLiteStorage: CacheStorage {
  /// Where and how to store.
  public struct Configuration: Hashable, Sendable {
    public var path: String
    /// The most bytes that the file takes, besides its write-ahead log (some 4 MB, and more while a
    /// longer batch is written).
    ///
    /// When nine tenths are in use, what was used longest ago is dropped until half are.
    public var maximumBytes: Int
    /// How long a call waits for another process that has the file.
    public var busyTimeout: Duration
    /// Opens the file for reading only; for tests of what a write-protected file does.
    package var isReadOnly = false

    public init(
      path: String, maximumBytes: Int = 256 << 20, busyTimeout: Duration = .milliseconds(250)
    ) {
      self.path = path
      self.maximumBytes = maximumBytes
      self.busyTimeout = busyTimeout
    }
  }

  private let queue = DispatchQueue(label: "tidemark.storage", qos: .utility)
  private let file: SQLiteFile

  public init(_ configuration: Configuration) {
    file = SQLiteFile(configuration)
  }

  public convenience init(path: String) {
    self.init(Configuration(path: path))
  }

  public func load() async throws(StorageError) -> State {
    try await perform { file throws(StorageError) in try file.load() }
  }

  public func write(_ batch: Batch) async throws(StorageError) {
    try await perform { file throws(StorageError) in try file.write(batch) }
  }

  public func close() async {
    _ = await onQueue { $0.close() }
  }

  /// Rows written since the storage was made, entities and queries; for tests.
  package var writtenRows: Int {
    get async { await onQueue { $0.writtenRows } }
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteFile) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    let result: Result<Value, StorageError> = await onQueue { file in
      do throws(StorageError) {
        return .success(try body(file))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func onQueue<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteFile) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { [file] in continuation.resume(returning: body(file)) }
    }
  }
}
