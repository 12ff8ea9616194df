package import CacheFiles
package import CacheModel

/// What a store asks of its shell; one at a time, in order.
package enum DiskOperation<Key: Hashable & Sendable, Content: Sendable>: Sendable {
  /// Make the folder.
  case open
  /// Write the file of a key, with its date.
  case write(Key, Content, date: Instant)
  /// Remove the file of a key.
  case remove(Key)
  /// Remove orphans, and list the files.
  case list
  /// Remove these, unless they have been written since.
  case delete([StoredFile])
  /// Remove every file.
  case deleteAll
}

/// What came of it.
package enum DiskResult: Sendable {
  case done
  case written(StoredFile)
  case listed([StoredFile])
  case failed(FileFailure)
}

/// What a read has to do next.
package enum ReadStep<Payload: Sendable>: Sendable {
  case hit(Payload)
  case miss
  /// Read the file, then call `finishRead`; where the file is still the one that is known, a look does.
  case file(ReadTicket, known: StoredFile?)
  /// Somebody reads the file already: what comes of it is the answer.
  case join(ReadTicket)
}

/// A read of a file that has begun.
package struct ReadTicket: Hashable, Sendable {
  package var number: UInt64
}

/// What a file turned out to be.
package enum FileReading<Payload: Sendable>: Sendable {
  /// - bytes: of the value, as ``TwoTierStore/write(_:_:content:bytes:fingerprint:at:)`` counts them.
  case found(Payload, bytes: Int, StoredFile)
  /// The one that was known.
  case unchanged
  case absent
  /// It is no value.
  case damaged(StoredFile?)
  case unreadable(FileFailure)
}

/// The answer to all who wait for a read of a file.
package enum FinishedRead<Payload: Sendable>: Sendable {
  case hit(Payload)
  case miss
  /// The key was written meanwhile: ask again.
  case again
}

/// What an app's developer wants to know, said as it happens.
package enum TwoTierNotice<Key: Hashable & Sendable>: Sendable {
  /// Memory only from here on; said once.
  case memoryOnly(FileFailure)
  /// Memory only until there is space; said once.
  case diskFull(FileFailure)
  case damaged(Key)
  case unreadable(Key, FileFailure)
  case notWritten(Key, FileFailure)
  case cleanedUp(aged: Int, trimmed: Int)
}
