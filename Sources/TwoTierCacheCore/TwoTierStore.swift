import CacheFiles
package import CacheModel
import Containers
import EvictionPolicies

/// The decisions of a two-tier cache: a memory tier under an eviction order, and a file for each key behind
/// it.
///
/// A synchronous value without clock, files or waiting: reads, writes and completions go in; next steps come
/// out. The shell is the actor ``TwoTierCache``, or a simulator in virtual time. It performs one
/// ``DiskOperation`` after the other and reports each result; reads of files run concurrently. Instants are
/// times of day, since files keep theirs across launches.
///
/// - `Payload`: a value's representation in memory.
/// - `Content`: a value's representation in its file.
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

  /// Creates a store whose first operation creates and cleans up the folder.
  package init(_ options: TwoTierOptions, seed: UInt64 = 0) throws(TwoTierOptionsError) {
    let order = try options.checked()
    self.options = options
    memory = MemoryTier(options.memoryLimit, order: order, seed: seed)
    maintenance.waiting = [.open, .list]
  }

  /// The use of the memory limit, in its unit.
  package var memoryUsed: Int { memory.used }

  /// The heap memory of the store and its tables, at the allocator's size classes; O(1).
  ///
  /// Excludes values, the storage of keys, and pending writes.
  package var tableBytes: Int {
    AllocationSize.object(holding: MemoryLayout<Self>.size) + memory.tableBytes + writes.tableBytes
      + reads.tableBytes
  }
  /// The heap memory of values, each as one allocation, in bytes.
  package var valueBytes: Int { memory.valueBytes }

  /// Calls `body` with each value in memory, in O(n).
  package func forEachInMemory(_ body: (Payload) -> Void) {
    for entry in memory.entries {
      if let entry { body(entry.payload) }
    }
  }

  /// Whether writers should wait until more has been written.
  package var isCongested: Bool { writes.count > options.maximumPendingWrites }

  /// Whether no operation is due or in progress.
  package var isIdle: Bool { writes.count == 0 && maintenance.isIdle && writes.current == nil }

  // MARK: Reading

  /// Reads a value: from memory, otherwise from its file.
  ///
  /// - Complexity: O(1), plus the eviction order's.
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

  /// Receives the result of reading a file, and returns the answer for all waiting callers.
  package mutating func finishRead(
    _ ticket: ReadTicket, _ reading: FileReading<Payload>, fingerprint: UInt64, at now: Instant
  ) -> FinishedRead<Payload> {
    guard let ended = reads.end(ticket) else { return .again }
    let (key, readers) = (ended.key, ended.readers)
    // Written since: the value that was read may be older.
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
      // Evicted during the check: its file must be read after all.
      guard let entry = memory[key], let file = entry.file else { return .again }
      memory.confirm(key, file, at: ended.began)
      memory.touch(key)
      statistics.memoryHits += readers
      return .hit(entry.payload)
    case .absent:
      // A value that could not be written has no file to match.
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

  /// Returns the value in memory that may be served at an instant; changes nothing.
  package func inMemory(_ key: Key, at now: Instant) -> Payload? {
    guard !isClosed else { return nil }
    if let entry = memory[key], !isAged(entry.written, at: now) { return entry.payload }
    if let value = writes[key]?.value, !isAged(value.written, at: now) { return value.payload }
    return nil
  }

  /// Returns whether a file with this date would be served, if the key has one.
  package func mayServeFile(of key: Key, written: Instant, at now: Instant) -> Bool {
    canReadFiles && writes[key] == nil && !isAged(written, at: now)
  }

  // MARK: Writing

  /// Sets a value: in memory now, in its file later.
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

  /// Removes a value whose bytes cannot be decoded.
  package mutating func drop(_ key: Key) {
    statistics.corruptFiles += 1
    notices.append(.damaged(key))
    remove(key)
  }

  package mutating func removeAll() {
    guard !isClosed else { return }
    reads.outdateAll()
    memory.removeAll()
    writes.removeAll()
    if disk != .unavailable { maintenance.waiting.append(.deleteAll) }
  }

  // MARK: Ending

  /// Requests a clean-up, regardless of writes.
  package mutating func cleanUp() {
    maintenance.scheduleList()
  }

  /// Closes the store: nothing is served or accepted; pending values are still written.
  package mutating func close() {
    guard !isClosed else { return }
    maintenance.scheduleList()
    isClosed = true
    memory.removeAll()
  }

  /// Returns the notices since the last call, and clears them.
  package mutating func takeNotices() -> [TwoTierNotice<Key>] {
    defer { notices = [] }
    return notices
  }

  // MARK: Rules

  /// A date in the future by more than the maximum age counts as too old; otherwise a clock that was set back
  /// would keep files forever.
  func isAged(_ written: Instant, at now: Instant) -> Bool {
    guard let age = options.age else { return false }
    let passed = written.duration(to: now)
    return passed > age || passed < .zero - age
  }

  private func isUnservable(_ written: Instant, at now: Instant) -> Bool {
    !planted(.ageForgottenInMemory) && isAged(written, at: now)
  }

  /// Returns whether a value has not been compared with its file for longer than allowed.
  private func needsLook(_ entry: MemoryTier<Key, Payload>.Entry, at now: Instant) -> Bool {
    guard let lifetime = options.memoryLifetime, !planted(.siblingUnseen), canReadFiles,
      writes[entry.key] == nil
    else { return false }
    return now < entry.checked || entry.checked.duration(to: now) >= lifetime
  }

  /// While all files are being removed, none is read: it may be one of those.
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

  /// Returns the first inconsistency of the store, in O(n), for tests; `nil`: none.
  package func invariantFailure() -> String? { memory.invariantFailure() }
}
