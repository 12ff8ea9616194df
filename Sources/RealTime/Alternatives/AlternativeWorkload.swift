package import CacheModel

/// The number of entities and observers of a comparison of designs, and the size of its events.
package struct AlternativeWorkload: Hashable, Sendable {
  /// The class of its rows.
  package var name: String
  package var directories: Int
  package var filesPerDirectory: Int
  /// The number of observed directories, from the first; events change files in these only.
  package var observed: Int
  /// The number of files that an event changes, all in one directory.
  package var filesPerEvent: Int

  package init(
    name: String, directories: Int, filesPerDirectory: Int, observed: Int, filesPerEvent: Int
  ) {
    precondition(
      (1...directories).contains(observed) && (1...filesPerDirectory).contains(filesPerEvent),
      "\(name) asks for more than it has")
    self.name = name
    self.directories = directories
    self.filesPerDirectory = filesPerDirectory
    self.observed = observed
    self.filesPerEvent = filesPerEvent
  }

  /// All workloads, each of 10,000 files; targets refer to the first.
  package static let all = [
    AlternativeWorkload(
      name: "single", directories: 100, filesPerDirectory: 100, observed: 100, filesPerEvent: 1),
    // The cost of one observed listing alone: the minimum for a design that checks all of them.
    AlternativeWorkload(
      name: "single-one-observed", directories: 100, filesPerDirectory: 100, observed: 1,
      filesPerEvent: 1),
    AlternativeWorkload(
      name: "single-1000-queries", directories: 1_000, filesPerDirectory: 10, observed: 1_000,
      filesPerEvent: 1),
    AlternativeWorkload(
      name: "batch-100", directories: 100, filesPerDirectory: 100, observed: 100,
      filesPerEvent: 100),
  ]

  package static func named(_ name: String) -> AlternativeWorkload? {
    all.first { $0.name == name }
  }

  package func library(seed: UInt64) -> FileLibrary {
    FileLibrary(directories: directories, filesPerDirectory: filesPerDirectory, seed: seed)
  }
}

/// The events of a run, the same for every design, and all listings after them.
///
/// Files are drawn uniformly: a cyclic order would always select the least recently used file, which favours
/// designs that search from there.
package struct AlternativeScript {
  private let library: FileLibrary
  private let workload: AlternativeWorkload
  private var random: RandomSource
  private var events = 0
  /// The last change of each file.
  private var revisions: [Int]

  package struct Event: Sendable {
    package var envelope: FileEvent
    /// The directory whose listing changes.
    package var directory: Int
  }

  package init(library: FileLibrary, workload: AlternativeWorkload, random: RandomSource) {
    self.library = library
    self.workload = workload
    self.random = random
    revisions = Array(repeating: 0, count: library.fileCount)
  }

  package mutating func next() -> Event {
    let directory = random.below(workload.observed)
    let first = directory * workload.filesPerDirectory
    events += 1
    let place = library.place(sequence: events)
    guard workload.filesPerEvent > 1 else {
      let file = first + random.below(workload.filesPerDirectory)
      return Event(
        envelope: FileEvent(place: place, event: .changed(change(file))), directory: directory)
    }
    let files = (first..<first + workload.filesPerEvent).map { change($0) }
    return Event(
      envelope: FileEvent(place: place, event: .batchChanged(files)), directory: directory)
  }

  private mutating func change(_ file: Int) -> VersionedEntity<FilePayload> {
    revisions[file] = events
    return library.entity(file: file, revision: events)
  }

  /// Returns the listing of a directory after all events so far.
  package func listing(ofDirectory directory: Int) -> [ListedFile] {
    let first = directory * workload.filesPerDirectory
    return (first..<first + workload.filesPerDirectory).map {
      ListedFile(library.entity(file: $0, revision: revisions[$0]))
    }
  }
}
