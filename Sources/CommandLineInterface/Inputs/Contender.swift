package import CacheModel
package import CacheProcesses
package import CacheSimulation
package import ResultModel
package import Workloads

/// A cache as one scenario runs it: what results call it, and what it is.
package struct Contender: Sendable {
  package var name: String
  package var cache: ContenderCache
  /// The folder for the input of external caches that break a rule; `nil`: none.
  package var transcripts: TranscriptFolder?

  package init(name: String, cache: ContenderCache, transcripts: TranscriptFolder? = nil) {
    self.name = name
    self.cache = cache
    self.transcripts = transcripts
  }
}

/// What a contender is.
///
/// All that depends on it is asked here and in `Contender+Running.swift`. A kind of cache that is new
/// conforms to `BlackBoxCache`, and needs nothing new from the code that runs it.
package enum ContenderCache: Sendable {
  /// Put together from policies: the simulation sees all that it does.
  case composed(CachePolicy)
  /// A black-box cache, such as one in its own process.
  case blackBox(any BlackBoxCache)
}

extension ContenderCache {
  package var composition: CachePolicy? {
    if case .composed(let composition) = self { composition } else { nil }
  }

  /// How fast it was, where it is in another process.
  package var pace: TurnPace? {
    if case .blackBox(let cache) = self { (cache as? CacheCommand)?.pace } else { nil }
  }

  /// What a shell runs; `nil` of one that is in no other process.
  package var command: String? {
    if case .blackBox(let cache) = self { (cache as? CacheCommand)?.command } else { nil }
  }

  /// What it is, value by value: by that its figures are found again.
  package var content: [ScenarioContent.Value] {
    switch self {
    case .composed(let composition): ScenarioContent.values(of: composition)
    case .blackBox(let cache): cache.content
    }
  }

  /// Whether its memory is known: a cache whose memory is unknown has no limit on it, and is in no comparison
  /// over memory.
  package var isMemoryKnown: Bool {
    switch self {
    case .composed: true
    case .blackBox(let cache): cache.predictsMemory
    }
  }

  /// Whether it is known what it keeps.
  package var isInsideKnown: Bool { composition != nil }

  /// Whether a simulation of it has the metric's values.
  package func isMeasured(_ metric: Metric) -> Bool {
    isInsideKnown || SimulationResult.isMeasured(metric, fromOutsideKnowing: isMemoryKnown)
  }

  /// The same with its own option set; `nil`: it has none of that name.
  package func setting(_ option: String, to value: String) -> ContenderCache? {
    if case .blackBox(let cache) = self {
      cache.setting(option, to: value).map { .blackBox($0) }
    } else {
      nil
    }
  }

  /// The same with one hard limit on memory instead of all others; `nil`: it cannot have one.
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

/// Two of the same content are the same cache.
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
  /// Replaces all limits by one hard limit on memory.
  fileprivate mutating func holdMemory(to bytes: Int) {
    capacity = Capacity(entities: nil, memory: bytes)
    limit = .hard
    maximumQueries = nil
  }
}

extension [Contender] {
  /// Those whose memory cannot be seen.
  package var memoryUnknown: Set<String> { Set(filter { !$0.cache.isMemoryKnown }.map(\.name)) }
}
