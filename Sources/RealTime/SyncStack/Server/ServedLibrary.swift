import CacheModel
import FoundationEssentials
import NormalizedCache

/// What the server holds: a made library, and what devices changed in it.
struct ServedLibrary: Sendable {
  let made: FileLibrary
  private var changed: [Int: VersionedEntity<FilePayload>] = [:]
  private let fileOfID: [UUID: Int]
  private let directoryOfID: [UUID: Int]

  init(_ library: FileLibrary) {
    made = library
    fileOfID = Self.places(library.fileIDs)
    directoryOfID = Self.places(library.directoryIDs)
  }

  private static func places(_ ids: [UUID]) -> [UUID: Int] {
    Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The files of a directory by name; `nil` where there is no such directory.
  func files(ofDirectory id: UUID) -> [VersionedEntity<FilePayload>]? {
    guard let directory = directoryOfID[id] else { return nil }
    let first = directory * made.filesPerDirectory
    return (first..<first + made.filesPerDirectory).map(entity).sorted {
      $0.payload.name != $1.payload.name ? $0.payload.name < $1.payload.name : $0.key < $1.key
    }
  }

  /// Why a change cannot be taken; `nil` where it can.
  func objection(to files: [FilePayload]) -> String? {
    for payload in files {
      guard let file = fileOfID[payload.id] else { return "there is no file \(payload.id)" }
      guard payload.directoryID == made.directoryIDs[made.directory(ofFile: file)] else {
        return "file \(payload.id) cannot move to directory \(payload.directoryID)"
      }
    }
    return nil
  }

  /// - Precondition: there was no objection.
  mutating func take(_ entity: VersionedEntity<FilePayload>) {
    guard let file = fileOfID[entity.payload.id] else {
      preconditionFailure("there is no file \(entity.payload.id)")
    }
    changed[file] = entity
  }

  private func entity(_ file: Int) -> VersionedEntity<FilePayload> {
    changed[file] ?? made.entity(file: file, revision: 0)
  }
}
