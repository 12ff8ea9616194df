package import CacheFiles
import CacheModel

/// What a store asks of its shell; one at a time, in order.
package enum StoreOperation<Key: ResponseKey, Body: Sendable>: Sendable {
  /// Make the folder and lock it, remove orphans, read what was written of entries, and list the files.
  case open
  /// Write a body, whole or not at all, and so that it lasts.
  case writeBody(Key, ResponseKind, Body)
  /// Remove a body's file; and then the one beside it, if nothing is known of the entry any more.
  case deleteBody(Key, ResponseKind, isForgotten: Bool)
  /// Write all that is known.
  case writeManifest(Manifest<Key>)
  /// Write what is known of some entries, each to a file of its own, after the downloads if there are any.
  case writeSidecars([ManifestEntry<Key>], downloads: [DownloadRecord]?)
}

/// What came of it.
package enum StoreResult<Key: ResponseKey>: Sendable {
  case done
  /// - manifest: `nil`: there is none, or nothing can be made of it.
  case opened(Manifest<Key>?, isDamaged: Bool, bodies: [FoundBody<Key>])
  /// Another cache has the folder.
  case inUse
  case failed(FileFailure)
}

/// Whether what is fetched is stored.
public enum ResponseDisk: Hashable, Sendable {
  /// The folder is being opened.
  case opening
  case available
  /// There is no space; each write is tried nevertheless.
  case full
  /// Another cache uses the folder: nothing is read from it and nothing stored.
  case inUse
  /// There is no folder, or no right to it: nothing is stored, until the cache is made again.
  case unavailable
}

/// What an app's developer wants to know, said as it happens.
package enum ResponseNotice<Key: ResponseKey>: Sendable {
  case inUse
  case unavailable(FileFailure)
  case diskFull(FileFailure)
  case damagedManifest
  case damaged(Key)
  case notWritten(Key, FileFailure)
  case metadataNotWritten(FileFailure)
  /// What the start put right.
  case reconciled(orphans: Int, missing: Int, rebuilt: Int)
  case swept(Int)
}
