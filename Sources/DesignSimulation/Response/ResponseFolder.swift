import CacheFiles
import CacheModel
import ResponseCacheCore
import Workloads

/// The files of a response cache, which outlive processes: bodies, and what is known of entries.
final class ResponseFolder<Rows: Sendable> {
  let bodies: VirtualFolder<Rows>
  private let layout: ResponseOptions.MetadataLayout
  private let size: (Rows) -> Int
  private var manifest: Manifest<FileName>?
  private var manifestBytes = 0
  private var downloads: [DownloadRecord] = []
  private var sidecars: [ManifestEntry<FileName>?] = []
  private var sidecarBytes: [Int] = []
  private var placeOfSidecar: [FileName: Int] = [:]
  private var metadataWrites = 0

  init(
    _ refusals: [StorageRefusal], _ layout: ResponseOptions.MetadataLayout,
    size: @escaping (Rows) -> Int
  ) {
    bodies = VirtualFolder(refusals)
    self.layout = layout
    self.size = size
  }

  var bytes: Int { bodies.bytes + manifestBytes + sidecarBytes.reduce(0, +) }
  var files: Int { bodies.files + (manifest == nil ? 0 : 1) + placeOfSidecar.count }
  var writes: Int { bodies.writes + metadataWrites }

  func perform(
    _ operation: StoreOperation<FileName, Rows>, at now: Instant
  ) -> StoreResult<FileName> {
    switch operation {
    case .open: return open()
    case .writeBody(let name, _, let rows):
      if let failure = bodies.failure(at: now) { return .failed(failure) }
      _ = bodies.write(name, rows, bytes: size(rows), date: now)
    case .deleteBody(let name, _, let isForgotten):
      bodies.remove(name)
      if isForgotten { removeSidecar(name) }
    case .writeManifest(let manifest):
      if let failure = bodies.failure(at: now) { return .failed(failure) }
      self.manifest = manifest
      manifestBytes = ManifestText.bytes(manifest).count
      metadataWrites += 1
    case .writeSidecars(let entries, let downloads):
      if let failure = bodies.failure(at: now) { return .failed(failure) }
      if let downloads { self.downloads = downloads }
      for entry in entries { write(entry) }
    }
    return .done
  }

  private func open() -> StoreResult<FileName> {
    let found = bodies.list.map { file in
      FoundBody(key: file.name, kind: ResponseKind.json, bytes: file.bytes, used: file.used)
    }
    let known =
      layout == .manifest
      ? manifest : Manifest(entries: sidecars.compactMap(\.self), downloads: downloads)
    return .opened(known, isDamaged: false, bodies: found)
  }

  private func write(_ entry: ManifestEntry<FileName>) {
    metadataWrites += 1
    let bytes = ManifestText.bytes(Manifest(entries: [entry])).count
    if let place = placeOfSidecar[entry.key] {
      (sidecars[place], sidecarBytes[place]) = (entry, bytes)
    } else {
      placeOfSidecar[entry.key] = sidecars.count
      sidecars.append(entry)
      sidecarBytes.append(bytes)
    }
  }

  private func removeSidecar(_ name: FileName) {
    guard let place = placeOfSidecar.removeValue(forKey: name) else { return }
    (sidecars[place], sidecarBytes[place]) = (nil, 0)
  }
}
