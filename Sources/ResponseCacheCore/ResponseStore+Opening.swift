import CacheModel
import EvictionPolicies

extension ResponseStore {
  /// Makes one of what was written of entries and of the files that are there.
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
    // Where what was written of entries is lost, what is left are entries that nothing tells of. With a file for each,
    // one that is not there was not yet written: what its header forbade nobody would know.
    let rebuilds = manifest == nil || options.metadataLayout == .sidecars && isDamaged
    var rebuilt = 0
    var orphans = 0
    for body in bodies where !claimed.contains(BodyFile(key: body.key, kind: body.kind)) {
      // Of a body without a form it could not be told whether it is whole.
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

  /// Puts entries in the order in which they were read, for the order in which they leave.
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

  /// A download that is not all there goes on, or is given up.
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
