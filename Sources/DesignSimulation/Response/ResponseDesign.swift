import CacheFiles
import CacheModel
import CacheSimulation
import ResponseCacheCore
import Workloads

extension SimulatedDesign {
  static let response = SimulatedDesign(preset: .response) { settings, input in
    let options = ResponseOptions(settings, input)
    // By the client's index; used for look-ups only.
    var folders: [Int: ResponseFolder] = [:]
    return { launch throws(CacheFault) in
      if launch.at == .zero || folders[launch.place] == nil {
        folders[launch.place] = ResponseFolder(
          input.workload.clients[launch.place].storageFaults, options.metadataLayout)
      }
      guard let folder = folders[launch.place] else { preconditionFailure("it was just made") }
      do throws(ResponseOptionsError) {
        return try ResponseUnderTest(options, settings, input, folder, launch)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
  }
}

extension ResponseOptions {
  /// Creates the options of a response cache from a scenario.
  init(_ settings: DesignSettings, _ input: DesignInput) {
    self.init()
    memoryBytes = settings.memoryLimit(input)
    diskBytes = settings.diskBytes
    maximumEntries = settings.count("maximum-entries") ?? maximumEntries
    // Tables cannot be evicted: half of the memory remains for bodies.
    if let memoryBytes {
      maximumEntries = min(maximumEntries, memoryBytes / Self.twiceTablesOfEntry)
    }
    memoryEntries = settings.count("memory-entries") ?? memoryEntries
    metadataLayout = settings.word("metadata") == "sidecars" ? .sidecars : .manifest
    flushInterval = settings.duration("flush-interval") ?? flushInterval
    sweepInterval = settings.duration("sweep-interval")
    if settings.word("stale-after") == "any-error" { servesStaleAfter = Set(Fault.allCases) }
    evictionOrder = settings.evictionOrder ?? evictionOrder
  }

  /// Twice the memory of an entry in the tables: each of 200 entries takes 740 bytes (`tidemark measure
  /// memory --designs`); tables that have just grown take more.
  private static let twiceTablesOfEntry = 2_000
}

/// The files of a response cache, which persist across processes: bodies and metadata.
final class ResponseFolder {
  let bodies: VirtualFolder
  private let layout: ResponseOptions.MetadataLayout
  private var manifest: Manifest<FileName>?
  private var manifestBytes = 0
  /// The bytes of each entry in the manifest.
  private var entryBytes: [Int] = []
  private var downloads: [DownloadRecord] = []
  private var sidecars: [ManifestEntry<FileName>?] = []
  private var sidecarBytes: [Int] = []
  private var placeOfSidecar: [FileName: Int] = [:]
  private var metadataWrites = 0

  init(_ refusals: [StorageRefusal], _ layout: ResponseOptions.MetadataLayout) {
    bodies = VirtualFolder(refusals)
    self.layout = layout
  }

  var bytes: Int { bodies.bytes + manifestBytes + sidecarBytes.reduce(0, +) }
  var files: Int { bodies.files + (manifest == nil ? 0 : 1) + placeOfSidecar.count }
  var writes: Int { bodies.writes + metadataWrites }

  func perform(
    _ operation: StoreOperation<FileName, StoredRows>, at now: Instant
  ) -> StoreResult<FileName> {
    switch operation {
    case .open: return open()
    case .writeBody(let name, _, let rows):
      if let failure = bodies.failure(at: now) { return .failed(failure) }
      _ = bodies.write(name, rows, bytes: rows.bytes, date: now)
    case .deleteBody(let name, _, let isForgotten):
      bodies.remove(name)
      if isForgotten { removeSidecar(name) }
    case .writeManifest(let manifest):
      if let failure = bodies.failure(at: now) { return .failed(failure) }
      write(manifest)
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

  /// Only what has changed is written as text: the rest takes as many bytes as before.
  private func write(_ manifest: Manifest<FileName>) {
    metadataWrites += 1
    let former = self.manifest?.entries ?? []
    var bytes: [Int] = []
    bytes.reserveCapacity(manifest.entries.count)
    // Entries keep their order: the next of the former ones is the same, or the one after it.
    var next = 0
    for entry in manifest.entries {
      let known = (next..<min(next + 2, former.count)).first { former[$0].key == entry.key }
      if let known { next = known + 1 }
      if let known, former[known] == entry {
        bytes.append(entryBytes[known])
      } else {
        bytes.append(Self.bytes(Manifest(entries: [entry])) - Self.bytesOfNone)
      }
    }
    // Commas are between entries.
    manifestBytes =
      Self.bytes(Manifest(downloads: manifest.downloads)) + bytes.reduce(0, +)
      + max(0, bytes.count - 1)
    (self.manifest, entryBytes) = (manifest, bytes)
  }

  private static let bytesOfNone = bytes(Manifest())

  private static func bytes(_ manifest: Manifest<FileName>) -> Int {
    ManifestText.bytes(manifest).count
  }

  private func write(_ entry: ManifestEntry<FileName>) {
    metadataWrites += 1
    let bytes = Self.bytes(Manifest(entries: [entry]))
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
