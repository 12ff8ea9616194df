import Dispatch
public import NormalizedCache

/// Stores a cache in one SQLite file, with one transaction per batch.
///
/// The file is in write-ahead mode with `synchronous = NORMAL`: a killed process loses nothing that was
/// written; a power failure loses at most the last batches, never the file. The file is locked while it is
/// open, since two caches in one file would overwrite each other: the second gets `StorageError.locked` and
/// continues in memory.
///
/// Failures cost persistence, never the process:
///
/// | the file | what happens |
/// | --- | --- |
/// | is corrupt, or not an SQLite file | it is renamed to `….corrupt-1`, and a new one is created |
/// | has the schema of a newer program | it is left unchanged, and not used |
/// | is locked by another cache | it is not used; if it is already open, the batch is written later |
/// | cannot be written | it is read, and not written |
/// | or its disk is full | the least recently used rows are dropped; if that does not help, the batch is
/// written later |
///
/// Every call runs on the storage's own queue, so none of the caller's threads waits for the disk.
public final class SQLiteStorage: CacheStorage {
  /// Where and how to store.
  public struct Configuration: Hashable, Sendable {
    public var path: String
    /// The maximum size of the file in bytes, without its write-ahead log (about 4 MB, more during long
    /// batches).
    ///
    /// Above nine tenths, the least recently used rows are dropped until half is in use.
    public var maximumBytes: Int
    /// How long a call waits for another process that has locked the file.
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

  /// The number of rows written since the storage was created, entities and queries; for tests.
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
