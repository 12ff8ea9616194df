import CacheModel
import Foundation

/// What a ``DownloadManager`` has the cache note.
extension ResponseCache {
  var downloadRecords: [DownloadRecord] {
    get async {
      await opened()
      return store.downloadRecords
    }
  }

  func beginDownload(_ id: String, url: URL) async {
    await opened()
    store.beginDownload(TextKey(id), url: url.absoluteString, at: now)
    startWorking()
  }

  func finishDownload(_ id: String) async throws(ResponseError) {
    try await wait(for: store.finishDownload(TextKey(id), at: now))
  }

  func removeDownload(_ id: String) async throws(ResponseError) {
    await opened()
    try await wait(for: store.removeDownload(TextKey(id), at: now))
  }
}
