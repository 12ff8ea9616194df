import CacheFiles
import CacheModel
import FileHashing
import Foundation
import Logging
import TwoTierCacheCore

/// The files of a two-tier cache: performs the store's operations in blocking calls.
struct SealedFiles: Sendable {
  var folder: FileFolder
  let options: TwoTierOptions

  func perform(
    _ operation: DiskOperation<FileName, Data>
  ) -> DiskResult {
    do throws(FileFailure) {
      switch operation {
      case .open: try folder.create()
      case .write(let name, let data, let date):
        return .written(
          try folder.write(
            [Seal.of(data, in: name), data], to: name, date: date,
            synchronizes: options.synchronizesFiles))
      case .remove(let name): try folder.remove(name)
      case .list:
        try folder.removeOrphans()
        return .listed(try folder.list())
      case .delete(let files):
        // Files that cannot be removed now are found by the next clean-up.
        for file in files { _ = try? folder.remove(file) }
      case .deleteAll:
        do throws(FileFailure) {
          for file in try folder.list() { try folder.remove(file.name) }
        } catch  where error.kind == .absent {
          // Without a folder there are no files.
        }
      }
      return .done
    } catch {
      return .failed(error)
    }
  }

  /// Reads a value, unless its file is the known one.
  func read<Value: CachedValue>(
    _ name: FileName, known: StoredFile?, as form: TwoTierOptions.MemoryForm, use: Instant
  ) -> FileReading<MemoryCopy<Value>> {
    do throws(FileFailure) {
      if let known, try folder.look(at: name).isUnchanged(since: known) { return .unchanged }
      let limit = options.maximumValueBytes.addingReportingOverflow(Seal.byteCount)
      let content = try folder.read(
        name, header: Seal.byteCount, atMost: limit.overflow ? .max : limit.partialValue,
        use: options.diskBytes == nil ? nil : use)
      guard Seal.holds(content), let value = try? Value(data: content.body) else {
        return .damaged(content.file)
      }
      return .found(
        form == .values ? .value(value) : .bytes(content.body), bytes: content.body.count,
        content.file)
    } catch {
      switch error.kind {
      case .absent: return .absent
      case .damaged: return .damaged(try? folder.look(at: name))
      case .noSpace, .refused, .transient: return .unreadable(error)
      }
    }
  }
}

enum MemoryCopy<Value: CachedValue>: Sendable {
  case value(Value)
  case bytes(Data)
}

extension Seal {
  static func of(_ value: Data, in name: FileName) -> Data {
    Data(word + digest(value, name))
  }

  static func holds(_ content: FileContent) -> Bool {
    content.header == word + digest(content.body, content.file.name)
  }

  private static func digest(_ value: Data, _ name: FileName) -> [UInt8] {
    FileDigest.of(Data(name.description.utf8), value)
  }
}

extension TwoTierCache {
  /// Logs the store's notices.
  ///
  /// A key may be personal data, so file names are logged instead.
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
