import CacheModel
import CacheSimulation
import ResponseCacheCore
import Workloads

extension SimulatedDesign {
  static let response = SimulatedDesign(preset: .response) { settings, input in
    let options = ResponseOptions(settings, input)
    // By the client's place; looked up, never iterated.
    var folders: [Int: ResponseUnderTest.Folder] = [:]
    return { launch throws(CacheFault) in
      if launch.at == .zero || folders[launch.place] == nil {
        folders[launch.place] = ResponseUnderTest.Folder(
          input.workload.clients[launch.place].storageFaults, options.metadataLayout
        ) { $0.bytes }
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
  /// What a scenario says of a response cache.
  init(_ settings: DesignSettings, _ input: DesignInput) {
    self.init()
    memoryBytes = settings.memoryLimit(input)
    diskBytes = settings.diskBytes
    maximumEntries = settings.count("maximum-entries") ?? maximumEntries
    // Tables cannot be evicted: so that they leave half of the memory to bodies.
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

  /// Of 200 entries each has 740 bytes in the tables (`tidemark measure memory --designs`); those that have just grown take more.
  private static let twiceTablesOfEntry = 2_000
}
