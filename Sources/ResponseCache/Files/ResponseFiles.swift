import CacheFiles
import CacheModel
import FileHashing
import Foundation
import Synchronization

/// Carries out the store's operations on files.
///
/// Calls block.
final class ResponseFiles: Sendable {
  let folder: FileFolder
  private let layout: ResponseOptions.MetadataLayout
  private let maximumBodyBytes: Int
  private let lock = Mutex<FolderLock?>(nil)

  private static let manifest = FileName(single: "manifest.json")
  /// The downloads, if entries have sidecars.
  private static let downloads = FileName(single: "downloads.json")
  private static let sidecar = "meta"
  private static let maximumSidecarBytes = 1 << 18

  init(folder: FileFolder, options: ResponseOptions) {
    self.folder = folder
    layout = options.metadataLayout
    maximumBodyBytes = options.maximumBodyBytes
  }

  func path(_ key: FileName, _ kind: ResponseKind) -> String {
    "\(folder.path)/\(key.with(extension: kind.fileExtension))"
  }

  // MARK: Operations

  func perform(
    _ operation: StoreOperation<FileName, Data>, at now: Instant
  ) -> StoreResult<FileName> {
    do throws(FileFailure) {
      switch operation {
      case .open: return try open()
      case .writeBody(let key, let kind, let body):
        _ = try write(body, to: key.with(extension: kind.fileExtension), at: now)
      case .deleteBody(let key, let kind, let isForgotten):
        try folder.remove(key.with(extension: kind.fileExtension))
        if isForgotten && layout == .sidecars {
          try folder.remove(key.with(extension: Self.sidecar))
        }
      case .writeManifest(let manifest):
        _ = try write(Data(ManifestText.bytes(manifest)), to: Self.manifest, at: now)
      case .writeSidecars(let entries, let downloads):
        if let downloads {
          let manifest = Manifest<FileName>(downloads: downloads)
          _ = try write(Data(ManifestText.bytes(manifest)), to: Self.downloads, at: now)
        }
        for entry in entries {
          _ = try write(
            Data(ManifestText.bytes(Manifest(entries: [entry]))),
            to: entry.key.with(extension: Self.sidecar), at: now)
        }
      }
      return .done
    } catch {
      return .failed(error)
    }
  }

  private func write(_ data: Data, to name: FileName, at now: Instant) throws(FileFailure) {
    _ = try folder.write([data], to: name, date: now, synchronizes: true)
  }

  private func open() throws(FileFailure) -> StoreResult<FileName> {
    try folder.create()
    guard let taken = try folder.lock() else { return .inUse }
    lock.withLock { $0 = taken }
    try folder.removeOrphans()
    let files = try folder.list()
    var bodies: [FoundBody<FileName>] = []
    var sidecars: [FileName] = []
    for file in files {
      guard let end = file.name.fileExtension else { continue }
      if end == Self.sidecar {
        sidecars.append(file.name)
      } else if let kind = ResponseKind(fileExtension: end) {
        bodies.append(
          FoundBody(key: file.name.stem, kind: kind, bytes: file.bytes, used: file.used))
      }
    }
    bodies.sort { $0.key.description < $1.key.description }
    switch layout {
    case .manifest:
      // Whatever wrote them, this layout does not use them.
      for name in sidecars { try folder.remove(name) }
      let (manifest, isDamaged) = try read(Self.manifest, atMost: ManifestText.maximumBytes)
      return .opened(manifest, isDamaged: isDamaged, bodies: bodies)
    case .sidecars:
      var (manifest, isDamaged) = try read(Self.downloads, atMost: Self.maximumSidecarBytes << 6)
      var all = manifest ?? Manifest()
      for name in sidecars.sorted(by: { $0.description < $1.description }) {
        (manifest, _) = try read(name, atMost: Self.maximumSidecarBytes)
        guard let entry = manifest?.entries.first, entry.key == name.stem else {
          isDamaged = true
          try folder.remove(name)
          continue
        }
        all.entries.append(entry)
      }
      return .opened(all, isDamaged: isDamaged, bodies: bodies)
    }
  }

  /// Reads metadata from a file; nothing if there is none, or it is damaged.
  private func read(
    _ name: FileName, atMost limit: Int
  ) throws(FileFailure) -> (manifest: Manifest<FileName>?, isDamaged: Bool) {
    let content: FileContent
    do {
      content = try folder.read(name, header: 0, atMost: limit)
    } catch {
      switch error.kind {
      case .absent: return (nil, false)
      case .damaged: return (nil, true)
      // Without it, everything would count as lost.
      case .noSpace, .refused, .transient: throw error
      }
    }
    do {
      return (try ManifestText.manifest([UInt8](content.body)), false)
    } catch {
      return (nil, true)
    }
  }

  // MARK: Bodies

  func read(_ key: FileName, _ kind: ResponseKind) -> BodyReading<Data> {
    do {
      let content = try folder.read(
        key.with(extension: kind.fileExtension), header: 0, atMost: maximumBodyBytes)
      let body = content.body
      return .found(
        body, bytes: body.count, digest: BodyDigest(FileDigest.of(body)),
        isSound: Self.hasForm(of: kind, body))
    } catch {
      switch error.kind {
      case .absent: return .absent
      // Its length was never written: it counts as empty.
      case .damaged:
        return .found(Data(), bytes: -1, digest: BodyDigest(words: []), isSound: false)
      case .noSpace, .refused, .transient: return .unreadable
      }
    }
  }

  /// Returns whether a body without metadata begins and ends as its kind does.
  private static func hasForm(of kind: ResponseKind, _ body: Data) -> Bool {
    switch kind {
    case .json: (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil
    case .jpeg: body.starts(with: [0xFF, 0xD8]) && body.suffix(2).elementsEqual([0xFF, 0xD9])
    case .png:
      body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        && body.suffix(8).elementsEqual([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    case .binary: false
    }
  }
}
