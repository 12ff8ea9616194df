package import CacheModel
package import FoundationEssentials
package import NormalizedCache

/// A synthetic library of equal directories: the entities and queries of a measurement.
///
/// Every value is determined by the seed and its index, so two lanes, and two processes, have the same.
package struct FileLibrary: Sendable {
  package let library: LibraryID
  /// The library's identifier in messages.
  package let libraryUUID: UUID
  package let directories: Int
  package let filesPerDirectory: Int
  private let root: RandomSource
  private let locationID: UUID
  package let directoryIDs: [UUID]
  package let fileIDs: [UUID]

  /// Returns 100 queries over 10,000 entities, as in the memory budget.
  package static func standard(seed: UInt64) -> FileLibrary {
    FileLibrary(directories: 100, filesPerDirectory: 100, seed: seed)
  }

  package init(directories: Int, filesPerDirectory: Int, seed: UInt64) {
    precondition(
      directories > 0 && filesPerDirectory > 0, "a library without files measures nothing")
    self.directories = directories
    self.filesPerDirectory = filesPerDirectory
    root = RandomSource(seed: seed)
    var random = root.substream("file-library")
    libraryUUID = random.nextUUID()
    library = LibraryID(rawValue: UniqueID(libraryUUID))
    locationID = random.nextUUID()
    directoryIDs = (0..<directories).map { _ in random.nextUUID() }
    fileIDs = (0..<directories * filesPerDirectory).map { _ in random.nextUUID() }
  }

  package var fileCount: Int { fileIDs.count }

  /// Returns the directory of a file.
  package func directory(ofFile file: Int) -> Int { file / filesPerDirectory }

  package static let fileType = ResourceType(rawValue: 1)
  package static let listingMethod = QueryMethod(rawValue: 1)

  /// Returns the query that lists a directory; its input is the sixteen bytes of the identifier.
  package func queryKey(ofDirectory directory: Int) -> QueryKey {
    QueryKey(
      library: library, method: Self.listingMethod,
      input: withUnsafeBytes(of: directoryIDs[directory].uuid) { Array($0) })
  }

  package var queryKeys: [QueryKey] { (0..<directories).map(queryKey(ofDirectory:)) }

  package func entityKey(ofFile file: Int) -> EntityKey {
    EntityKey(type: Self.fileType, id: UniqueID(fileIDs[file]))
  }

  /// Returns a file after a number of changes, each of which an observer can notice.
  package func payload(ofFile file: Int, revision: Int) -> FilePayload {
    var random = root.substream("file", UInt64(file))
    let directory = directory(ofFile: file)
    // Names have leading digits so that listings sort by number, and the usual length of names from cameras
    // and exports.
    let number = String(100_000 + file)
    let name = "IMG_20240517_\(number)_edited"
    let created = Date(timeIntervalSince1970: 1_700_000_000 + Double(file))
    return FilePayload(
      id: fileIDs[file],
      name: name,
      fileExtension: "jpg",
      kind: .image,
      size: 2_400_000 + Int64(file) + Int64(revision),
      directoryID: directoryIDs[directory],
      locationID: locationID,
      path: .init(
        device: "workstation-of-the-photographer",
        path: "/Volumes/Archive/Photographs/2024/Assignments/\(1_000 + directory)"
          + "/Deliverables/Retouched/Web/\(name).jpg"),
      content: .init(
        id: random.nextUUID(),
        contentHash: (0..<4).map { _ in String(random.next() | 1 << 63, radix: 16) }.joined(),
        mimeType: "image/jpeg", copies: 1),
      createdAt: created,
      modifiedAt: created.addingTimeInterval(Double(60 + revision)),
      accessedAt: created.addingTimeInterval(86_400),
      tagIDs: [random.nextUUID(), random.nextUUID()],
      sidecars: [
        .init(kind: "thumbnail", format: "webp", size: 18_734),
        .init(kind: "preview_grid", format: "webp", size: 184_734),
      ],
      isLocal: true, isHidden: false, isFavorite: false)
  }

  /// Returns the same file with shared storage for the texts of another.
  package func payload(
    ofFile file: Int, like model: FilePayload, revision: Int
  ) -> FilePayload {
    var payload = model
    payload.id = fileIDs[file]
    payload.directoryID = directoryIDs[directory(ofFile: file)]
    payload.size = Int64(revision)
    return payload
  }

  package func entity(file: Int, revision: Int) -> VersionedEntity<FilePayload> {
    VersionedEntity(
      key: entityKey(ofFile: file), version: Self.version(ofRevision: revision),
      payload: payload(ofFile: file, revision: revision))
  }

  /// Returns the server's initial answer for a directory's listing.
  package func response(toDirectory directory: Int) -> FetchResponse<FilePayload> {
    let first = directory * filesPerDirectory
    return FetchResponse(
      entities: (first..<first + filesPerDirectory).map { entity(file: $0, revision: 0) },
      hasMore: false, place: place(sequence: 0))
  }

  /// Returns the files of one change of a run, numbered from 0: this many neighbours, or a single one.
  ///
  /// Single ones cycle over all files, since the stride is coprime to usual numbers of files, so that an
  /// observer can notice each change.
  package static func files(ofChange number: Int, count: Int, among files: Int) -> [Int] {
    guard count > 1 else { return [number * 7_919 % files] }
    let first = number * count % files
    return (first..<first + count).map { $0 % files }
  }

  package func place(sequence: Int) -> EventEnvelope<FilePayload>.Place {
    .init(
      stream: StreamID(library: library),
      position: StreamPosition(epoch: 1, sequence: UInt64(sequence)))
  }

  private static let firstMillisecond: UInt64 = 1_700_000_000_000

  package static func version(ofRevision revision: Int, device: UInt64 = 1) -> Version {
    Version(milliseconds: firstMillisecond + UInt64(revision), counter: 0, device: device)
  }

  /// Returns the revision of a version.
  package static func revision(of version: Version) -> Int {
    Int(version.milliseconds) - Int(firstMillisecond)
  }
}

extension RandomSource {
  /// Returns a version 4 identifier.
  mutating func nextUUID() -> UUID {
    var bytes = [UInt8]()
    for word in [next(), next()] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
        bytes[6] & 0x0f | 0x40, bytes[7], bytes[8] & 0x3f | 0x80, bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}

/// A file as a typed value of an app, with the size of recorded files in JSON (942 to 951 bytes; facts about
/// the file manager that the design document describes).
package struct FilePayload: Codable, Hashable, Sendable {
  package var id: UUID
  package var name: String
  package var fileExtension: String
  package var kind: Kind
  package var size: Int64
  package var directoryID: UUID
  package var locationID: UUID
  package var path: Path
  package var content: Content
  package var createdAt: Date
  package var modifiedAt: Date
  package var accessedAt: Date
  package var tagIDs: [UUID]
  package var sidecars: [Sidecar]
  package var isLocal: Bool
  package var isHidden: Bool
  package var isFavorite: Bool

  package enum Kind: String, Codable, Hashable, Sendable {
    case image, video, document, archive
  }

  package struct Path: Codable, Hashable, Sendable {
    package var device: String
    package var path: String
  }

  package struct Content: Codable, Hashable, Sendable {
    package var id: UUID
    package var contentHash: String
    package var mimeType: String
    package var copies: Int
  }

  package struct Sidecar: Codable, Hashable, Sendable {
    package var kind: String
    package var format: String
    package var size: Int64
  }
}

/// A user's change of a file.
package struct FileChange: Sendable {
  package var name: String

  package func applied(to file: FilePayload) -> FilePayload {
    var renamed = file
    renamed.name = name
    return renamed
  }
}

extension UniqueID {
  package init(_ uuid: UUID) {
    self = withUnsafeBytes(of: uuid.uuid) { bytes in
      UniqueID(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }
}
