package import CacheModel
package import CacheProcesses
package import CacheSimulation
package import ResultModel
package import Workloads

/// A cache in one scenario: its name in results, and its definition.
package struct Contender: Sendable {
  package var name: String
  package var cache: ContenderCache
  /// The folder for transcripts of external caches that violate a rule; `nil`: none.
  package var transcripts: TranscriptFolder?

  package init(name: String, cache: ContenderCache, transcripts: TranscriptFolder? = nil) {
    self.name = name
    self.cache = cache
    self.transcripts = transcripts
  }
}

/// The definition of a contender.
///
/// Everything that depends on its kind is here and in `Contender+Running.swift`. A new kind of cache conforms
/// to `BlackBoxCache`, without changes of the code that runs it.
package enum ContenderCache: Sendable {
  /// A policy: the simulation observes all of its operations.
  case composed(CachePolicy)
  /// A black-box cache, such as one in its own process.
  case blackBox(any BlackBoxCache)
}

extension ContenderCache {
  package var composition: CachePolicy? {
    if case .composed(let composition) = self { composition } else { nil }
  }

  /// The timing of its turns, if it is in another process.
  package var pace: TurnPace? {
    if case .blackBox(let cache) = self { (cache as? CacheCommand)?.pace } else { nil }
  }

  /// The shell command; `nil` if it is not in another process.
  package var command: String? {
    if case .blackBox(let cache) = self { (cache as? CacheCommand)?.command } else { nil }
  }

  /// Its content as values, by which its figures are found again.
  package var content: [ScenarioContent.Value] {
    switch self {
    case .composed(let composition): ScenarioContent.values(of: composition)
    case .blackBox(let cache): cache.content
    }
  }

  /// Whether its memory is known: otherwise it has no memory limit, and is excluded from comparisons of
  /// memory.
  package var isMemoryKnown: Bool {
    switch self {
    case .composed: true
    case .blackBox(let cache): cache.predictsMemory
    }
  }

  /// Whether its contents are known.
  package var isInsideKnown: Bool { composition != nil }

  /// Returns whether a simulation of it gives values of a metric.
  package func isMeasured(_ metric: Metric) -> Bool {
    isInsideKnown || SimulationResult.isMeasured(metric, fromOutsideKnowing: isMemoryKnown)
  }

  /// Returns the cache with one option set; `nil`: it has no option with that name.
  package func setting(_ option: String, to value: String) -> ContenderCache? {
    if case .blackBox(let cache) = self {
      cache.setting(option, to: value).map { .blackBox($0) }
    } else {
      nil
    }
  }

  /// Returns the cache with one hard memory limit instead of all others; `nil`: not supported.
  package func held(toMemory bytes: Int) -> ContenderCache? {
    switch self {
    case .composed(var composition):
      composition.holdMemory(to: bytes)
      return .composed(composition)
    case .blackBox(let cache):
      return cache.predictsMemory ? cache.held(toMemory: bytes).map { .blackBox($0) } : nil
    }
  }
}

/// Caches with equal content are equal.
extension ContenderCache: Hashable {
  package static func == (one: ContenderCache, other: ContenderCache) -> Bool {
    switch (one, other) {
    case (.composed(let one), .composed(let other)): one == other
    case (.blackBox(let one), .blackBox(let other)): one.content == other.content
    case (.composed, .blackBox), (.blackBox, .composed): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .composed(let composition): hasher.combine(composition)
    case .blackBox(let cache): hasher.combine(cache.content)
    }
  }
}

extension CachePolicy {
  /// Replaces all limits by one hard memory limit.
  fileprivate mutating func holdMemory(to bytes: Int) {
    capacity = Capacity(entities: nil, memory: bytes)
    limit = .hard
    maximumQueries = nil
  }
}

extension [Contender] {
  package var memoryUnknown: Set<String> { Set(filter { !$0.cache.isMemoryKnown }.map(\.name)) }
}
