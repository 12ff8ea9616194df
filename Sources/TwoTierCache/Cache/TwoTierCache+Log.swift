import CacheFiles
import CacheModel
import FileHashing
import Logging

extension TwoTierCache {
  /// Says what the store has to say.
  ///
  /// A key may tell something about a user, so files stand for them.
  func tell() {
    for notice in store.takeNotices() {
      switch notice {
      case .memoryOnly(let failure):
        logger.warning("memory only: files cannot be kept", metadata: metadata(nil, failure))
      case .diskFull(let failure):
        logger.warning("memory only until there is space", metadata: metadata(nil, failure))
      case .damaged(let key):
        logger.warning("a file is damaged and is removed", metadata: metadata(key, nil))
      case .unreadable(let key, let failure):
        logger.info("a file cannot be read this time", metadata: metadata(key, failure))
      case .notWritten(let key, let failure):
        logger.debug("a file cannot be written", metadata: metadata(key, failure))
      case .cleanedUp(let aged, let trimmed):
        logger.debug("cleaned up", metadata: ["aged": "\(aged)", "trimmed": "\(trimmed)"])
      }
    }
  }

  private func metadata(_ key: TextKey?, _ failure: FileFailure?) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["folder": "\(files.folder.path)"]
    if let key { metadata["file"] = "\(FileName(hashing: key.text))" }
    if let failure { metadata["error"] = "\(failure)" }
    return metadata
  }
}
