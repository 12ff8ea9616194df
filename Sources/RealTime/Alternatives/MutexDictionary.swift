import CacheModel
import FoundationEssentials
import NormalizedCache
import Synchronization

extension Alternative {
  static let mutexDictionary = Alternative(
    name: "mutex-dictionary",
    summary: "A dictionary under a lock, observers called by hand: the floor."
  ) { library, _ in MutexDictionary(library: library) }
}

/// The simplest implementation: a dictionary with a mutex.
private final class MutexDictionary: AlternativeCache {
  private struct State {
    var files: [EntityKey: VersionedEntity<FilePayload>] = [:]
    var listings: [UUID: [EntityKey]] = [:]
    var observers: [UUID: [@Sendable () -> Void]] = [:]
  }

  private let state = Mutex(State())
  private let directories: [UUID]

  init(library: FileLibrary) {
    directories = library.directoryIDs
    for (directory, id) in directories.enumerated() {
      let files = library.response(toDirectory: directory).entities
      state.withLock { state in
        for file in files { state.files[file.key] = file }
        state.listings[id] = files.map(\.key)
      }
    }
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) {
    state.withLock { $0.observers[directories[directory], default: []].append { observer() } }
  }

  func apply(_ event: FileEvent, committed: @escaping @Sendable () -> Void) {
    let observers = state.withLock { state in
      var changed: [UUID] = []
      event.forEachFile { file in
        state.files[file.key] = file
        let directory = file.payload.directoryID
        if !changed.contains(directory) { changed.append(directory) }
      }
      return changed.map { state.observers[$0] ?? [] }
    }
    committed()
    for onChange in observers.joined() { onChange() }
  }

  func listing(ofDirectory directory: Int) -> [ListedFile]? {
    state.withLock { state in
      (state.listings[directories[directory]] ?? []).compactMap { state.files[$0] }
        .map { ListedFile($0) }
    }
  }
}
