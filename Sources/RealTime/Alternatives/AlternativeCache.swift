package import CacheModel

/// A way to store files and notify observers: the library's cache, an alternative to it, or the control.
///
/// ``AlternativeSubject`` runs it with the events of a run. It is created with all entities, and gets one
/// call at a time.
package protocol AlternativeCache: Sendable {
  /// Observes the listing of a directory.
  ///
  /// The initial call of the observer, if any, happens before this returns; from then on, the observer is
  /// called after each event that changes the listing. It returns within microseconds.
  func observe(directory: Int, _ observer: ObserverBoard.Observer) async throws

  /// Applies an event of one or more files, and takes ownership of its values, as a decoder returns them.
  ///
  /// `committed` is called once, when the values are stored and the observers to notify are known. If
  /// observers are notified on another thread, this may return before they are.
  func apply(
    _ event: consuming FileEvent, committed: @escaping @Sendable () -> Void
  ) async throws

  /// Returns the listing of a directory as a view shows it; `nil` if nothing is stored, as in a control.
  func listing(ofDirectory directory: Int) async throws -> [ListedFile]?

  /// Releases files and observers.
  func close() async throws
}

extension AlternativeCache {
  package func close() {}
}

/// A decoded event, the input of every alternative.
package typealias FileEvent = EventEnvelope<FilePayload>

/// The compared part of a listing's row, after a run.
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
  /// Calls a function with each file of an event of a run, in order.
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

/// A design, selected by name.
package struct Alternative: Sendable {
  /// The name, in lower case with hyphens.
  package let name: String
  /// The description, in one sentence.
  package let summary: String
  /// Creates it with all entities.
  ///
  /// It stores its files in the given folder, which exists, is empty, and is removed by the caller.
  package let make:
    @Sendable (_ library: FileLibrary, _ folder: String) async throws -> any AlternativeCache
}
