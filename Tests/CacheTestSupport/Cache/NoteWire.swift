package import CacheModel
package import FaultSearch
package import NormalizedCache

/// Notes as bytes: fields in lines, the text last.
package enum NoteWire {
  package static let typeName = "note"

  package struct Malformed: Error, Hashable {
    package var bytes: Int

    package init(bytes: Int) {
      self.bytes = bytes
    }
  }

  /// A registry that knows notes.
  package static func registry() throws -> ResourceTypeRegistry<Note> {
    var registry = ResourceTypeRegistry<Note>()
    try registry.register(typeName, as: NoteSchema.noteType) { try decode($0) }
    return registry
  }

  package static func item(_ entity: VersionedEntity<Note>) -> WireItem {
    WireItem(type: typeName, id: entity.key.id, bytes: encode(entity))
  }

  package static func event(_ envelope: EventEnvelope<Note>) -> WireEvent {
    let content: WireEvent.Content =
      switch envelope.event {
      case .changed(let entity): .changed([item(entity)])
      case .batchChanged(let entities), .partlyDecoded(let entities, _):
        .changed(entities.map(item))
      case .deleted(let keys, let version):
        .deleted(keys.map { WireKey(type: typeName, id: $0.id) }, version: version)
      case .bulkNotice(let tag, let count, let token):
        .bulkNotice(
          WireScope(
            library: tag.library, location: tag.location,
            type: tag.resourceType.map { _ in typeName }),
          count: count, token: token)
      case .infrastructure: .infrastructure
      }
    let creations = envelope.keys.map {
      WireCreation(type: typeName, clientID: $0.key.id, serverID: $0.value.id)
    }
    return WireEvent(
      place: envelope.place, content: content, mutation: envelope.mutation, creations: creations)
  }

  package static func encode(_ entity: VersionedEntity<Note>) -> [UInt8] {
    let note = entity.payload
    let lines = [
      "\(entity.key.id)", "\(entity.version.clock)", "\(entity.version.device)", "\(note.folder)",
      note.isStarred ? "*" : "-", note.title, note.text,
    ]
    return Array(lines.joined(separator: "\n").utf8)
  }

  package static func decode(_ bytes: [UInt8]) throws -> VersionedEntity<Note> {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", maxSplits: 6, omittingEmptySubsequences: false)
    guard lines.count == 7, let id = UniqueID(lines[0]), let clock = UInt64(lines[1]),
      let device = UInt64(lines[2]), let folder = Int(lines[3])
    else { throw Malformed(bytes: bytes.count) }
    return VersionedEntity(
      key: EntityKey(type: NoteSchema.noteType, id: id),
      version: Version(clock: clock, device: device),
      payload: Note(
        folder: folder, title: String(lines[5]), isStarred: lines[4] == "*",
        text: String(lines[6])))
  }
}

/// Notes as bytes: folder, star and title, a line each, then the text.
package struct NoteCodec: StorageCodec {
  package typealias Payload = Note
  package typealias Change = NoteChange

  package var schemaVersion: Int

  package init(schemaVersion: Int = 1) {
    self.schemaVersion = schemaVersion
  }

  package func encode(_ payload: Note, of key: EntityKey) throws -> [UInt8] {
    let star = payload.isStarred ? 1 : 0
    return Array("\(payload.folder)\n\(star)\n\(payload.title)\n\(payload.text)".utf8)
  }

  package func decode(
    _ bytes: [UInt8], of key: EntityKey, schemaVersion: Int
  ) throws -> Note {
    let words = Self.lines(bytes, most: 4)
    guard words.count == 4, let folder = Int(words[0]) else {
      throw StorageError.failed("note \(key.id.low) has no four lines")
    }
    return Note(folder: folder, title: words[2], isStarred: words[1] == "1", text: words[3])
  }

  package func encodeChange(_ change: NoteChange, of key: EntityKey) throws -> [UInt8] {
    switch change {
    case .title(let title): Array("title\n\(title)".utf8)
    case .folder(let folder): Array("folder\n\(folder)".utf8)
    case .star(let isStarred): Array("star\n\(isStarred ? 1 : 0)".utf8)
    }
  }

  package func decodeChange(
    _ bytes: [UInt8], of key: EntityKey, schemaVersion: Int
  ) throws -> NoteChange {
    let words = Self.lines(bytes, most: 2)
    switch (words.first, words.last) {
    case ("title", let title?): return .title(title)
    case ("star", let star?): return .star(star == "1")
    case ("folder", let text?):
      if let folder = Int(text) { return .folder(folder) }
      fallthrough
    default: throw StorageError.failed("no change of note \(key.id.low)")
    }
  }

  private static func lines(_ bytes: [UInt8], most: Int) -> [String] {
    bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: most - 1, omittingEmptySubsequences: false
    )
    .map { String(decoding: $0, as: UTF8.self) }
  }
}
