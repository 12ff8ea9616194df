import CacheFiles
package import CacheModel
import Containers
import EvictionPolicies

extension ResponseStore {
  /// Combines the metadata with the files that exist.
  mutating func open(
    _ manifest: Manifest<Key>?, isDamaged: Bool, _ bodies: [FoundBody<Key>], at now: Instant
  ) {
    disk = .available
    var sizes: [BodyFile<Key>: Int] = [:]
    for body in bodies { sizes[BodyFile(key: body.key, kind: body.kind)] = body.bytes }
    var claimed: Set<BodyFile<Key>> = []
    var present: Set<Key> = []
    var missing: [ManifestEntry<Key>] = []
    var restored: [Entry] = []
    for written in manifest?.entries ?? [] where !present.contains(written.key) {
      let fitting = written.versions.filter { version in
        sizes[BodyFile(key: written.key, kind: version.kind)] == version.bytes
      }
      guard let newest = fitting.last else {
        missing.append(written)
        continue
      }
      present.insert(written.key)
      claimed.insert(BodyFile(key: written.key, kind: newest.kind))
      var entry = Entry(key: written.key, lastRead: written.lastRead, number: 0)
      entry.tags = Set(written.tags).sorted()
      entry.onDisk = newest
      entry.alternatives = fitting.dropLast().filter {
        $0.kind == newest.kind && $0.digest != newest.digest
      }
      restored.append(entry)
    }
    // If all metadata is lost, the files become entries without metadata. With sidecars, a missing one was
    // not yet written: what its header forbade would be unknown.
    let rebuilds = manifest == nil || options.metadataLayout == .sidecars && isDamaged
    var rebuilt = 0
    var orphans = 0
    for body in bodies where !claimed.contains(BodyFile(key: body.key, kind: body.kind)) {
      // Without a form it cannot be checked whether a body is complete.
      if rebuilds, body.kind != .binary, present.insert(body.key).inserted {
        var entry = Entry(key: body.key, lastRead: body.used, number: 0)
        entry.onDisk = BodyVersion(
          kind: body.kind, bytes: body.bytes, digest: nil, etag: nil,
          generatedAt: .zero, staleAt: .zero)
        restored.append(entry)
        rebuilt += 1
      } else if !planted(.orphansStay) {
        deletions.append(BodyFile(key: body.key, kind: body.kind))
        orphans += 1
      }
    }
    if options.metadataLayout == .sidecars {
      for entry in missing where !present.contains(entry.key) {
        deletions.append(BodyFile(key: entry.key, kind: entry.versions.first?.kind ?? .binary))
      }
    }
    restore(restored, at: now)
    if isDamaged { notices.append(.damagedManifest) }
    if orphans + missing.count + rebuilt > 0 {
      notices.append(.reconciled(orphans: orphans, missing: missing.count, rebuilt: rebuilt))
    }
    if missing.count + rebuilt > 0 || isDamaged { metadata.change(at: now) }
    if isDamaged || rebuilt > 0 { metadata.urge() }
    restoreDownloads(manifest?.downloads ?? [], at: now)
    sweep(at: now)
  }

  /// Restores the entries in the order of their last read, for the eviction order.
  private mutating func restore(_ entries: [Entry], at now: Instant) {
    let order = entries.indices.sorted {
      (entries[$0].lastRead, $0) < (entries[$1].lastRead, $1)
    }
    for index in order {
      let restored = entries[index]
      let slot = makeEntry(for: restored.key, at: restored.lastRead)
      setBody(of: slot) {
        $0.onDisk = restored.onDisk
        $0.alternatives = restored.alternatives
      }
      if restored.onDisk?.digest == nil { noteChange(of: slot, isPromise: false, at: now) }
      for tag in restored.tags { _ = table[slot]?.add(tag) }
      if !restored.tags.isEmpty, !planted(.tagNotHeld) {
        implicit.remove(restored.key, cause: .retained)
      }
    }
  }

  /// Resumes or gives up incomplete downloads.
  private mutating func restoreDownloads(_ records: [DownloadRecord], at now: Instant) {
    var seen: Set<TextKey> = []
    for record in records where seen.insert(record.id).inserted {
      var record = record
      let entries = table.count { $0?.tags.contains(record.id) ?? false }
      let isWhole = record.state == .downloaded && entries >= record.entries
      if record.state == .downloaded && !isWhole { record.state = .downloading }
      downloads.append(Download(record: record, change: 0))
      let givesUp = record.state == .downloading && options.unfinishedDownloads == .giveUp
      if record.state == .removing || givesUp { _ = removeDownload(record.id, at: now) }
    }
  }
}

/// Removal for space.
extension ResponseStore {
  /// Removes untagged entries above the maximum.
  package mutating func sweep(at now: Instant) {
    guard canStore else { return }
    sweepDue = options.sweepInterval.map { now.advanced(by: $0) }
    statistics.sweeps += 1
    for file in undeleted { deletions.append(file) }
    undeleted = []
    statistics.sweptEntries += evict(at: now) { $0.implicit.count > $0.options.maximumEntries }
    keepToLimits(at: now)
  }

  /// Removes untagged entries until the files are within their limit, and evicts bodies from memory.
  mutating func keepToLimits(at now: Instant) {
    if let limit = options.diskBytes {
      statistics.evictedEntries += evict(at: now) { $0.diskUsed > limit }
    }
    if options.memoryBytes != nil { memory.keep(within: roomForBodies) }
  }

  /// Returns whether a body may be stored: not if it would not fit even after removing all others.
  func fits(_ bytes: Int, for key: Key, tags: [TextKey] = []) -> Bool {
    guard let limit = options.diskBytes, tags.isEmpty, self[key]?.tags.isEmpty ?? true else {
      return true
    }
    return bytes <= limit - ResponseOptions.entryOverhead
  }

  /// The memory limit for bodies in memory and their tables.
  var roomForBodies: Int { options.memoryBytes.map { $0 - tablesOfEntries } ?? .max }

  private mutating func evict(at now: Instant, while isAbove: (borrowing Self) -> Bool) -> Int {
    guard isAbove(self) else { return 0 }
    if isOutOfOrder { putInOrder() }
    var evicted = 0
    while isAbove(self), let victim = implicit.victim() {
      drop(victim, cause: .evicted, at: now)
      evicted += 1
    }
    if evicted > 0 { notices.append(.swept(evicted)) }
    return evicted
  }

  private mutating func putInOrder() {
    let entries = table.compactMap(\.self).filter(\.tags.isEmpty)
    for entry in entries { implicit.remove(entry.key, cause: .retained) }
    for entry in entries.enumerated().sorted(by: {
      ($0.element.lastRead, $0.offset) < ($1.element.lastRead, $1.offset)
    }) {
      implicit.insert(entry.element.key)
    }
    isOutOfOrder = false
  }
}

extension ResponseStore {
  package var downloadRecords: [DownloadRecord] {
    downloads.map(\.record).filter { $0.state != .removing }
  }

  package mutating func beginDownload(_ id: TextKey, url: String, at now: Instant) {
    let record = DownloadRecord(id: id, url: url, state: .downloading, entries: 0)
    if let index = index(of: id) {
      downloads[index].record = record
    } else {
      downloads.append(Download(record: record, change: 0))
    }
    noteDownload(index(of: id), at: now)
  }

  package mutating func finishDownload(_ id: TextKey, at now: Instant) -> UInt64 {
    if let index = index(of: id) {
      downloads[index].record.entries = table.count { $0?.tags.contains(id) ?? false }
      setState(of: index, .downloaded, at: now)
      metadata.urge()
    }
    return metadata.last
  }

  /// Removes a download and its tag: bodies without other tags are kept while there is space.
  package mutating func removeDownload(_ id: TextKey, at now: Instant) -> UInt64 {
    // Its record is removed once no entry on disk has its tag.
    if let index = index(of: id) { setState(of: index, .removing, at: now) }
    return removeTag(id, at: now)
  }

  private func index(of id: TextKey) -> Int? { downloads.firstIndex { $0.record.id == id } }

  mutating func setState(of index: Int, _ state: DownloadRecord.State, at now: Instant) {
    downloads[index].record.state = state
    noteDownload(index, at: now)
  }

  private mutating func noteDownload(_ index: Int?, at now: Instant) {
    metadata.change(at: now)
    metadata.downloads = metadata.last
    if let index { downloads[index].change = metadata.last }
  }

  /// Records that a removed download's tag is used again, so that the next launch does not remove it.
  mutating func useAgain(_ tag: TextKey, at now: Instant) {
    guard let index = index(of: tag), downloads[index].record.state == .removing else { return }
    downloads.remove(at: index)
    noteDownload(nil, at: now)
  }

  /// Forgets the downloads whose removal has been written.
  mutating func forgetRemovedDownloads(at now: Instant) {
    let before = downloads.count
    downloads.removeAll { $0.record.state == .removing && $0.change <= metadata.flushed }
    if downloads.count < before { noteDownload(nil, at: now) }
  }
}

extension ResponseStore {
  /// The heap memory of the store and its tables, at the allocator's size classes, with the name and digest
  /// of each entry; O(1).
  ///
  /// A tagged entry counts as having one tag. Excluded are bodies, current writes, and the text of ETags and
  /// tags of more than 15 bytes, which Swift allocates separately. A header counts as its text plus 32 bytes
  /// for each field.
  package var tableBytes: Int { tablesOfEntries + memory.tableBytes }

  /// The same without the tables of bodies in memory.
  var tablesOfEntries: Int {
    AllocationSize.object(holding: MemoryLayout<Self>.size) + requests.tableBytes
      + slots.allocatedBytes
      + AllocationSize.array(growingTo: table.count, stride: MemoryLayout<Entry?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Int>.stride)
      + implicit.tableBytes + headerBytes
      + entryCount
      * (AllocationSize.array(capacity: FileName.textBytes, stride: 1)
        + AllocationSize.array(capacity: 4, stride: MemoryLayout<UInt64>.stride))
      + (entryCount - implicitCount)
      * AllocationSize.array(growingTo: 1, stride: MemoryLayout<TextKey>.stride)
  }

  /// Calls `visit` with each body in memory, in O(n).
  package func forEachInMemory(_ visit: (Body) -> Void) { memory.forEach(visit) }
}
