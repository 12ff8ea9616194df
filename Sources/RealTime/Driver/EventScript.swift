import CacheModel
package import FoundationEssentials

/// The messages of a run, encoded before it begins so that sending one costs nothing.
///
/// Message `i` changes files that no message shortly before it changed, and carries revision `i + 1`.
package struct EventScript: Sendable {
  package let eventClass: EventClass
  package let messages: [Data]
  private let library: FileLibrary

  /// - Throws: what the encoder throws.
  package init(library: FileLibrary, eventClass: EventClass, count: Int) throws {
    self.library = library
    self.eventClass = eventClass
    let encoder = WireEncoder()
    messages = try (0..<count).map { index in
      try encoder.bytes(
        of: library.message(
          index: index, files: Self.files(ofEvent: index, eventClass, in: library)))
    }
  }

  /// The directories whose listings an event changes, in order.
  package func directories(ofEvent index: Int) -> [Int] {
    var directories: [Int] = []
    for file in Self.files(ofEvent: index, eventClass, in: library) {
      let directory = library.directory(ofFile: file)
      if directories.last != directory { directories.append(directory) }
    }
    return directories
  }

  private static func files(
    ofEvent index: Int, _ eventClass: EventClass, in library: FileLibrary
  ) -> [Int] {
    FileLibrary.files(
      ofChange: index, count: min(eventClass.entities, library.fileCount), among: library.fileCount)
  }
}
