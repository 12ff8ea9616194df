import CacheModel
import FoundationEssentials

extension FileLibrary {
  /// An event that changes files, as a server would tell it.
  ///
  /// - Parameters:
  ///   - index: how many events came before; the files carry the revision that follows.
  ///   - files: at least one.
  /// - Returns: the event, without stamps.
  package func message(index: Int, files: [Int]) -> WireMessage {
    let revision = index + 1
    let version = Self.version(ofRevision: revision)
    return WireMessage(
      id: payload(ofFile: files[0], revision: 0).id,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(index)),
      libraryID: libraryUUID, epoch: 1, sequence: UInt64(revision),
      kind: files.count == 1 ? .resourceChanged : .resourceBatchChanged,
      resources: files.map {
        .init(
          clock: version.clock, device: version.device,
          value: payload(ofFile: $0, revision: revision))
      })
  }
}
