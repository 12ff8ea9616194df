package import CacheModel

extension ResponseStore {
  /// The downloads that there are, in the order in which they were begun.
  package var downloadRecords: [DownloadRecord] {
    downloads.map(\.record).filter { $0.state != .removing }
  }

  /// Notes that a download begins, or begins again.
  package mutating func beginDownload(_ id: TextKey, url: String, at now: Instant) {
    let record = DownloadRecord(id: id, url: url, state: .downloading, entries: 0)
    if let index = index(of: id) {
      downloads[index].record = record
    } else {
      downloads.append(Download(record: record, change: 0))
    }
    noteDownload(index(of: id), at: now)
  }

  /// Notes that all of a download is there.
  ///
  /// - Returns: the change that is to be written for that to last.
  package mutating func finishDownload(_ id: TextKey, at now: Instant) -> UInt64 {
    if let index = index(of: id) {
      downloads[index].record.entries = table.count { $0?.tags.contains(id) ?? false }
      setState(of: index, .downloaded, at: now)
      metadata.urge()
    }
    return metadata.last
  }

  /// Removes a download and its tag: what nothing else holds is kept as long as there is space.
  ///
  /// - Returns: the change that is to be written for that to last.
  package mutating func removeDownload(_ id: TextKey, at now: Instant) -> UInt64 {
    // Its record goes once no entry on disk has its tag.
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

  /// A tag is set again that a removed download had: the next start is not to take it for a rest of that.
  mutating func useAgain(_ tag: TextKey, at now: Instant) {
    guard let index = index(of: tag), downloads[index].record.state == .removing else { return }
    downloads.remove(at: index)
    noteDownload(nil, at: now)
  }

  /// Forgets the downloads whose removal is written.
  mutating func forgetRemovedDownloads(at now: Instant) {
    let before = downloads.count
    downloads.removeAll { $0.record.state == .removing && $0.change <= metadata.flushed }
    if downloads.count < before { noteDownload(nil, at: now) }
  }
}
