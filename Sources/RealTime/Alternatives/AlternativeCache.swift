package import CacheModel

/// A way to keep files and notify observers: our cache, an alternative to it, or the control.
///
/// ``AlternativeSubject`` puts it under the events of a run. It is made full: it has the whole library before the first
/// event. It gets one call at a time.
package protocol AlternativeCache: Sendable {
  /// Watches the listing of a directory.
  ///
  /// When this returns, the observer has been called for what is there already, or will not be; from then
  /// on it is called after each event that changes the listing. It returns within microseconds.
  func observe(directory: Int, _ observer: ObserverBoard.Observer) async throws

  /// Applies an event of one or of many files, which is handed over: as it comes from a decoder, its
  /// values have no other owner.
  ///
  /// `committed` is called once, when the alternative has the values and knows which observers to notify. If
  /// observers are notified on another thread, this may return before.
  func apply(
    _ event: consuming FileEvent, committed: @escaping @Sendable () -> Void
  ) async throws

  /// The listing of a directory as a view would show it; `nil` if nothing is kept, as in a control.
  func listing(ofDirectory directory: Int) async throws -> [ListedFile]?

  /// Lets go of files and observers.
  func close() async throws
}

extension AlternativeCache {
  package func close() {}
}

/// A decoded event, as every alternative gets it.
package typealias FileEvent = EventEnvelope<FilePayload>

/// What is compared of a row of a listing, once a run is over.
package struct ListedFile: Hashable, Sendable {
  package var key: EntityKey
  package var version: Version
  package var name: String
  package var size: Int64
}

extension ListedFile {
  init(_ entity: VersionedEntity<FilePayload>) {
    self.init(
      key: entity.key, version: entity.version, name: entity.payload.name,
      size: entity.payload.size)
  }
}

extension EventEnvelope<FilePayload> {
  /// Hands over the files that an event of a run carries, in order.
  package func forEachFile(
    _ body: (VersionedEntity<FilePayload>) throws -> Void
  ) rethrows {
    switch event {
    case .changed(let file): try body(file)
    case .batchChanged(let files): for file in files { try body(file) }
    case .deleted, .bulkNotice, .partlyDecoded, .infrastructure:
      preconditionFailure("a run changes files, and nothing else")
    }
  }
}

/// A design that can be chosen by name.
package struct Alternative: Sendable {
  /// Flat, lower-case, hyphenated.
  package let name: String
  /// What it is, in one sentence.
  package let summary: String
  /// Makes it, full.
  ///
  /// Files that it needs are below the folder, which exists, is empty, and is removed by the code that made it.
  package let make:
    @Sendable (_ library: FileLibrary, _ folder: String) async throws -> any AlternativeCache
}
