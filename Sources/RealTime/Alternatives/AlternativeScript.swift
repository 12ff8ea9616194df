package import CacheModel

/// The events of a run, the same for every design, and what all listings are after them.
///
/// Files are drawn uniformly: events that visit the files in turn would always find the one used longest
/// ago, and flatter designs that search from there.
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

  /// What a view shows of a directory after all events so far.
  package func listing(ofDirectory directory: Int) -> [ListedFile] {
    let first = directory * workload.filesPerDirectory
    return (first..<first + workload.filesPerDirectory).map {
      ListedFile(library.entity(file: $0, revision: revisions[$0]))
    }
  }
}
