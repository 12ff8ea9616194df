// An app has the options, statistics and errors of the design with the design.
package import CacheFiles
import CacheModel
import FileHashing
public import Foundation
public import Logging
import Synchronization
@_exported public import TwoTierCacheCore

/// A cache in memory over a folder of files: what is in neither is a miss.
///
/// ```swift
/// let tiles = try TwoTierCache<TileKey, Data>(identifier: "radar", folder: .cachesDirectory)
/// await tiles.set(image, for: key)
/// let image = await tiles.value(for: key)
/// ```
///
/// A value is set in memory and written to its file behind that, in order for each key; see ``flush()``. The
/// process may be killed at any instant: a file holds an old value or a new one, whole. What is damaged
/// nevertheless is a miss, and is removed. Caches of one identifier in one folder share files, in one process or
/// several; those of others never meet. Where there is no folder, no space and no right, the cache is in memory
/// only, and says so once. No call throws but the initializer, for settings that cannot be.
///
/// A key is its description, byte for byte in UTF-8, in memory and on disk: two keys whose descriptions differ in
/// bytes are two, even where Swift calls them equal, as it does `é` as one scalar and as two. Descriptions must be
/// the same in every launch. Nothing of a key reaches a file's name but its hash.
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
  /// Who reads what is being read already.
  private var readers: [ReadTicket: [CheckedContinuation<FinishedRead<Copy>, Never>]] = [:]
  /// Who waits until less waits to be written.
  private var writers: [CheckedContinuation<Void, Never>] = []
  /// Who waits until all is written.
  private var flushes: [CheckedContinuation<Void, Never>] = []

  /// Opens a cache; what its folder holds is cleaned up beside that.
  ///
  /// - Parameters:
  ///   - identifier: names the folder of this cache, by its hash.
  ///   - folder: in which that folder is made.
  ///   - options: limits, order and ages.
  ///   - logger: told what goes wrong, without any value or key.
  ///   - instrument: told of intervals.
  ///   - timeOfDay: the clock that ages are reckoned by.
  /// - Throws: an error about the first option that cannot be.
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

  /// The same over a folder that a test has prepared.
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

  /// Where the files are.
  public nonisolated var folder: URL { URL(fileURLWithPath: files.folder.path, isDirectory: true) }

  /// What was done since the cache was made.
  public var statistics: TwoTierStatistics { store.statistics }

  /// Whether there are files.
  public var disk: TwoTierDisk { store.disk }

  // MARK: Reading

  /// The value of a key: from memory, else from its file, and then in memory too.
  ///
  /// - Returns: `nil` where neither has it, or it is past its age.
  public nonisolated func value(for key: Key) async -> Value? {
    let interval = begin(.read)
    defer { end(.read, interval) }
    let key = TextKey(key.description)
    switch await copy(of: key) {
    case .value(let value)?: return value
    case .bytes(let data)?:
      // Decoded where the caller waits, not on the actor.
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

  /// Whether memory has a value; its file is not looked at.
  public func contains(_ key: Key) -> Bool {
    hasInMemory(TextKey(key.description))
  }

  private func hasInMemory(_ key: TextKey) -> Bool { store.inMemory(key, at: now) != nil }

  /// Whether memory or a file has a value.
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
  /// Whoever reads after the call has the value. It waits where more keys than
  /// ``TwoTierOptions/maximumPendingWrites`` wait to be written, until fewer do.
  public nonisolated func set(_ value: Value, for key: Key) async {
    // Encoded and hashed where the caller waits, not on the actor.
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

  /// Removes all values of this cache, and those of its siblings from their files.
  public func removeAll() {
    store.removeAll()
    startWorking()
  }

  /// Removes bytes of which no value can be made, unless they have been replaced.
  private func drop(_ key: TextKey, _ data: Data) {
    guard case .bytes(data)? = store.inMemory(key, at: now) else { return }
    store.drop(key)
    startWorking()
  }

  // MARK: Files

  /// Waits until all that has been set is in files, as far as there are any.
  public func flush() async {
    startWorking()
    while isWorking || !store.isIdle && store.disk != .unavailable {
      await withCheckedContinuation { flushes.append($0) }
    }
  }

  /// Removes the files that are past their age, and those above the limit on bytes; waits until they are.
  public func cleanUp() async {
    store.cleanUp()
    await flush()
  }

  /// Writes what waits, cleans up, and ends: afterwards every read is a miss, and what is set is lost.
  public func close() async {
    store.close()
    await flush()
  }

  /// Carries out what the store asks for, one after the other, until it asks for nothing more.
  ///
  /// The task holds the cache meanwhile, so what was set is written even if its last owner lets it go.
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
    // Beyond what nanoseconds of 64 bits reach there is no telling ages.
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
  /// With the names of files instead of keys.
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

/// Told when something begins and ends that takes time: for signposts, traces and timers.
///
/// Called where it happens, from several threads at once, so it should return within microseconds. The two
/// calls of an interval bear the same number, which no other interval of the cache has.
public protocol TwoTierInstrument: Sendable {
  func didBegin(_ interval: TwoTierInterval, id: UInt64)
  func didEnd(_ interval: TwoTierInterval, id: UInt64)
}

/// What takes time in a two-tier cache.
public enum TwoTierInterval: String, Hashable, Sendable, CaseIterable {
  /// A read by the app, whichever tier answers.
  case read
  /// A look at a file, and reading and decoding it.
  case diskRead
  /// The removal of orphans and the listing of files, or the deletion of those that were too many.
  case cleanUp
}

/// A value that a two-tier cache can keep in a file.
///
/// What ``init(data:)`` makes of ``data`` should be equal to the value. `Data` is one at no cost.
public protocol CachedValue: Sendable {
  /// The value as bytes.
  var data: Data { get }

  /// The value of such bytes.
  ///
  /// - Throws: anything where these are none; the file that they came from is removed then.
  init(data: Data) throws
}

extension Data: CachedValue {
  public var data: Data { self }

  public init(data: Data) { self = data }
}
