import CacheModel
import FoundationEssentials

extension Peer {
  static let control = Peer(
    name: "control",
    summary: "No cache: the way to an actor, and ten calls.",
    limits: "It keeps nothing. What it takes is the machine's time, and that of the calls."
  ) { library, _ in NotifierAlone(library: library) }
}

/// What remains of the way when the cache is taken away.
private actor NotifierAlone: DesignUnderTest {
  private let directories: [UUID]
  private var observers: [UUID: [@Sendable () -> Void]] = [:]

  init(library: FileLibrary) {
    directories = (0..<library.directories).map { library.identifier(ofDirectory: $0) }
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) {
    observers[directories[directory], default: []].append { observer() }
  }

  func apply(_ event: FileEvent, committed: @escaping @Sendable () -> Void) {
    committed()
    var directory: UUID?
    event.forEachFile { directory = $0.payload.directoryID }
    for onChange in directory.flatMap({ observers[$0] }) ?? [] { onChange() }
  }

  func listing(ofDirectory directory: Int) -> [ListedFile]? { nil }

  func close() {}
}
