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

/// What tests spend their time in, optimised under them with every assertion on: `make test` asks for it.
///
/// Asked for only where this package is the root: SwiftPM refuses a dependency with such flags.
let hot: [SwiftSetting] =
  Context.environment["TIDEMARK_OPTIMISED"] == nil
  ? []
  : [
    .unsafeFlags(
      [
        "-O", "-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2",
        "-assert-config", "Debug",
      ],
      .when(configuration: .debug))
  ]

/// A module of the package.
///
/// An arrow is a dependency, and it only ever points down (see `Documentation/Architecture.md`).
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], settings own: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + own)
}

/// The tests of one module, mirroring its sources.
func tests(
  of module: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  settings own: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: "\(module)Tests",
    dependencies: [.byName(name: module), "CacheTestSupport"] + dependencies,
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
    traits: ["Persistence", "Apps", "Harness", "HarnessWithoutJemalloc"]))
let metricsTrait = Target.Dependency.target(name: "MetricsTrait")
let inMetrics = TargetDependencyCondition.when(
  traits: ["Metrics", "Apps", "Harness", "HarnessWithoutJemalloc"])
let coreMetrics = Target.Dependency.product(
  name: "CoreMetrics", package: "swift-metrics", condition: inMetrics)
let fileCaches = Target.Dependency.target(name: "FileCachesTrait")
let inFileCaches = TargetDependencyCondition.when(
  traits: ["FileCaches", "Apps", "Harness", "HarnessWithoutJemalloc"])
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
    .executable(name: "tidemark-lab", targets: ["tidemark-lab"]),
    .executable(name: "tidemark-memory", targets: ["tidemark-memory"]),
    .executable(name: "tidemark-check", targets: ["tidemark-check"]),
    .executable(name: "tidemark-trace", targets: ["tidemark-trace"]),
    .executable(name: "tidemark-import", targets: ["tidemark-import"]),
  ],
  traits: [
    .trait(
      name: "Persistence",
      description: "For apps: CachePersistence and StreamingRepository, which have an SQLite file."),
    .trait(name: "Metrics", description: "For apps: CacheMetrics, a bridge to swift-metrics."),
    .trait(
      name: "FileCaches",
      description: "For apps: TwoTierCache and ResponseCache, caches over files."),
    .trait(
      name: "Apps",
      description: "For apps that want two of the above: all three, since two traits are not one."),
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
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // Layer 0: vocabulary.
    module("CacheModel", settings: plantedDefects + hot),
    .systemLibrary(
      name: "CJemalloc", providers: [.apt(["libjemalloc-dev"]), .brew(["jemalloc"])]),
    .target(name: "CJemallocConfiguration"),
    module("HarnessTrait"),
    module("PersistenceTrait"),
    module("MetricsTrait"),
    module("FileCachesTrait"),
    module("SimulationTrait"),
    // A header without a library: one hint to the processor.
    .systemLibrary(name: "CPrefetch"),
    // Likewise: where callgrind is to begin and to end.
    .systemLibrary(name: "CCallgrind"),
    module("Containers", ["CPrefetch"], settings: hot),
    module("Text", settings: hot),
    module("CacheFiles", ["CacheModel"]),
    // The bytes of recorded sessions: for what an app records with, and for what reads it.
    module("RecordingCodec", ["CacheModel", "Text"], settings: hot),
    module("FileHashing", ["CacheFiles", fileCaches, crypto]),

    // Layer 1: orders of eviction, and what a metric is.
    module("EvictionPolicies", ["CacheModel", "Containers"], settings: hot),
    module("ResultModel", ["Text"]),

    // Layer 2: the cache, and what happens to it.
    module(
      "NormalizedCacheCore", ["CacheModel", "Containers", "EvictionPolicies", deque, heap],
      settings: hot),
    module(
      "NormalizedCache",
      ["CacheModel", "Containers", "EvictionPolicies", "NormalizedCacheCore"]),
    module("NormalizedCacheFoundation", ["NormalizedCache"]),
    module("ShadowCache", ["NormalizedCache"]),
    module("CacheMetrics", ["NormalizedCache", metricsTrait, coreMetrics]),
    module("SessionRecorder", ["CacheModel", "NormalizedCache", "RecordingCodec", "Text"]),
    module("CachePersistence", ["CacheModel", "NormalizedCache", persistence, grdb]),
    // The other designs: what each decides, and behind it the cache that does it.
    module(
      "TwoTierCacheCore", ["CacheFiles", "CacheModel", "Containers", "EvictionPolicies"],
      settings: hot),
    module(
      "TwoTierCache",
      ["CacheFiles", "CacheModel", "FileHashing", "TwoTierCacheCore", fileCaches, logging]),
    module("StreamingRepositoryCore", ["CacheModel", "Containers"]),
    module(
      "StreamingRepository",
      ["CacheModel", "StreamingRepositoryCore", persistence, grdb]),
    module(
      "ResponseCacheCore",
      ["CacheFiles", "CacheModel", "Containers", "EvictionPolicies", "Text"], settings: hot),
    module(
      "ResponseCache",
      ["CacheFiles", "CacheModel", "FileHashing", "ResponseCacheCore", fileCaches, logging]),
    module("SimulatedStorage", ["CacheModel", "NormalizedCacheCore"]),
    module(
      "Workloads", ["CacheModel", "RecordingCodec", "ResultModel", "Text", simulation, yams],
      settings: hot),

    // Layer 3: other programs' files as recordings.
    module("HARImport", ["CacheModel", "RecordingCodec", "Text"], settings: hot),

    // Layer 3: virtual time, key traces, real time, and what a workload is like.
    module(
      "WorkloadExplanation", ["CacheModel", "ResultModel", "Text", "Workloads"], settings: hot),
    module(
      "CacheSimulation",
      [
        "CacheModel", "Containers", "EvictionPolicies", "NormalizedCacheCore", "RecordingCodec",
        "SimulatedStorage", "Workloads", "ResultModel", heap,
      ],
      settings: hot),
    module("TraceReplay", ["CacheModel", "Containers", "EvictionPolicies", "Text"]),
    // For tests and measurements of what fetches over HTTP.
    module("LocalHTTPServer", [harness, nioCore, nioHTTP1, nioPosix]),
    // Everything in real time: latency, memory, scale, alternatives, the path over sockets.
    module(
      "RealTime",
      [
        "CacheModel", "CacheSimulation", "Containers", "EvictionPolicies", "NormalizedCache",
        "Processes", "ResultModel", "Workloads", harness, heap, nioCore, nioPosix, grdb,
      ]),
    module(
      "FaultSearch",
      [
        "CacheModel", "CacheSimulation", "EvictionPolicies", "NormalizedCache", "SimulatedStorage",
        "Text", "Workloads",
      ],
      settings: hot),

    // Layer 4: what the numbers say, and how they are shown.
    module("Analysis", ["CacheModel", "ResultModel"], settings: hot),
    module("Reporting", ["CacheModel", "ResultModel", "Analysis", "Text"]),

    // Layer 4: what a cache owes, case by case; and with what a policy owes, as suites for tests.
    module("CacheChecking", ["CacheModel", "CacheSimulation", "Workloads"]),
    module(
      "TidemarkTestSupport",
      ["CacheChecking", "CacheModel", "CacheSimulation", "EvictionPolicies"]),

    // Layer 4: caches in processes of their own, under the same streams.
    module("CacheProcesses", ["CacheModel", "CacheSimulation", "Text", "Workloads"]),

    // Layer 4: the other cache designs, in virtual time.
    module(
      "DesignSimulation",
      [
        "CacheFiles", "CacheModel", "CacheSimulation", "Containers", "ResponseCacheCore",
        "StreamingRepositoryCore", "TwoTierCacheCore", "Workloads",
      ]),

    // Layer 5: processes that one starts, and what every executable shares.
    module("Processes", ["ResultModel"]),
    module(
      "CommandLineInterface",
      [
        "CacheModel", "CacheProcesses", "CacheSimulation", "DesignSimulation", "EvictionPolicies",
        "NormalizedCacheCore", "Processes", "Reporting", "ResultModel", "Text", "Workloads",
        argumentParser,
      ]),

    // Layer 6: the executables.
    .executableTarget(
      name: "tidemark",
      dependencies: [
        "Analysis", "CacheModel", "CacheProcesses", "CacheSimulation", "CommandLineInterface",
        "DesignSimulation", "EvictionPolicies", "NormalizedCacheCore", "Processes",
        "RecordingCodec", "Reporting", "ResultModel", "Text", "WorkloadExplanation", "Workloads",
        argumentParser,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "tidemark-lab",
      dependencies: [
        "Analysis", "CacheFiles", "CacheModel", "CachePersistence", "CacheSimulation",
        "CommandLineInterface", "EvictionPolicies", "FileHashing", "LocalHTTPServer", "Processes",
        "RealTime", "Reporting", "ResponseCache", "ResultModel", "StreamingRepository", "Text",
        "TwoTierCache", "Workloads", argumentParser, grdb,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "tidemark-check",
      dependencies: [
        "CacheChecking", "CacheProcesses", "CacheSimulation", "CommandLineInterface", "FaultSearch",
        "NormalizedCacheCore", "Processes", "Reporting", "Text", argumentParser,
      ],
      swiftSettings: settings + plantedDefects),
    .executableTarget(
      name: "tidemark-trace",
      dependencies: [
        "CacheModel", "CommandLineInterface", "EvictionPolicies", "Processes", "Reporting", "Text",
        "TraceReplay", "Workloads", argumentParser,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "tidemark-import",
      dependencies: ["CommandLineInterface", "HARImport", "Text", argumentParser],
      swiftSettings: settings),
    .executableTarget(
      name: "tidemark-memory",
      dependencies: [
        "CacheModel", "CacheSimulation", "CommandLineInterface", "DesignSimulation",
        "NormalizedCacheCore", "Processes", "RealTime", "ResultModel", "Workloads",
        .target(name: "CJemalloc", condition: .when(traits: ["Harness"])),
        .target(name: "CJemallocConfiguration", condition: .when(traits: ["Harness"])),
        "CCallgrind",
      ],
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

    // Tests, and what only they need.
    .target(
      name: "CacheTestSupport",
      dependencies: [
        "CacheModel", "CacheSimulation", "EvictionPolicies", "FaultSearch", "NormalizedCache",
        "SimulatedStorage", "StreamingRepository", "Workloads", grdb, logging,
      ],
      path: "Tests/CacheTestSupport", swiftSettings: settings),
    .executableTarget(
      name: "storage-crash-child",
      dependencies: [
        "CacheModel", "NormalizedCache", "CachePersistence", "CacheTestSupport", "FaultSearch",
        "ResponseCache", "StreamingRepository", "TwoTierCache",
      ],
      path: "Tests/storage-crash-child", swiftSettings: settings),
    // Puts the response cache before a public suite of tests for HTTP caches (Tests/HTTPCacheSuite).
    .executableTarget(
      name: "http-cache-proxy",
      dependencies: ["ResponseCache", harness, logging, nioCore, nioHTTP1, nioPosix],
      path: "Tests/http-cache-proxy", swiftSettings: settings),
    tests(of: "CacheModel"),
    tests(of: "Containers"),
    tests(of: "Text"),
    tests(of: "EvictionPolicies", ["TidemarkTestSupport"]),
    tests(of: "ResultModel", ["CacheModel", "Text"]),
    tests(
      of: "NormalizedCache", ["FaultSearch", "NormalizedCacheCore", "SimulatedStorage"],
      settings: plantedDefects),
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
      [
        "CacheModel", "CacheSimulation", "ResultModel", "NormalizedCache", "RecordingCodec",
        "Workloads",
      ]),
    tests(
      of: "CachePersistence",
      [
        "CacheModel", "NormalizedCache", "SimulatedStorage", "FaultSearch", "storage-crash-child",
        grdb,
      ]),
    tests(of: "SimulatedStorage", ["CacheModel", "NormalizedCache"]),
    tests(of: "CacheFiles", ["CacheModel", "FileHashing"]),
    tests(
      of: "TwoTierCache",
      [
        "CacheFiles", "CacheModel", "EvictionPolicies", "FileHashing", "TwoTierCacheCore",
        "storage-crash-child", logging,
      ],
      settings: plantedDefects),
    tests(
      of: "StreamingRepository",
      ["CacheModel", "StreamingRepositoryCore", "storage-crash-child", grdb],
      settings: plantedDefects),
    tests(
      of: "ResponseCache",
      [
        "CacheFiles", "CacheModel", "EvictionPolicies", "FileHashing", "LocalHTTPServer",
        "ResponseCacheCore", "storage-crash-child", logging,
      ],
      settings: plantedDefects),
    tests(
      of: "FaultSearch", ["NormalizedCache"], exclude: ["Cases"],
      settings: plantedDefects),
    tests(of: "RecordingCodec", ["CacheModel", "Text"]),
    tests(of: "HARImport", ["CacheModel", "RecordingCodec", "Text", "Workloads"]),
    tests(of: "Workloads", ["CacheModel", "RecordingCodec", "Text", "WorkloadExplanation"]),
    tests(
      of: "CacheSimulation",
      [
        "CacheChecking", "EvictionPolicies", "Workloads", "NormalizedCache", "RecordingCodec",
        "ResultModel", "SimulatedStorage", "Text",
      ],
      exclude: ["Clients/Recordings", "Documented/Recordings"]),
    tests(
      of: "CacheChecking", ["CacheModel", "CacheSimulation", "TidemarkTestSupport", "Workloads"]),
    tests(
      of: "CacheProcesses",
      ["CacheChecking", "CacheModel", "CacheSimulation", "ResultModel", "Workloads"]),
    tests(of: "TraceReplay", ["EvictionPolicies", "Text", "TidemarkTestSupport"]),
    tests(
      of: "DesignSimulation",
      [
        "CacheChecking", "CacheFiles", "CacheModel", "CacheSimulation", "ResponseCacheCore",
        "ResultModel", "Workloads",
      ]),
    tests(
      of: "RealTime",
      [
        "CacheModel", "CacheSimulation", "NormalizedCache", "Processes", "ResultModel", "Workloads",
        nioCore, nioEmbedded, nioPosix,
      ]),
    tests(of: "Processes", ["ResultModel"]),
    tests(of: "Analysis", ["ResultModel"], exclude: ["Builds/Data", "Selection/Data"]),
    tests(of: "Reporting", ["Analysis", "ResultModel", "Text"]),
    .testTarget(
      name: "tidemarkTests",
      dependencies: [
        "tidemark", "tidemark-check", "tidemark-import", "tidemark-lab", "tidemark-trace",
        "CacheTestSupport", "RecordingCodec", argumentParser,
      ],
      exclude: ["Architecture/FromTheDesignDocuments.md"],
      swiftSettings: settings + plantedDefects),
  ],
  swiftLanguageModes: [.v6]
)
