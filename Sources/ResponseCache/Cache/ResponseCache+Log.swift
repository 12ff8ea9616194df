import CacheFiles
import Logging

extension ResponseCache {
  /// Says what the store has to say.
  ///
  /// A URL may tell something about a user, so files stand for them.
  func tell() {
    for notice in store.takeNotices() {
      switch notice {
      case .inUse:
        logger.warning("nothing is stored: another cache has the folder", metadata: place)
      case .unavailable(let failure):
        logger.warning("nothing is stored: no folder", metadata: metadata(nil, failure))
      case .diskFull(let failure):
        logger.warning("nothing new is stored: no space", metadata: metadata(nil, failure))
      case .damagedManifest:
        logger.warning("what was written of entries is damaged: tags are lost", metadata: place)
      case .damaged(let key):
        logger.warning("a body is damaged or gone, and is removed", metadata: metadata(key, nil))
      case .notWritten(let key, let failure):
        logger.info("a body cannot be written", metadata: metadata(key, failure))
      case .metadataNotWritten(let failure):
        logger.warning("tags cannot be written", metadata: metadata(nil, failure))
      case .reconciled(let orphans, let missing, let rebuilt):
        logger.info(
          "entries and files did not agree",
          metadata: [
            "folder": "\(files.folder.path)", "orphans": "\(orphans)", "missing": "\(missing)",
            "rebuilt": "\(rebuilt)",
          ])
      case .swept(let count): logger.debug("swept", metadata: ["entries": "\(count)"])
      }
    }
  }

  private var place: Logger.Metadata { ["folder": "\(files.folder.path)"] }

  private func metadata(_ key: FileName?, _ failure: FileFailure?) -> Logger.Metadata {
    var metadata = place
    if let key { metadata["file"] = "\(key)" }
    if let failure { metadata["error"] = "\(failure)" }
    return metadata
  }
}
