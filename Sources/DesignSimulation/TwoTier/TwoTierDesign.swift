import CacheModel
import CacheSimulation
import Containers
import TwoTierCacheCore
import Workloads

extension SimulatedDesign {
  static let twoTier = SimulatedDesign(preset: .twoTier) { settings, input in
    let options = TwoTierOptions(settings, input)
    // By the client's index; used for look-ups only.
    var folders: [Int: VirtualFolder] = [:]
    return { launch throws(CacheFault) in
      if launch.at == .zero || folders[launch.place] == nil {
        folders[launch.place] = VirtualFolder(
          input.workload.clients[launch.place].storageFaults)
      }
      guard let folder = folders[launch.place] else { preconditionFailure("it was just made") }
      do throws(TwoTierOptionsError) {
        return try TwoTierUnderTest(options, settings, input, folder, seed: launch.seed)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
  }
}

extension TwoTierOptions {
  /// Creates the options of a two-tier cache from a scenario.
  init(_ settings: DesignSettings, _ input: DesignInput) {
    self.init()
    age = settings.duration("maximum-age")
    cleanUpWrites = settings.count("clean-up-writes")
    cleanUpInterval = settings.duration("clean-up-interval")
    diskBytes = settings.diskBytes
    evictionOrder = settings.evictionOrder ?? evictionOrder
    let limits = [
      settings.capacity.memory.map { Self.bytes(within: $0, meanValue: input.meanEntityBytes) },
      settings.valueLimit(input),
    ]
    if let limit = limits.compactMap(\.self).min() { memoryLimit = .bytes(limit) }
  }

  /// Returns the limit of values' sizes for which they and their tables do not exceed this memory.
  ///
  /// The cache counts a value's own bytes and a constant for the rest; the allocator rounds up by at most a
  /// quarter, and tables may have just doubled.
  private static func bytes(within memory: Int, meanValue: Int) -> Int {
    let counted = Double(meanValue + entryOverhead)
    let taken = 1.25 * Double(meanValue + AllocationSize.arrayHeader + grownTablesOfEntry)
    return Int(Double(memory) * min(1, counted / taken))
  }

  /// The maximum memory of an entry in the tables, including the name of its file.
  private static let grownTablesOfEntry = 640
}
