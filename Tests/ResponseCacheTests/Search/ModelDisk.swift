import CacheFiles
import CacheModel
import ResponseCache

/// A key of the search: a small number.
struct ModelKey: ResponseKey {
  var number: Int

  var fingerprint: UInt64 { UInt64(number) }
}

/// The file of a body.
struct ModelFile: Hashable {
  var key: Int
  var kind: ResponseKind
}

/// Files as a store's shell would find them: a number for each body.
struct ModelDisk {
  typealias Key = ModelKey

  struct Content {
    /// `nil`: bytes that are no body.
    var body: Int?
    var bytes: Int
  }

  private(set) var bodies: [ModelFile: Content] = [:]
  private(set) var manifest: Manifest<Key>?
  private(set) var isDamaged = false
  private var sidecars: [Int: ManifestEntry<Key>] = [:]
  private var downloads: [DownloadRecord] = []

  /// The written metadata of entries, in order of keys.
  func written(_ layout: ResponseOptions.MetadataLayout) -> [ManifestEntry<Key>] {
    let entries = layout == .manifest ? manifest?.entries ?? [] : Array(sidecars.values)
    return entries.sorted { $0.key.number < $1.key.number }
  }

  mutating func damage(_ file: ModelFile) { bodies[file]?.body = nil }

  mutating func remove(_ file: ModelFile) { bodies[file] = nil }

  mutating func damageMetadata() {
    if manifest != nil { isDamaged = true }
    manifest = nil
    sidecars = [:]
  }

  /// Performs the store's requests; of failing ones, half.
  mutating func perform(
    _ operation: StoreOperation<Key, Int>, layout: ResponseOptions.MetadataLayout, fails: Bool,
    bytes: (Int) -> Int
  ) -> StoreResult<Key> {
    switch operation {
    case .open:
      let found = bodies.map { file, content in
        FoundBody(
          key: Key(number: file.key), kind: file.kind, bytes: content.bytes, used: .zero)
      }.sorted { ($0.key.number, $0.kind.rawValue) < ($1.key.number, $1.kind.rawValue) }
      let known =
        layout == .manifest
        ? manifest : Manifest(entries: written(layout), downloads: downloads)
      return .opened(known, isDamaged: isDamaged, bodies: found)
    case .writeBody(let key, let kind, let body):
      guard !fails else { break }
      bodies[ModelFile(key: key.number, kind: kind)] = Content(body: body, bytes: bytes(body))
    case .deleteBody(let key, let kind, let isForgotten):
      guard !fails else { break }
      bodies[ModelFile(key: key.number, kind: kind)] = nil
      if isForgotten { sidecars[key.number] = nil }
    case .writeManifest(let manifest):
      guard !fails else { break }
      self.manifest = manifest
      isDamaged = false
    case .writeSidecars(let entries, let downloads):
      if let downloads { self.downloads = downloads }
      for entry in fails ? entries.prefix(entries.count / 2) : entries[...] {
        sidecars[entry.key.number] = entry
      }
    }
    return .done
  }
}
