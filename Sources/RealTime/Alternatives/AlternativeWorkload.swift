/// What the designs of a comparison hold, who watches it, and how much an event carries.
package struct AlternativeWorkload: Hashable, Sendable {
  /// The class of its rows.
  package var name: String
  package var directories: Int
  package var filesPerDirectory: Int
  /// Directories that are observed, from the first; events change files of these.
  package var observed: Int
  /// Files that an event changes; several are those of one directory.
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

  /// Always 10,000 files; the first is what targets are judged on.
  package static let all = [
    AlternativeWorkload(
      name: "single", directories: 100, filesPerDirectory: 100, observed: 100, filesPerEvent: 1),
    // What one observed listing costs alone: the best that a design can do which looks at all of them.
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
