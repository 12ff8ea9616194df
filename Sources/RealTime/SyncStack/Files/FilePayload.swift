package import FoundationEssentials

/// A file as an app has it: typed, and in JSON as large as captured (942 to 951 bytes; FACTS of the
/// file manager that the design document describes).
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

/// What a user may change of a file.
package struct FileChange: Sendable {
  package var name: String

  package func applied(to file: FilePayload) -> FilePayload {
    var renamed = file
    renamed.name = name
    return renamed
  }
}
