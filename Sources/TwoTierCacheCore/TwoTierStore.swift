import CacheFiles
package import CacheModel
import Containers
import EvictionPolicies

/// Decides for a two-tier cache: a memory tier under an eviction order, and a file for each key behind it.
///
/// A synchronous value without a clock, a file or a wait: a read, a write or the end of something goes in;
/// what to do next comes out. The shell is the actor ``TwoTierCache``; another may drive it in virtual time.
/// The shell does one ``DiskOperation`` after the other and says what came of each; reads of files go beside
/// them. Instants are times of day, since files keep theirs across launches.
///
/// - `Payload`: what memory holds of a value.
/// - `Content`: what its file holds.
package struct TwoTierStore<Key: Hashable & Sendable, Payload: Sendable, Content: Sendable>:
  ~Copyable
{
  package let options: TwoTierOptions
  package internal(set) var statistics = TwoTierStatistics()
  package internal(set) var disk = TwoTierDisk.available
  package internal(set) var isClosed = false
  package var planted = DefectHook<PlantedTwoTierDefect>()

  var memory: MemoryTier<Key, Payload>
  var writes = PendingWrites<Key, Payload, Content>()
  var reads = OpenReads<Key>()
  var maintenance = Maintenance()
  var notices: [TwoTierNotice<Key>] = []
  private var generation: UInt64 = 0

  /// Begins with the folder to be made and cleaned up.
  package init(_ options: TwoTierOptions, seed: UInt64 = 0) throws(TwoTierOptionsError) {
    let order = try options.checked()
    self.options = options
    memory = MemoryTier(options.memoryLimit, order: order, seed: seed)
    maintenance.waiting = [.open, .list]
  }

  /// What they count for, in the unit of the limit.
  package var memoryUsed: Int { memory.used }

  /// What the store and its tables take, at the allocator's size classes; O(1).
  ///
  /// Values are not in it, what keys point to, nor what waits to be written.
  package var tableBytes: Int {
    AllocationSize.object(holding: MemoryLayout<Self>.size) + memory.tableBytes + writes.tableBytes
      + reads.tableBytes
  }
  /// What the values in memory take where each is one piece of memory, in bytes.
  package var valueBytes: Int { memory.valueBytes }

  /// Calls with each value in memory, in O(n).
  package func forEachInMemory(_ body: (Payload) -> Void) {
    for entry in memory.entries {
      if let entry { body(entry.payload) }
    }
  }

  /// Whether whoever writes should wait until more has reached the files.
  package var isCongested: Bool { writes.count > options.maximumPendingWrites }

  /// Whether nothing waits to be done, and nothing is being done.
  package var isIdle: Bool { writes.count == 0 && maintenance.isIdle && writes.current == nil }

  // MARK: Reading

  /// Reads a value: memory first, then its file.
  ///
  /// - Complexity: O(1), and the eviction order's.
  package mutating func read(_ key: Key, at now: Instant) -> ReadStep<Payload> {
    scheduleCleanUp(at: now)
    guard !isClosed else { return miss() }
    if let entry = memory[key] {
      if !isUnservable(entry.written, at: now) {
        guard needsLook(entry, at: now) else {
          memory.touch(key)
          statistics.memoryHits += 1
          return .hit(entry.payload)
        }
        return fileStep(key, known: entry.file, at: now)
      }
      memory.remove(key, cause: .expired)
    }
    if let pending = writes[key], !planted(.unwrittenForgotten) {
      guard let value = pending.value, !isAged(value.written, at: now) else { return miss() }
      statistics.memoryHits += 1
      return .hit(value.payload)
    }
    guard canReadFiles else { return miss() }
    return fileStep(key, known: nil, at: now)
  }

  /// Takes what came of a read of a file, and says what to answer to all who wait for it.
  package mutating func finishRead(
    _ ticket: ReadTicket, _ reading: FileReading<Payload>, fingerprint: UInt64, at now: Instant
  ) -> FinishedRead<Payload> {
    guard let ended = reads.end(ticket) else { return .again }
    let (key, readers) = (ended.key, ended.readers)
    // Written since: the file that was read may be the older one.
    if ended.isOutdated && !planted(.promotionOverWrite) { return .again }
    guard canReadFiles, !isClosed else { return missed(readers) }
    switch reading {
    case .found(let payload, let bytes, let file):
      guard !isAged(file.written, at: now) else {
        memory.remove(key, cause: .expired)
        return missed(readers)
      }
      let entry = MemoryTier<Key, Payload>.Entry(
        key: key, payload: payload, bytes: bytes, fingerprint: fingerprint, written: file.written,
        checked: ended.began, file: file, generation: 0)
      if memory.insert(entry) { statistics.promotions += 1 }
      statistics.evictions = memory.evictions
      statistics.diskHits += readers
      return .hit(payload)
    case .unchanged:
      // Evicted while somebody looked: its file is to be read after all.
      guard let entry = memory[key], let file = entry.file else { return .again }
      memory.confirm(key, file, at: ended.began)
      memory.touch(key)
      statistics.memoryHits += readers
      return .hit(entry.payload)
    case .absent:
      // What could not be written has no file to agree with.
      if let entry = memory[key], entry.file == nil, !isUnservable(entry.written, at: now) {
        memory.confirm(key, nil, at: ended.began)
        memory.touch(key)
        statistics.memoryHits += readers
        return .hit(entry.payload)
      }
      memory.remove(key, cause: .invalidated)
      return missed(readers)
    case .damaged(let file):
      memory.remove(key, cause: .invalidated)
      statistics.corruptFiles += 1
      notices.append(.damaged(key))
      if let file, !planted(.damageKept) { maintenance.waiting.append(.delete([file])) }
      return missed(readers)
    case .unreadable(let failure):
      statistics.unreadableFiles += 1
      notices.append(.unreadable(key, failure))
      guard let entry = memory[key], !isUnservable(entry.written, at: now) else {
        return missed(readers)
      }
      statistics.memoryHits += readers
      return .hit(entry.payload)
    }
  }

  /// What memory holds of a key, to be served at an instant; changes nothing.
  package func inMemory(_ key: Key, at now: Instant) -> Payload? {
    guard !isClosed else { return nil }
    if let entry = memory[key], !isAged(entry.written, at: now) { return entry.payload }
    if let value = writes[key]?.value, !isAged(value.written, at: now) { return value.payload }
    return nil
  }

  /// Whether a file of that date would be served, if the key has one.
  package func mayServeFile(of key: Key, written: Instant, at now: Instant) -> Bool {
    canReadFiles && writes[key] == nil && !isAged(written, at: now)
  }

  // MARK: Writing

  /// Sets a value: in memory now, in its file when its turn comes.
  package mutating func write(
    _ key: Key, _ payload: Payload, content: Content, bytes: Int, fingerprint: UInt64,
    at now: Instant
  ) {
    guard !isClosed else { return }
    generation += 1
    statistics.writes += 1
    reads.outdate(key)
    memory.insert(
      MemoryTier<Key, Payload>.Entry(
        key: key, payload: payload, bytes: bytes, fingerprint: fingerprint, written: now,
        checked: now, file: nil, generation: generation))
    statistics.evictions = memory.evictions
    if disk != .unavailable {
      let isTooLarge = bytes > min(options.maximumValueBytes, options.diskBytes ?? .max)
      if isTooLarge { statistics.tooLarge += 1 }
      let isWritten =
        !isTooLarge && (disk == .available || maintenance.triesFullDisk(options, at: now))
      writes.add(
        key,
        isWritten
          ? PendingWrites.Value(payload: payload, content: content, written: now) : nil,
        generation: generation)
    }
    maintenance.writes += 1
    scheduleCleanUp(at: now)
  }

  /// Removes a value from memory and from the files.
  package mutating func remove(_ key: Key) {
    guard !isClosed else { return }
    generation += 1
    reads.outdate(key)
    memory.remove(key, cause: .deleted)
    if disk != .unavailable { writes.add(key, nil, generation: generation) }
  }

  /// Removes a value of whose bytes nothing can be made.
  package mutating func drop(_ key: Key) {
    statistics.corruptFiles += 1
    notices.append(.damaged(key))
    remove(key)
  }

  /// Removes all values.
  package mutating func removeAll() {
    guard !isClosed else { return }
    reads.outdateAll()
    memory.removeAll()
    writes.removeAll()
    if disk != .unavailable { maintenance.waiting.append(.deleteAll) }
  }

  // MARK: Ending

  /// Cleans up, whatever was written.
  package mutating func cleanUp() {
    maintenance.scheduleList()
  }

  /// Serves and takes nothing from here on; what waits is written nevertheless.
  package mutating func close() {
    guard !isClosed else { return }
    maintenance.scheduleList()
    isClosed = true
    memory.removeAll()
  }

  /// What was to be said since the last call.
  package mutating func takeNotices() -> [TwoTierNotice<Key>] {
    defer { notices = [] }
    return notices
  }

  // MARK: Rules

  /// A date ahead of the clock by more than the age is past it too, or a clock that was set back would keep
  /// files forever.
  func isAged(_ written: Instant, at now: Instant) -> Bool {
    guard let age = options.age else { return false }
    let passed = written.duration(to: now)
    return passed > age || passed < .zero - age
  }

  private func isUnservable(_ written: Instant, at now: Instant) -> Bool {
    !planted(.ageForgottenInMemory) && isAged(written, at: now)
  }

  /// Whether memory has not compared a value with its file for longer than it may.
  private func needsLook(_ entry: MemoryTier<Key, Payload>.Entry, at now: Instant) -> Bool {
    guard let lifetime = options.memoryLifetime, !planted(.siblingUnseen), canReadFiles,
      writes[entry.key] == nil
    else { return false }
    return now < entry.checked || entry.checked.duration(to: now) >= lifetime
  }

  /// While files are being removed, all of them, none is read: it may be one of those.
  private var canReadFiles: Bool { disk != .unavailable && !maintenance.isDeletingAll }

  private mutating func fileStep(
    _ key: Key, known: StoredFile?, at now: Instant
  ) -> ReadStep<Payload> {
    if let ticket = reads.join(key) { return .join(ticket) }
    return .file(reads.begin(key, at: now), known: known)
  }

  private mutating func miss() -> ReadStep<Payload> {
    statistics.misses += 1
    return .miss
  }

  private mutating func missed(_ readers: Int) -> FinishedRead<Payload> {
    statistics.misses += readers
    return .miss
  }

  /// What is wrong with the store, in O(n), for tests; `nil` where nothing is.
  package func invariantFailure() -> String? { memory.invariantFailure() }
}
