// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors where nobody would read them: in continuous integration.
let warnings: [SwiftSetting] =
  Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
  warnings + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

/// Where a search for faults can be shown to find them: the cache makes a mistake on request.
let plantedDefects: [SwiftSetting] = [.define("PLANTED_DEFECTS", .when(configuration: .debug))]

/// A room of the house.
///
/// An arrow is a dependency, and it only ever points down (see `Documentation/Architecture.md`).
func room(
  _ name: String, _ dependencies: [Target.Dependency] = [], settings own: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + own)
}

/// The tests of one room, mirroring its sources.
func tests(
  of room: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  settings own: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: "\(room)Tests",
    dependencies: [.byName(name: room), "CacheTestSupport"] + dependencies,
    exclude: exclude,
    swiftSettings: settings + own)
}

let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

// An app downloads a package only if a trait that it asked for needs it: every use of the others is
// behind one. A target that cannot be built without its trait depends on a guard, which says so.
//
// No two traits are ever on together: SwiftPM 6.3 hands several to the compiler in an order that
// changes from run to run, and then builds everything anew.
let inHarness = TargetDependencyCondition.when(traits: ["Harness", "HarnessWithoutJemalloc"])
let harness = Target.Dependency.target(name: "HarnessTrait")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: inHarness)
let histogram = Target.Dependency.product(
  name: "Histogram", package: "hdrhistogram-swift", condition: inHarness)
let nioCore = Target.Dependency.product(
  name: "NIOCore", package: "swift-nio", condition: inHarness)
let nioHTTP1 = Target.Dependency.product(
  name: "NIOHTTP1", package: "swift-nio", condition: inHarness)
let nioPosix = Target.Dependency.product(
  name: "NIOPosix", package: "swift-nio", condition: inHarness)
let nioEmbedded = Target.Dependency.product(
  name: "NIOEmbedded", package: "swift-nio", condition: inHarness)
let simulation = Target.Dependency.target(name: "SimulationTrait")
let yams = Target.Dependency.product(
  name: "Yams", package: "Yams",
  condition: .when(traits: ["Simulation", "Harness", "HarnessWithoutJemalloc"]))
let persistence = Target.Dependency.target(name: "PersistenceTrait")
let grdb = Target.Dependency.product(
  name: "GRDB", package: "GRDB.swift",
  condition: .when(
    traits: ["Persistence", "PersistenceAndMetrics", "Harness", "HarnessWithoutJemalloc"]))
let metricsTrait = Target.Dependency.target(name: "MetricsTrait")
let inMetrics = TargetDependencyCondition.when(
  traits: ["Metrics", "PersistenceAndMetrics", "Harness", "HarnessWithoutJemalloc"])
let coreMetrics = Target.Dependency.product(
  name: "CoreMetrics", package: "swift-metrics", condition: inMetrics)
let fileCaches = Target.Dependency.target(name: "FileCachesTrait")
let inFileCaches = TargetDependencyCondition.when(
  traits: ["FileCaches", "Harness", "HarnessWithoutJemalloc"])
let crypto = Target.Dependency.product(
  name: "Crypto", package: "swift-crypto", condition: inFileCaches)
let logging = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: inFileCaches)
let metricsTestKit = Target.Dependency.product(
  name: "MetricsTestKit", package: "swift-metrics", condition: inMetrics)

let package = Package(
  name: "tidemark",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "NormalizedCache", targets: ["NormalizedCache"]),
    .library(name: "NormalizedCacheFoundation", targets: ["NormalizedCacheFoundation"]),
    .library(name: "ShadowCache", targets: ["ShadowCache"]),
    .library(name: "SessionRecorder", targets: ["SessionRecorder"]),
    .library(name: "CacheMetrics", targets: ["CacheMetrics"]),
    .library(name: "CachePersistence", targets: ["CachePersistence"]),
    .library(name: "EvictionPolicies", targets: ["EvictionPolicies"]),
    .library(name: "TwoTierCache", targets: ["TwoTierCache"]),
    .library(name: "ResponseCache", targets: ["ResponseCache"]),
    .library(name: "CacheSimulation", targets: ["CacheSimulation"]),
    .library(name: "TidemarkTestSupport", targets: ["TidemarkTestSupport"]),
    .library(name: "StreamingRepository", targets: ["StreamingRepository"]),
    .executable(name: "tidemark", targets: ["tidemark"]),
    .executable(name: "tidemark-memory", targets: ["tidemark-memory"]),
    .executable(name: "bench-designs", targets: ["bench-designs"]),
  ],
  traits: [
    .trait(
      name: "Persistence",
      description: "For apps: CachePersistence and StreamingRepository, which have an SQLite file."),
    .trait(name: "Metrics", description: "For apps: CacheMetrics, a bridge to swift-metrics."),
    .trait(
      name: "PersistenceAndMetrics", description: "For apps: both, since two traits are not one."),
    .trait(
      name: "FileCaches",
      description: "For apps: TwoTierCache and ResponseCache, caches over files."),
    .trait(
      name: "Simulation",
      description: "For policies and caches of one's own: CacheSimulation, TidemarkTestSupport."),
    .trait(
      name: "Harness", description: "What an app does not need: the executables and the tests."),
    .trait(
      name: "HarnessWithoutJemalloc",
      description: "The same for sanitizers, and where jemalloc is not installed."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // Floor 0: vocabulary.
    room("CacheModel"),
    .systemLibrary(
      name: "CJemalloc", providers: [.apt(["libjemalloc-dev"]), .brew(["jemalloc"])]),
    .target(name: "CJemallocConfiguration"),
    room("HarnessTrait"),
    room("PersistenceTrait"),
    room("MetricsTrait"),
    room("FileCachesTrait"),
    room("SimulationTrait"),
    // A header without a library: one hint to the processor.
    .systemLibrary(name: "CPrefetch"),
    // Likewise: where callgrind is to begin and to end.
    .systemLibrary(name: "CCallgrind"),
    room("Containers", ["CPrefetch"]),
    room("Text"),
    room("CacheFiles", ["CacheModel", fileCaches, crypto]),

    // Floor 1: orders of eviction, and what a metric is.
    room("EvictionPolicies", ["CacheModel", "Containers"]),
    room("ResultModel", ["Text"]),

    // Floor 2: the cache, and what happens to it.
    room(
      "NormalizedCache", ["CacheModel", "Containers", "EvictionPolicies", deque, heap],
      settings: plantedDefects),
    room("NormalizedCacheFoundation", ["NormalizedCache"]),
    room("ShadowCache", ["NormalizedCache"]),
    room("CacheMetrics", ["NormalizedCache", metricsTrait, coreMetrics]),
    room("SessionRecorder", ["CacheModel", "NormalizedCache", "Text"]),
    room("CachePersistence", ["CacheModel", "NormalizedCache", persistence, grdb]),
    room(
      "TwoTierCache",
      ["CacheFiles", "CacheModel", "Containers", "EvictionPolicies", fileCaches, logging],
      settings: plantedDefects),
    room(
      "StreamingRepository", ["CacheModel", "Containers", persistence, grdb],
      settings: plantedDefects),
    room(
      "ResponseCache",
      ["CacheFiles", "CacheModel", "Containers", "EvictionPolicies", "Text", fileCaches, logging],
      settings: plantedDefects),
    room("SimulatedStorage", ["CacheModel", "NormalizedCache"]),
    room("Workloads", ["CacheModel", "ResultModel", "Text", simulation, yams]),

    // Floor 3: virtual time, key traces, real time.
    room(
      "CacheSimulation",
      [
        "CacheModel", "Containers", "EvictionPolicies", "NormalizedCache", "SimulatedStorage",
        "Workloads", "ResultModel", heap,
      ]),
    room("TraceReplay", ["CacheModel", "Containers", "EvictionPolicies", "Text", "CPrefetch"]),
    // For tests and measurements of what fetches over HTTP.
    room("LocalHTTPServer", [harness, nioCore, nioHTTP1, nioPosix]),
    room("SyncStack", ["CacheModel", "NormalizedCache", harness, nioCore, nioPosix]),
    room(
      "Measurement",
      [
        "CacheModel", "Containers", "EvictionPolicies", "NormalizedCache", "ResultModel",
        "SyncStack",
        harness, heap, histogram,
      ]),
    room(
      "FaultSearch",
      [
        "CacheModel", "CacheSimulation", "EvictionPolicies", "NormalizedCache", "SimulatedStorage",
        "Text", "Workloads",
      ],
      settings: plantedDefects),

    // Floor 4: what the numbers say, and how they are shown.
    room("Analysis", ["CacheModel", "ResultModel"]),
    room("Reporting", ["CacheModel", "ResultModel", "Analysis", "Text"]),

    // Floor 4: a scenario in real time.
    room(
      "Playback",
      [
        "CacheModel", "CacheSimulation", "Measurement", "ResultModel", "NormalizedCache",
        "SyncStack",
        "Workloads",
      ]),

    // Floor 4: what a policy or a cache of one's own owes, as suites for its tests.
    room("TidemarkTestSupport", ["CacheModel", "CacheSimulation", "EvictionPolicies"]),

    // Floor 4: caches in processes of their own, under the same streams.
    room("CacheProcesses", ["CacheModel", "CacheSimulation", "Text", "Workloads"]),

    // Floor 4: the other cache designs, in virtual time.
    room(
      "DesignSimulation",
      [
        "CacheFiles", "CacheModel", "CacheSimulation", "Containers", "ResponseCache",
        "StreamingRepository", "TwoTierCache", "Workloads",
      ]),

    // Floor 5: what would be used in place of the cache.
    room("Peers", ["CacheModel", "Measurement", "SyncStack", grdb]),

    // Floor 6: the executables.
    .executableTarget(
      name: "tidemark",
      dependencies: [
        "CacheModel", "EvictionPolicies", "ResultModel", "NormalizedCache", "Workloads",
        "CachePersistence", "CacheSimulation", "TraceReplay", "SyncStack", "Measurement",
        "FaultSearch", "Analysis", "Reporting", "Text", "Peers", "Playback", "CacheProcesses",
        "DesignSimulation",
        argumentParser,
      ],
      swiftSettings: settings + plantedDefects),
    .executableTarget(
      name: "tidemark-memory",
      dependencies: [
        "CacheModel", "CacheSimulation", "DesignSimulation", "Measurement", "ResultModel",
        "NormalizedCache", "Playback", "Workloads",
        .target(name: "CJemalloc", condition: .when(traits: ["Harness"])),
        .target(name: "CJemallocConfiguration", condition: .when(traits: ["Harness"])),
        "CCallgrind",
      ],
      swiftSettings: settings),

    // The only executable that has an HTTP server: neither `tidemark` nor an app builds one.
    .executableTarget(
      name: "bench-designs",
      dependencies: [
        "CacheFiles", "CacheModel", "LocalHTTPServer", "Measurement", "Reporting", "ResponseCache",
        "ResultModel", "StreamingRepository", "Text", "TwoTierCache",
        argumentParser, grdb,
      ],
      swiftSettings: settings),

    .executableTarget(
      name: "storage-crash-child",
      dependencies: [
        "CacheModel", "NormalizedCache", "CachePersistence", "CacheTestSupport", "FaultSearch",
        "ResponseCache", "StreamingRepository", "TwoTierCache",
      ],
      swiftSettings: settings),

    // Puts the response cache before a public suite of tests for HTTP caches (Tests/HTTPCacheSuite).
    .executableTarget(
      name: "http-cache-proxy",
      dependencies: ["ResponseCache", harness, logging, nioCore, nioHTTP1, nioPosix],
      swiftSettings: settings),

    // Examples: programs to learn from; not products.
    .executableTarget(
      name: "FirstList", dependencies: ["NormalizedCache"],
      path: "Examples/FirstList", swiftSettings: settings),
    .executableTarget(
      name: "TwoDevices", dependencies: ["NormalizedCache"],
      path: "Examples/TwoDevices", swiftSettings: settings),
    // The tutorial.
    .executableTarget(
      name: "Chat",
      dependencies: [
        "CachePersistence", "NormalizedCache", "NormalizedCacheFoundation", "SessionRecorder",
        "ShadowCache",
      ],
      path: "Examples/Chat", swiftSettings: settings),
    // What it costs to watch a cache.
    .executableTarget(
      name: "Overhead", dependencies: ["NormalizedCache", "SessionRecorder"],
      path: "Examples/Overhead", swiftSettings: settings),
    // Radar tiles in memory over files.
    .executableTarget(
      name: "Tiles", dependencies: ["TwoTierCache"],
      path: "Examples/Tiles", swiftSettings: settings),
    // A link shortener in a streaming repository.
    .executableTarget(
      name: "Links", dependencies: ["StreamingRepository", grdb],
      path: "Examples/Links", swiftSettings: settings),
    // An issue of a magazine, downloaded and read offline.
    .executableTarget(
      name: "Magazine", dependencies: ["ResponseCache"],
      path: "Examples/Magazine", swiftSettings: settings),
    // What the articles of the documentation show, compiled and never run.
    .target(
      name: "Guide",
      dependencies: [
        "CachePersistence", "NormalizedCache", "NormalizedCacheFoundation", "SessionRecorder",
      ],
      path: "Examples/Guide", swiftSettings: settings),

    // Tests.
    room(
      "CacheTestSupport",
      [
        "CacheModel", "EvictionPolicies", "FaultSearch", "NormalizedCache", "SimulatedStorage",
        "StreamingRepository", grdb,
      ]),
    tests(of: "CacheModel"),
    tests(of: "Containers"),
    tests(of: "Text"),
    tests(of: "EvictionPolicies", ["TidemarkTestSupport"]),
    tests(of: "ResultModel", ["CacheModel", "Text"]),
    tests(of: "NormalizedCache", ["FaultSearch", "SimulatedStorage"], settings: plantedDefects),
    tests(of: "NormalizedCacheFoundation", ["NormalizedCache"]),
    tests(of: "ShadowCache", ["CacheModel", "FaultSearch", "NormalizedCache"]),
    tests(
      of: "CacheMetrics",
      [
        "FaultSearch", "NormalizedCache",
        metricsTestKit,
      ]),
    tests(
      of: "SessionRecorder",
      ["CacheModel", "CacheSimulation", "ResultModel", "NormalizedCache", "Workloads"]),
    tests(
      of: "CachePersistence",
      [
        "CacheModel", "NormalizedCache", "SimulatedStorage", "FaultSearch", "storage-crash-child",
        grdb,
      ]),
    tests(of: "SimulatedStorage", ["CacheModel", "NormalizedCache"]),
    tests(of: "CacheFiles", ["CacheModel"]),
    tests(
      of: "TwoTierCache",
      ["CacheFiles", "CacheModel", "EvictionPolicies", "storage-crash-child", logging],
      settings: plantedDefects),
    tests(
      of: "StreamingRepository", ["CacheModel", "storage-crash-child", grdb],
      settings: plantedDefects),
    tests(
      of: "ResponseCache",
      [
        "CacheFiles", "CacheModel", "EvictionPolicies", "LocalHTTPServer", "storage-crash-child",
        logging,
      ],
      settings: plantedDefects),
    tests(
      of: "FaultSearch", ["NormalizedCache"], exclude: ["Cases"],
      settings: plantedDefects),
    tests(of: "Workloads"),
    tests(
      of: "CacheSimulation",
      [
        "EvictionPolicies", "Workloads", "NormalizedCache", "SimulatedStorage", "ResultModel",
        "TidemarkTestSupport",
      ],
      exclude: ["Clients/Recordings"]),
    tests(
      of: "CacheProcesses", ["CacheModel", "CacheSimulation", "ResultModel", "Workloads"]),
    tests(of: "TraceReplay", ["EvictionPolicies", "Text", "TidemarkTestSupport"]),
    tests(
      of: "DesignSimulation", ["CacheModel", "CacheSimulation", "ResultModel", "Workloads"]),
    tests(of: "SyncStack", ["CacheModel", "NormalizedCache", nioCore, nioEmbedded, nioPosix]),
    tests(of: "Measurement", ["NormalizedCache", "ResultModel", "SyncStack"]),
    tests(
      of: "Playback",
      ["CacheSimulation", "Measurement", "ResultModel", "NormalizedCache", "Workloads"]),
    tests(of: "Peers", ["CacheModel", "Measurement"]),
    .testTarget(
      name: "bench-designsTests",
      dependencies: ["bench-designs", "Reporting", "ResultModel", argumentParser],
      swiftSettings: settings),
    tests(of: "Analysis", ["ResultModel"], exclude: ["Builds/Data", "Selection/Data"]),
    tests(of: "Reporting", ["Analysis", "ResultModel", "Text"]),
    .testTarget(
      name: "tidemarkTests", dependencies: ["tidemark", argumentParser],
      swiftSettings: settings + plantedDefects),
  ],
  swiftLanguageModes: [.v6]
)
