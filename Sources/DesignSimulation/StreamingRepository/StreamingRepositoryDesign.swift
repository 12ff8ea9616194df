import CacheModel
import CacheSimulation
import StreamingRepositoryCore
import Workloads

extension SimulatedDesign {
  static let streamingRepository = SimulatedDesign(preset: .streamingRepository) {
    settings, input in
    // By the client's place; looked up, never iterated.
    var tables: [Int: VirtualTables] = [:]
    return { launch throws(CacheFault) in
      if launch.at == .zero || tables[launch.place] == nil {
        tables[launch.place] = VirtualTables(
          input, refusals: input.workload.clients[launch.place].storageFaults,
          limit: settings.diskBytes)
      }
      guard let tables = tables[launch.place] else { preconditionFailure("they were just made") }
      do throws(RepositoryError) {
        return try RepositoryUnderTest(RepositoryOptions(settings), settings, input, tables)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
  }
}

extension RepositoryOptions {
  /// What a scenario says of a streaming repository.
  init(_ settings: DesignSettings) {
    self.init()
    let triggers: [(String, RepositoryTrigger)] = [
      ("first-view", .firstView), ("foreground", .foreground), ("after-change", .change),
    ]
    for (field, trigger) in triggers where !settings.isSet(field) {
      self.triggers.remove(trigger)
    }
    foregroundInterval = settings.duration("foreground-interval") ?? .zero
    interval = settings.duration("refresh-interval")
    writeMode = settings.word("write") == "replace" ? .replace : .upsertOnly
    rewritesUnchangedRows = settings.isSet("rewrite-unchanged")
  }
}
