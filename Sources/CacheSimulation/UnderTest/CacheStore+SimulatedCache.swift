import CacheModel
import NormalizedCache

extension CacheStore: WritingCache, StoringCache, SimulatedCache
where Schema == SimulationSchema {
  /// Of the tables at the end, which do not shrink.
  ///
  /// A store that is limited in memory has looked after every commit.
  func predictedBytes(_ memory: PredictedMemory) -> Int? {
    statistics.peakUse.memory > 0
      ? statistics.peakUse.memory
      : memory.bytes(of: self, weight: statistics.peakResidentWeight)
  }
}
