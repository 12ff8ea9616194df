import CacheModel
import NormalizedCacheCore

extension CacheStore: WritingCache, StoringCache, SimulatedCache
where Schema == SimulationSchema {
  static var isKnownFromOutside: Bool { false }
  mutating func takeAnswered() -> [AnsweredRead] { [] }
  mutating func giveUpReads() {}
  var fault: CacheFault? { nil }
  var takesEvents: Bool { composition.takesEvents }
  var use: CacheUse? { nil }
  mutating func tellLink(isUp: Bool, at now: Instant) {}
  func end() {}

  mutating func failFetch(_ id: FetchID, isRefused: Bool, at now: Instant) -> FetchEnding {
    failFetch(id, at: now)
  }

  mutating func failReconcile(_ id: ReconcileID, isRefused: Bool, at now: Instant) {
    failReconcile(id, at: now)
  }

  /// Of the tables at the end, which do not shrink.
  ///
  /// A store that is limited in memory has looked after every commit.
  func predictedBytes(_ memory: PredictedMemory) -> Int? {
    statistics.peakUse.memory > 0
      ? statistics.peakUse.memory
      : memory.bytes(of: self, weight: statistics.peakResidentWeight)
  }
}
