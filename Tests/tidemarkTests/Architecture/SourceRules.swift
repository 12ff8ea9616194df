/// The modules, and the part of the cache, that decide: no clock, no file, no chance, no waiting.
private let pureFolders = [
  "CacheModel", "Containers", "EvictionPolicies", "NormalizedCacheCore/Store",
  "NormalizedCacheCore/Tables", "NormalizedCacheCore/Schema", "NormalizedCacheCore/Optimistic",
  "NormalizedCacheCore/Storage", "ResultModel", "Workloads", "WorkloadExplanation",
  "CacheSimulation", "DesignSimulation",
  "SimulatedStorage", "CacheChecking", "FaultSearch", "TraceReplay", "Analysis", "Reporting",
  "Text", "RecordingCodec", "HARImport",
  "TwoTierCacheCore", "ResponseCacheCore", "StreamingRepositoryCore",
]

/// The whole harness, except executables and real-time measurement.
private let folders = pureFolders + ["NormalizedCache"]

/// The rules of the architecture that a token can break.
///
/// Without an import, neither the C library nor Foundation can be named. What
/// modules may import (``PackageModules``) sees to that; these rules are for what the standard library offers, and
/// for a message that names the replacement. `open(` and `read(` are left to the imports, since modules
/// have functions of those names themselves.
enum SourceRules {
  static let all: [SourceRule] = waiting + time + chance + order + mathematics + files + memory

  private static let waiting: [SourceRule] = ["async", "await", "actor", "Task", "Mutex", "Thread"]
    .map {
      SourceRule(
        number: 1, folders: pureFolders, offence: .code($0),
        replacement: "return an action that the shell carries out",
        exemptions: $0 == "async" || $0 == "await"
          ? [
            "TraceReplay/Running/Replay.swift":
              "runs independent cells side by side; each is synchronous, and rows are put back in order",
            "TraceReplay/Checking/ExpectedMisses.swift":
              "awaits those cells, one trace after the other",
            "TraceReplay/Curves/CurveRequest.swift": "awaits those cells, and puts points in order",
          ] : [:])
    }

  private static let time: [SourceRule] =
    [
      "Date", "ContinuousClock", "SuspendingClock", "DispatchTime", "clock_gettime", "gettimeofday",
      "mach_absolute_time", "clock_gettime_nsec_np", "CFAbsoluteTimeGetCurrent",
    ].map {
      SourceRule(
        number: 2, folders: folders, offence: .code($0),
        replacement: "take an `Instant` as a parameter",
        exemptions: $0 == "ContinuousClock" || $0 == "clock_gettime"
          ? ["NormalizedCache/Cache/CacheClock.swift": "the clock that the shell is injected with"]
          : [:])
    }

  private static let chance: [SourceRule] =
    [
      "SystemRandomNumberGenerator", ".random(", ".randomElement(", ".shuffled(", ".shuffle()",
      ".shuffle(using:", "UUID(", "arc4random", "drand48",
    ].map {
      SourceRule(
        number: 3, folders: folders, offence: .code($0),
        replacement: "draw from a `RandomSource`, in a substream labelled for the purpose")
    }

  private static let order: [SourceRule] = [
    SourceRule(
      number: 4, folders: folders, offence: .code("hashValue"),
      replacement: "use a fingerprint of the value; Swift's hashes differ between processes"),
    SourceRule(
      number: 4, folders: folders, offence: .code("Hasher("),
      replacement: "use a fingerprint of the value; Swift's hashes differ between processes"),
    SourceRule(
      number: 4, folders: folders, offence: .code("ObjectIdentifier("),
      replacement: "number the objects; addresses differ between processes"),
    SourceRule(
      number: 4, folders: pureFolders, offence: .unorderedIteration,
      replacement: "sort first, or keep an array beside it; the order differs between processes",
      exemptions: [
        "NormalizedCacheCore/Store/StoreLimits.swift":
          "asks whether any lifetime is negative; the error names none",
        "NormalizedCacheCore/Store/CacheStore+Invariants.swift":
          "stops at a fault of the cache itself; without one nothing depends on the order",
        "NormalizedCacheCore/Tables/FetchTable.swift":
          "keeps or forgets each fetch by itself; nothing depends on the order",
      ]),
  ]

  private static let mathematics: [SourceRule] =
    [
      "log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "pow", "sin", "cos", "tan", "atan",
      "atan2", "cbrt", "hypot", "tgamma", "lgamma", "erf",
    ].map {
      SourceRule(
        number: 4, folders: folders, offence: .call($0),
        replacement: "use `PortableMath`, or add to it; the C library's results differ by machine",
        exemptions: ["CacheModel/PortableMath.swift": "calls its own functions"])
    }

  private static let files: [SourceRule] =
    ["FileManager", "FileHandle", "URL", "ProcessInfo", "CommandLine", "write(to:", "Process("].map
  {
    SourceRule(
      number: 7, folders: folders, offence: .code($0),
      replacement: "take or return bytes; the executable reads and writes files")
  }
    + ["print", "debugPrint", "dump", "readLine", "fopen", "getenv"].map {
      SourceRule(
        number: 7, folders: folders, offence: .call($0),
        replacement: "take or return bytes; the executable reads and writes files")
    }

  private static let memory: [SourceRule] =
    [
      "UnsafePointer", "UnsafeMutablePointer", "UnsafeRawPointer", "UnsafeMutableRawPointer",
      "UnsafeBufferPointer", "UnsafeMutableBufferPointer", "UnsafeRawBufferPointer",
      "UnsafeMutableRawBufferPointer", "Unmanaged", "unsafeBitCast", "unsafeDowncast",
      "unsafelyUnwrapped", "unsafeUninitializedCapacity", "unsafeLoad", "unsafeLoadUnaligned",
      "withUnsafeBytes", "withUnsafeMutableBytes", "withUnsafePointer", "withUnsafeMutablePointer",
      "withUnsafeBufferPointer", "withUnsafeMutableBufferPointer",
    ].map { token in
      SourceRule(
        number: 10, folders: folders, offence: .code(token),
        replacement: "use `Fixed`, `Flat`, `Column` or a `Span`",
        exemptions: unsafeMemory.filter { $0.value.tokens.contains(token) }.mapValues(\.reason))
    }

  /// The few files that handle memory by address, what they use for it, and why they may.
  private static let unsafeMemory: [String: (tokens: [String], reason: String)] = [
    "Containers/Arrays/Column.swift": (
      ["UnsafeMutablePointer", "UnsafeMutableRawPointer"],
      "an array that grows without moving; bounds are always checked"
    ),
    "CacheModel/Keys.swift": (
      ["unsafeLoadUnaligned"], "loads words to hash from a span, which checks the bounds"
    ),
    "Containers/Arrays/Fixed.swift": (
      ["UnsafeMutablePointer"], "an array without uniqueness checks; bounds are always checked"
    ),
    "Containers/Arrays/Flat.swift": (
      ["UnsafeMutablePointer"], "the same for replay loops; bounds are checked in debug builds"
    ),
    "Containers/Arrays/InPlace.swift": (
      [
        "UnsafePointer", "UnsafeRawPointer", "withUnsafeBufferPointer", "withUnsafeMutablePointer",
      ],
      "lends values where they lie; it keeps what they lie in, and bounds are always checked"
    ),
    "Containers/Arrays/MarkRanks.swift": (
      ["UnsafeMutablePointer", "UnsafeMutableRawPointer"],
      "vectors over counts; places are checked in debug builds"
    ),
    "Containers/Arrays/Prefetching.swift": (
      ["UnsafeRawPointer", "withUnsafeBufferPointer"],
      "takes addresses for hints to the processor, and reads nothing"
    ),
    "NormalizedCacheCore/Tables/StreamTable.swift": (
      ["withUnsafeMutablePointer"],
      "moves an event out of where it lies, and puts another there at once"
    ),
    "TraceReplay/Formats/BigEndianFormat.swift": (
      ["unsafeLoadUnaligned"], "loads an integer of any bits from a span, which checks the bounds"
    ),
    "TraceReplay/Formats/OracleGeneralFormat.swift": (
      ["unsafeLoadUnaligned", "withUnsafeBytes"],
      "loads and stores integers of any bits; the span checks the bounds"
    ),
    "FaultSearch/Run/FaultRun.swift": (
      ["withUnsafeBytes"], "reads the counters of a structure that has nothing else"
    ),
  ]
}
