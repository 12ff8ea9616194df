import CacheModel
import Foundation
import NormalizedCache
import Synchronization

extension Alternative {
  static let nsCache = Alternative(
    name: "nscache",
    summary:
      "Foundation's NSCache for the values, listings in a dictionary, and a notification posted by "
      + "hand for each changed listing."
  ) { library, _ in NSCacheDesign(library: library) }
}

/// Values in an `NSCache`, which supports neither listings nor observers.
///
/// Its sendability is unchecked: `NSCache` and `NotificationCenter` are documented as thread-safe, and only
/// the tokens change otherwise, with a lock.
private final class NSCacheDesign: AlternativeCache, @unchecked Sendable {
  /// The object for a value, since `NSCache` stores objects only.
  private final class Box {
    let file: VersionedEntity<FilePayload>

    init(_ file: VersionedEntity<FilePayload>) {
      self.file = file
    }
  }

  private let values = NSCache<NSUUID, Box>()
  private let center = NotificationCenter()
  private let listings: [[UUID]]
  private let names: [UUID: Notification.Name]
  private let directories: [UUID]
  private var tokens: [any NSObjectProtocol] = []
  private let lock = NSLock()

  init(library: FileLibrary) {
    directories = library.directoryIDs
    var listings: [[UUID]] = []
    for directory in directories.indices {
      let files = library.response(toDirectory: directory).entities
      for file in files {
        values.setObject(Box(file), forKey: file.payload.id as NSUUID)
      }
      listings.append(files.map(\.payload.id))
    }
    self.listings = listings
    names = Dictionary(
      uniqueKeysWithValues: directories.map { ($0, Notification.Name("listing of \($0)")) })
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) {
    let token = center.addObserver(
      forName: names[directories[directory]], object: nil, queue: nil
    ) { _ in observer() }
    lock.withLock { tokens.append(token) }
  }

  func apply(_ event: FileEvent, committed: @escaping @Sendable () -> Void) {
    var changed: [UUID] = []
    event.forEachFile { file in
      values.setObject(Box(file), forKey: file.payload.id as NSUUID)
      let directory = file.payload.directoryID
      if !changed.contains(directory) { changed.append(directory) }
    }
    committed()
    for directory in changed {
      if let name = names[directory] { center.post(name: name, object: nil) }
    }
  }

  func listing(ofDirectory directory: Int) -> [ListedFile]? {
    listings[directory].compactMap { values.object(forKey: $0 as NSUUID)?.file }
      .map { ListedFile($0) }
  }

  func close() {
    lock.withLock {
      for token in tokens { center.removeObserver(token) }
      tokens = []
    }
  }
}
