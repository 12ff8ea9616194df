// Re-exported, so that an app gets the options, statistics and errors with the cache.
package import CacheFiles
import CacheModel
import FileHashing
public import Foundation
public import Logging
import Synchronization
@_exported public import TwoTierCacheCore

/// A memory cache backed by a folder of files: a value in neither is a miss.
///
/// ```swift
/// let tiles = try TwoTierCache<TileKey, Data>(identifier: "radar", folder: .cachesDirectory)
/// await tiles.set(image, for: key)
/// let image = await tiles.value(for: key)
/// ```
///
/// A value is set in memory and written to its file later, in order for each key; see ``flush()``. The
/// process may be killed at any time: a file has an old or a new value, complete. A damaged file is a miss,
/// and is removed. Caches with the same identifier in one folder share files, within a process or across
/// several; others are separate. Without a folder, space or permission, the cache works in memory only, and
/// logs that once. No call throws except the initializer, for invalid options.
///
/// Keys are compared by their descriptions, byte by byte in UTF-8, in memory and on disk: descriptions with
/// different bytes are different keys, even if Swift compares them as equal, as it does `é` as one scalar and
/// as two. Descriptions must be the same at every launch. File names contain only a hash of the key.
public actor TwoTierCache<
  Key: Hashable & CustomStringConvertible & Sendable, Value: CachedValue
> {
  typealias Copy = MemoryCopy<Value>

  nonisolated let files: SealedFiles
  nonisolated let logger: Logger
  private nonisolated let lanes: FileLanes
  private nonisolated let timeOfDay: @Sendable () -> Date
  private nonisolated let instrument: (any TwoTierInstrument)?
  private nonisolated let intervals = Atomic<UInt64>(0)

  var store: TwoTierStore<TextKey, Copy, Data>
  private var isWorking = false
  /// The callers that wait for another caller's read.
  private var readers: [ReadTicket: [CheckedContinuation<FinishedRead<Copy>, Never>]] = [:]
  /// The callers that wait until fewer writes are pending.
  private var writers: [CheckedContinuation<Void, Never>] = []
  /// The callers that wait until everything is written.
  private var flushes: [CheckedContinuation<Void, Never>] = []

  /// Opens a cache; its folder is cleaned up in the background.
  ///
  /// - Parameters:
  ///   - identifier: names this cache's folder, by its hash.
  ///   - folder: the parent of that folder.
  ///   - options: limits, order and ages.
  ///   - logger: logs failures, without any value or key.
  ///   - instrument: notified of intervals.
  ///   - timeOfDay: the clock for ages.
  /// - Throws: an error about the first invalid option.
  public init(
    identifier: String, folder: URL, options: TwoTierOptions = TwoTierOptions(),
    logger: Logger = Logger(label: "two-tier-cache"), instrument: (any TwoTierInstrument)? = nil,
    timeOfDay: @escaping @Sendable () -> Date = { Date() }
  ) throws(TwoTierOptionsError) {
    let path = folder.appendingPathComponent(FileName(hashing: identifier).description).path
    try self.init(
      FileFolder(path: path), options: options, logger: logger, instrument: instrument,
      timeOfDay: timeOfDay)
  }

  /// Opens a cache in a folder prepared by a test.
  package init(
    _ folder: FileFolder, options: TwoTierOptions, logger: Logger,
    instrument: (any TwoTierInstrument)? = nil,
    timeOfDay: @escaping @Sendable () -> Date = { Date() }
  ) throws(TwoTierOptionsError) {
    store = try TwoTierStore(options)
    files = SealedFiles(folder: folder, options: options)
    lanes = FileLanes(label: "two-tier-cache")
    self.logger = logger
    self.instrument = instrument
    self.timeOfDay = timeOfDay
    Task { await self.startWorking() }
  }

  /// The folder of the files.
  public nonisolated var folder: URL { URL(fileURLWithPath: files.folder.path, isDirectory: true) }

  /// The counts since the cache was created.
  public var statistics: TwoTierStatistics { store.statistics }

  /// The state of the files.
  public var disk: TwoTierDisk { store.disk }

  // MARK: Reading

  /// Returns the value of a key: from memory, otherwise from its file, which also puts it in memory.
  ///
  /// - Returns: `nil` if neither has it, or it has exceeded its maximum age.
  public nonisolated func value(for key: Key) async -> Value? {
    let interval = begin(.read)
    defer { end(.read, interval) }
    let key = TextKey(key.description)
    switch await copy(of: key) {
    case .value(let value)?: return value
    case .bytes(let data)?:
      // Decoded in the caller's context, not on the actor.
      if let value = try? Value(data: data) { return value }
      await drop(key, data)
      return nil
    case nil: return nil
    }
  }

  private func copy(of key: TextKey) async -> Copy? {
    while true {
      let step = store.read(key, at: now)
      startWorking()
      let finished: FinishedRead<Copy>
      switch step {
      case .hit(let copy): return copy
      case .miss: return nil
      case .join(let ticket):
        finished = await withCheckedContinuation { readers[ticket, default: []].append($0) }
      case .file(let ticket, let known):
        let name = known?.name ?? FileName(hashing: key.text)
        let reading = await readFile(name, known: known)
        finished = store.finishRead(ticket, reading, fingerprint: name.fingerprint, at: now)
        for reader in readers.removeValue(forKey: ticket) ?? [] {
          reader.resume(returning: finished)
        }
        startWorking()
      }
      switch finished {
      case .hit(let copy): return copy
      case .miss: return nil
      case .again: continue
      }
    }
  }

  private func readFile(_ name: FileName, known: StoredFile?) async -> FileReading<Copy> {
    let (files, form, use) = (files, store.options.memoryForm, now)
    let interval = begin(.diskRead)
    defer { end(.diskRead, interval) }
    return await lanes.read { files.read(name, known: known, as: form, use: use) }
  }

  /// Returns whether memory has a value; does not check the file.
  public func contains(_ key: Key) -> Bool {
    hasInMemory(TextKey(key.description))
  }

  private func hasInMemory(_ key: TextKey) -> Bool { store.inMemory(key, at: now) != nil }

  /// Returns whether memory or a file has a value.
  ///
  /// The file is not read, so it may turn out to be damaged.
  public func containsOnDisk(_ key: Key) async -> Bool {
    let key = TextKey(key.description)
    if hasInMemory(key) { return true }
    let files = files
    let name = FileName(hashing: key.text)
    let file = await lanes.read { try? files.folder.look(at: name) }
    // It may have been set meanwhile.
    if hasInMemory(key) { return true }
    return file.map { store.mayServeFile(of: key, written: $0.written, at: now) } ?? false
  }

  // MARK: Writing

  /// Sets the value of a key.
  ///
  /// Every later read returns it. The call waits while more than ``TwoTierOptions/maximumPendingWrites`` keys
  /// are waiting to be written.
  public nonisolated func set(_ value: Value, for key: Key) async {
    // Encoded and hashed in the caller's context, not on the actor.
    let key = TextKey(key.description)
    await write(value, value.data, for: key, in: FileName(hashing: key.text))
  }

  private func write(_ value: Value, _ data: Data, for key: TextKey, in name: FileName) async {
    let copy: Copy = store.options.memoryForm == .values ? .value(value) : .bytes(data)
    store.write(
      key, copy, content: data, bytes: data.count, fingerprint: name.fingerprint, at: now)
    startWorking()
    while store.isCongested { await withCheckedContinuation { writers.append($0) } }
  }

  /// Removes the value of a key from memory and its file.
  public func remove(_ key: Key) {
    store.remove(TextKey(key.description))
    startWorking()
  }

  /// Removes all values of this cache, and those of other caches with the same identifier from their files.
  public func removeAll() {
    store.removeAll()
    startWorking()
  }

  /// Removes bytes that cannot be decoded, unless they have been replaced.
  private func drop(_ key: TextKey, _ data: Data) {
    guard case .bytes(data)? = store.inMemory(key, at: now) else { return }
    store.drop(key)
    startWorking()
  }

  // MARK: Files

  /// Waits until all set values are in files, if there are files.
  public func flush() async {
    startWorking()
    while isWorking || !store.isIdle && store.disk != .unavailable {
      await withCheckedContinuation { flushes.append($0) }
    }
  }

  /// Removes files above the maximum age and those above the size limit, and waits for that.
  public func cleanUp() async {
    store.cleanUp()
    await flush()
  }

  /// Writes pending values, cleans up, and closes: later reads are misses, and later values are lost.
  public func close() async {
    store.close()
    await flush()
  }

  /// Carries out the store's operations in sequence until there are none.
  ///
  /// The task keeps the cache alive meanwhile, so set values are written even after its last owner releases
  /// it.
  private func startWorking() {
    guard !isWorking, let first = store.nextOperation(at: now) else { return }
    isWorking = true
    Task {
      var next: DiskOperation<TextKey, Data>? = first
      while let operation = next {
        let result = await self.perform(operation)
        self.store.finishOperation(result, at: self.now)
        self.tell()
        if !self.store.isCongested { Self.resume(&self.writers) }
        next = self.store.nextOperation(at: self.now)
      }
      self.isWorking = false
      Self.resume(&self.writers)
      Self.resume(&self.flushes)
    }
  }

  private func perform(_ operation: DiskOperation<TextKey, Data>) async -> DiskResult {
    let files = files
    var interval: UInt64?
    switch operation {
    case .list, .delete: interval = begin(.cleanUp)
    case .open, .write, .remove, .deleteAll: break
    }
    defer { if let interval { end(.cleanUp, interval) } }
    return await lanes.write { files.perform(operation.named) }
  }

  private static func resume(_ waiting: inout [CheckedContinuation<Void, Never>]) {
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }

  // MARK: Clock and intervals

  private var now: Instant {
    let seconds = timeOfDay().timeIntervalSince1970
    // Beyond the range of 64-bit nanoseconds ages cannot be computed.
    let clamped = min(max(seconds, -9e9), 9e9)
    return Instant(nanoseconds: Int64(clamped * 1e9))
  }

  private nonisolated func begin(_ interval: TwoTierInterval) -> UInt64 {
    guard let instrument else { return 0 }
    let id = intervals.wrappingAdd(1, ordering: .relaxed).newValue
    instrument.didBegin(interval, id: id)
    return id
  }

  private nonisolated func end(_ interval: TwoTierInterval, _ id: UInt64) {
    instrument?.didEnd(interval, id: id)
  }
}

extension DiskOperation where Key == TextKey {
  /// The same with file names instead of keys.
  fileprivate var named: DiskOperation<FileName, Content> {
    switch self {
    case .open: .open
    case .write(let key, let content, let date):
      .write(FileName(hashing: key.text), content, date: date)
    case .remove(let key): .remove(FileName(hashing: key.text))
    case .list: .list
    case .delete(let files): .delete(files)
    case .deleteAll: .deleteAll
    }
  }
}

/// Notified when an interval begins and ends: for signposts, traces and timers.
///
/// Called on several threads at once, so it should return within microseconds. Both calls of an interval have
/// the same number, unique within the cache.
public protocol TwoTierInstrument: Sendable {
  func didBegin(_ interval: TwoTierInterval, id: UInt64)
  func didEnd(_ interval: TwoTierInterval, id: UInt64)
}

/// An interval of a two-tier cache.
public enum TwoTierInterval: String, Hashable, Sendable, CaseIterable {
  /// A read by the app, whichever tier answers.
  case read
  /// A check of a file, and reading and decoding it.
  case diskRead
  /// Removing orphans and listing files, or deleting excess files.
  case cleanUp
}

/// A value that a two-tier cache can store in a file.
///
/// ``init(data:)`` should recreate an equal value from ``data``. `Data` conforms at no cost.
public protocol CachedValue: Sendable {
  /// The value as bytes.
  var data: Data { get }

  /// Decodes a value.
  ///
  /// - Throws: any error if the bytes are invalid; their file is then removed.
  init(data: Data) throws
}

extension Data: CachedValue {
  public var data: Data { self }

  public init(data: Data) { self = data }
}
