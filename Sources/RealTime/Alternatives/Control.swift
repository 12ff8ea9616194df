import CacheModel
import FoundationEssentials

extension Alternative {
  static let control = Alternative(
    name: "control",
    summary: "No cache: the way to an actor, and ten calls."
  ) { library, _ in NotifierAlone(library: library) }
}

/// Finds the observers of an event, and lets the control notify them.
private struct NotifierAlone: AlternativeCache {
  private let notifier: Notifier
  private let directories: [UUID: Int]

  init(library: FileLibrary) {
    notifier = Notifier(Array(repeating: [], count: library.directories))
    directories = Dictionary(uniqueKeysWithValues: zip(library.directoryIDs, 0...))
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) async {
    await notifier.observe(directory) { observer() }
  }

  func apply(_ event: consuming FileEvent, committed: @escaping @Sendable () -> Void) async {
    var id: UUID?
    event.forEachFile { id = $0.payload.directoryID }
    guard let directory = id.flatMap({ directories[$0] }) else {
      preconditionFailure("a run changes files of the library")
    }
    await notifier.receive(event, of: directory, committed: committed)
  }

  func listing(ofDirectory directory: Int) -> [ListedFile]? { nil }
}
