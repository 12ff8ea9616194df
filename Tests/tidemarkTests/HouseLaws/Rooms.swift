/// The rooms of the house and the arrows between them: who may import whom.
///
/// The table is the one of `Documentation/Architecture.md`, narrowed to what is there: a room names what
/// it imports, and `Package.swift` says the same.
struct Room: Sendable {
  var name: String
  /// Other rooms that it may import: only such as stand before it in ``Rooms/all``.
  var rooms: [String] = []
  /// Modules of other packages and of the system that it may import.
  var modules: [String] = []
  /// The folder that it stands in.
  var floor = "Sources"

  var folder: String { "\(floor)/\(name)" }
}

enum Rooms {
  /// From the lowest floor up.
  static let all: [Room] = [
    Room(name: "CacheModel"),
    Room(name: "CJemalloc"),
    Room(name: "CJemallocConfiguration"),
    Room(name: "CPrefetch"),
    Room(name: "HarnessTrait"),
    Room(name: "PersistenceTrait"),
    Room(name: "Containers", rooms: ["CPrefetch"]),

    Room(name: "EvictionPolicies", rooms: ["CacheModel", "Containers"]),
    Room(name: "Metrics", rooms: ["CacheModel"]),

    Room(
      name: "NormalizedCache", rooms: ["CacheModel", "Containers", "EvictionPolicies"],
      modules: ["DequeModule", "HeapModule", "Observation", "Synchronization", "Darwin", "Glibc"]),
    Room(
      name: "CachePersistence", rooms: ["CacheModel", "NormalizedCache"],
      modules: ["Dispatch", "Foundation", "GRDB"]),
    Room(name: "Workloads", rooms: ["CacheModel", "Metrics"], modules: ["Yams"]),

    Room(
      name: "CacheSimulation",
      rooms: [
        "CacheModel", "Containers", "EvictionPolicies", "NormalizedCache", "Workloads", "Metrics",
      ],
      modules: ["DequeModule", "HeapModule"]),
    Room(name: "FaultSearch", rooms: ["CacheModel", "EvictionPolicies", "NormalizedCache"]),
    Room(
      name: "TraceReplay",
      rooms: ["CacheModel", "Containers", "CPrefetch", "EvictionPolicies", "Workloads", "Metrics"]),
    Room(
      name: "SyncStack", rooms: ["CacheModel", "NormalizedCache"],
      modules: [
        "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Darwin", "NIOCore", "NIOPosix",
        "Synchronization",
      ]),
    Room(
      name: "Measurement",
      rooms: [
        "CacheModel", "Containers", "EvictionPolicies", "NormalizedCache", "Workloads", "Metrics",
        "SyncStack",
      ],
      modules: [
        "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Darwin", "HeapModule",
        "Histogram", "Synchronization",
      ]),

    Room(name: "Analysis", rooms: ["CacheModel", "Metrics"]),
    Room(name: "Reporting", rooms: ["CacheModel", "Metrics", "Analysis"]),

    Room(
      name: "Playback",
      rooms: [
        "CacheModel", "CacheSimulation", "Measurement", "Metrics", "NormalizedCache", "SyncStack",
        "Workloads",
      ],
      modules: ["Foundation", "Synchronization"]),

    Room(
      name: "Peers", rooms: ["CacheModel", "Measurement", "SyncStack"],
      modules: ["Dispatch", "Foundation", "FoundationEssentials", "GRDB", "Synchronization"]),

    Room(
      name: "TidemarkTestSupport",
      rooms: ["CacheModel", "EvictionPolicies", "NormalizedCache", "FaultSearch"],
      modules: ["Synchronization"]),

    Room(
      name: "tidemark",
      rooms: [
        "CacheModel", "EvictionPolicies", "Metrics", "NormalizedCache", "Workloads",
        "CachePersistence", "CacheSimulation", "FaultSearch", "TraceReplay", "SyncStack",
        "Measurement", "Analysis", "Reporting", "Peers", "Playback",
      ],
      modules: [
        "ArgumentParser", "Darwin", "Dispatch", "Foundation", "Glibc", "Synchronization",
      ]),
    Room(
      name: "storage-crash-child",
      rooms: [
        "CacheModel", "NormalizedCache", "CachePersistence", "FaultSearch", "TidemarkTestSupport",
      ],
      modules: ["Foundation"]),
    Room(
      name: "tidemark-memory",
      rooms: [
        "CacheModel", "EvictionPolicies", "Metrics", "NormalizedCache", "Workloads",
        "CacheSimulation", "Measurement", "Playback", "CJemalloc", "CJemallocConfiguration",
      ],
      modules: ["Dispatch", "Foundation", "Synchronization"]),

    Room(
      name: "TwoDevices", rooms: ["CacheModel", "NormalizedCache"],
      modules: ["Foundation", "Observation"], floor: "Examples"),
    Room(
      name: "Guide", rooms: ["CachePersistence", "NormalizedCache"],
      modules: ["Foundation"], floor: "Examples"),
  ]
}
