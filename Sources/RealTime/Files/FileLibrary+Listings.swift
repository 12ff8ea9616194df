package import CacheModel
package import FoundationEssentials
import NormalizedCache

extension FileLibrary {
  /// The files of a directory as they are before the first event, in the order of its listing.
  package func files(inDirectory directory: Int) -> [VersionedEntity<FilePayload>] {
    response(toDirectory: directory).entities
  }

  /// The directory's identifier, as its files carry it.
  package func identifier(ofDirectory directory: Int) -> UUID {
    payload(ofFile: directory * filesPerDirectory, revision: 0).directoryID
  }
}
