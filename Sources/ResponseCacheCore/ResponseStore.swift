package import CacheModel
import EvictionPolicies

/// The decisions of a response cache: what is served, requested, written and removed.
///
/// A synchronous value without clock, files, network or waiting: fetches, answers and completions go in; next
/// steps come out. The shell is the actor ``ResponseCache``, or a simulator in virtual time. It performs
/// one ``StoreOperation`` after the other and reports each result; reads of bodies and requests to servers
/// run concurrently. Instants are times of day, since entries keep theirs across launches.
///
/// Metadata is written after files, with one exception: the body of a tagged entry is replaced only once the
/// metadata contains both, so that whenever the process ends, the file is one of them.
package struct ResponseStore<Key: ResponseKey, Body: Sendable>: ~Copyable {
  typealias Entry = StoredEntry<Key, Body>

  package let options: ResponseOptions
  package internal(set) var statistics = ResponseStatistics()
  package internal(set) var disk = ResponseDisk.opening
  /// Whether servers can be reached, as reported by the app.
  package var isOnline = true
  package var planted = DefectHook<PlantedResponseDefect>()

  // Entries by slot, so that the order of writes is deterministic.
  var slots: [Key: Int] = [:]
  var table: [Entry?] = []
  private(set) var vacated: [Int] = []
  /// The total size of bodies, in bytes.
  package private(set) var bodyBytes = 0
  /// The total counted size of headers.
  private(set) var headerBytes = 0
  /// The untagged entries.
  var implicit: OrderedKeys<Key>
  /// Whether entries have lost their last tag: the order treats them as the youngest, whenever they were
  /// read.
  var isOutOfOrder = false
  var memory: MemoryBodies<Key, Body>
  var requests = InFlightRequests<Key, Body>()
  var pins = Pins<Key>()
  var downloads: [Download] = []
  var metadata = MetadataChanges()

  var current: CurrentOperation<Key>?
  var pending = UniqueQueue<Key>()
  var deletions = UniqueQueue<BodyFile<Key>>()
  /// Files that could not be deleted; retried with the next sweep.
  var undeleted: [BodyFile<Key>] = []
  /// The removal of everything whose files are being deleted.
  var clearing: UInt64?
  /// A removal of everything whose files could not all be deleted.
  var unclearedChange: UInt64?
  var sweepDue: Instant?
  var notices: [ResponseNotice<Key>] = []
  private var numbers: UInt64 = 0

  struct Download {
    var record: DownloadRecord
    var change: UInt64
  }

  /// The number of bodies waiting to be written above which fetches wait too.
  static var maximumPending: Int { 64 }

  /// Creates a store whose first operation opens the folder; nothing is fetched before.
  package init(_ options: ResponseOptions, seed: UInt64 = 0) throws(ResponseOptionsError) {
    let order = try options.checked()
    self.options = options
    let random = RandomSource(seed: seed)
    implicit = OrderedKeys(
      order, capacity: options.maximumEntries, random: random.substream("entries"))
    memory = MemoryBodies(
      options.memoryEntries, order: order, random: random.substream("memory"))
  }

  package var isOpen: Bool { disk != .opening }
  package var memoryCount: Int { memory.count }
  /// The heap memory of bodies, each as one allocation, in bytes.
  package var bodyBlocks: Int { memory.bodyBlocks }
  package var entryCount: Int { slots.count }
  package var implicitCount: Int { implicit.count }
  /// The counted size of all bodies in files.
  package var diskUsed: Int {
    bodyBytes
      + (planted(.metadataUncounted) ? 0 : headerBytes + entryCount * ResponseOptions.entryOverhead)
  }

  /// Whether fetches should wait until more bodies have been written.
  package var isCongested: Bool { pending.count > Self.maximumPending }

  var canStore: Bool { disk == .available || disk == .full }

  // MARK: Entries

  package func entry(for key: Key) -> (version: BodyVersion, tags: [TextKey], lastRead: Instant)? {
    guard let entry = self[key], let version = entry.current else { return nil }
    return (version, entry.tags, entry.lastRead)
  }

  /// Returns whether the entry would be served if no server could be reached.
  package func isStored(_ key: Key) -> Bool { self[key] != nil }

  /// Returns whether the entry's body is waiting to be written.
  package func isBeingWritten(_ key: Key) -> Bool { self[key]?.pending != nil }

  /// Makes the next fetch of an entry read its file.
  package mutating func forgetBody(of key: Key) { memory.remove(key, cause: .invalidated) }

  /// Stores a body from another source.
  package mutating func store(_ body: Body, _ version: BodyVersion, for key: Key, at now: Instant) {
    guard canStore else { return }
    requests.outdate(key)
    guard fits(version.bytes, for: key) else { return drop(key, cause: .replaced, at: now) }
    install(body, version, for: key, tags: [], at: now)
  }

  /// Requires validation of a stored answer that a request may have changed (RFC 9111, section 4.4).
  ///
  /// - Returns: the change to write for that to last; `nil`: nothing is stored, nor would be after a launch.
  package mutating func invalidate(_ key: Key, at now: Instant) -> UInt64? {
    if planted(.invalidationForgotten) { return nil }
    requests.outdate(key)
    guard canStore else { return nil }
    if let slot = slots[key] {
      setBody(of: slot) { $0.forbidUse() }
      noteChange(of: slot, isPromise: false, at: now)
    } else if !isRemoving {
      return nil
    }
    metadata.urge()
    return metadata.last
  }

  /// Removes a tag from all its entries: those without other tags are kept while there is space.
  ///
  /// - Complexity: O(entries).
  package mutating func removeTag(_ tag: TextKey, at now: Instant) -> UInt64 {
    if !planted(.tagOutlivesRemoval) { requests.remove(tag) }
    pins.fail(tag: tag, .removed)
    for slot in table.indices { untag(slot, tag, at: now) }
    metadata.urge()
    return metadata.last
  }

  @discardableResult
  mutating func untag(_ slot: Int, _ tag: TextKey, at now: Instant) -> Bool {
    guard table[slot]?.remove(tag) == true, let key = table[slot]?.key else { return false }
    if table[slot]?.tags.isEmpty == true {
      implicit.insert(key)
      isOutOfOrder = options.evictionOrder == "lru"
    }
    noteChange(of: slot, isPromise: true, at: now)
    return true
  }

  package mutating func removeAll(at now: Instant) -> UInt64 {
    for entry in table {
      if let key = entry?.key { drop(key, cause: .deleted, at: now) }
    }
    if !planted(.clearedComesBack) { requests.outdateAll() }
    pins.failAll(.removed)
    downloads = []
    metadata.change(at: now)
    metadata.downloads = metadata.last
    metadata.urge()
    if canStore { clearing = metadata.last }
    return metadata.last
  }

  // MARK: Parts

  subscript(key: Key) -> Entry? { slots[key].flatMap { table[$0] } }

  mutating func install(
    _ body: Body, _ version: BodyVersion, for key: Key, tags: [TextKey], at now: Instant
  ) {
    let known = slots[key]
    let slot = known ?? makeEntry(for: key, at: now)
    let isSame =
      version.digest != nil && table[slot]?.current?.digest == version.digest
      && table[slot]?.current?.kind == version.kind && table[slot]?.alternatives.isEmpty ?? true
      && table[slot]?.current?.status == version.status
    if isSame {
      renew(slot, version, at: now)
    } else {
      let number = nextNumber()
      noteChange(of: slot, isPromise: false, at: now)
      let change = metadata.last
      setBody(of: slot) {
        $0.number = number
        $0.pending = Entry.Pending(version: version, body: body, change: change)
      }
      pending.append(key)
    }
    if known == nil { table[slot]?.created = metadata.last }
    memory.insert(key, body, bytes: version.bytes, within: roomForBodies)
    noteRead(of: slot, at: now)
    add(tags, to: slot, at: now)
  }

  /// Changes an entry's body in the only place that does, so that its bytes are counted.
  mutating func setBody(of slot: Int, _ change: (inout Entry) -> Void) {
    guard var entry = table[slot] else { return }
    uncount(entry)
    change(&entry)
    bodyBytes += entry.current?.bytes ?? 0
    headerBytes += entry.current?.header.byteCount ?? 0
    table[slot] = entry
  }

  private mutating func uncount(_ entry: Entry) {
    bodyBytes -= entry.current?.bytes ?? 0
    headerBytes -= entry.current?.header.byteCount ?? 0
  }

  /// Updates a body's metadata from the server.
  mutating func renew(_ slot: Int, _ version: BodyVersion, at now: Instant) {
    setBody(of: slot) {
      if $0.pending != nil { $0.pending?.version = version } else { $0.onDisk = version }
    }
    noteChange(of: slot, isPromise: false, at: now)
  }

  mutating func add(_ tags: [TextKey], to slot: Int, at now: Instant) {
    for tag in tags {
      guard let entry = table[slot] else { return }
      guard entry.tags.count < ResponseOptions.maximumTags || entry.tags.contains(tag) else {
        pins.fail(entry.key, tag: tag, .tooManyTags)
        continue
      }
      guard table[slot]?.add(tag) == true else { continue }
      pins.noteNew(entry.key, tag: tag)
      useAgain(tag, at: now)
      if !planted(.tagNotHeld) { implicit.remove(entry.key, cause: .retained) }
      noteChange(of: slot, isPromise: true, at: now)
      // Its metadata waits for its body.
      if entry.pending == nil { metadata.urge() }
    }
  }

  mutating func noteRead(of slot: Int, at now: Instant) {
    guard let key = table[slot]?.key else { return }
    table[slot]?.lastRead = now
    implicit.touch(key)
    if !planted(.readsForgotten) { noteChange(of: slot, isPromise: false, at: now) }
  }

  mutating func noteChange(of slot: Int, isPromise: Bool, at now: Instant) {
    metadata.change(at: now)
    table[slot]?.change = metadata.last
    if isPromise { table[slot]?.promised = metadata.last }
  }

  /// Removes an entry and deletes its file.
  mutating func drop(_ key: Key, cause: RemovalCause, at now: Instant) {
    guard let slot = slots.removeValue(forKey: key), let entry = table[slot] else { return }
    uncount(entry)
    for version in entry.versions { deletions.append(BodyFile(key: key, kind: version.kind)) }
    pending.remove(key)
    memory.remove(key, cause: cause)
    implicit.remove(key, cause: cause)
    table[slot] = nil
    vacated.append(slot)
    metadata.change(at: now)
  }

  mutating func makeEntry(for key: Key, at now: Instant) -> Int {
    let slot: Int
    if let free = vacated.popLast() {
      slot = free
    } else {
      slot = table.count
      table.append(nil)
    }
    let entry = Entry(key: key, lastRead: now, number: nextNumber())
    table[slot] = entry
    slots[key] = slot
    implicit.insert(key)
    return slot
  }

  mutating func nextNumber() -> UInt64 {
    numbers += 1
    return numbers
  }

  /// Returns the notices since the last call, and clears them.
  package mutating func takeNotices() -> [ResponseNotice<Key>] {
    defer { notices = [] }
    return notices
  }

  /// Returns the first inconsistency of the store, in O(n), for tests; `nil`: none.
  package func invariantFailure() -> String? {
    var untagged = 0
    for (slot, entry) in table.enumerated() {
      guard let entry else { continue }
      if slots[entry.key] != slot { return "a key leads to another entry" }
      if entry.current == nil { return "an entry has no body" }
      if entry.tags != Set(entry.tags).sorted() { return "tags are out of order" }
      if entry.tags.isEmpty != implicit.contains(entry.key) { return "a tag does not hold" }
      if entry.tags.isEmpty { untagged += 1 }
    }
    let bytes = table.reduce(0) { $0 + ($1?.current?.bytes ?? 0) }
    if bytes != bodyBytes { return "\(bodyBytes) bytes of bodies, not \(bytes)" }
    let headers = table.reduce(0) { $0 + ($1?.current?.header.byteCount ?? 0) }
    if headers != headerBytes { return "\(headerBytes) bytes of headers, not \(headers)" }
    if untagged != implicit.count { return "\(implicit.count) may go, \(untagged) have no tag" }
    return implicit.invariantFailure() ?? memory.invariantFailure()
  }
}
