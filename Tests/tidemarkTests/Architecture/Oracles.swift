/// An oracle, the subject that it judges, and what both of them use.
///
/// A fault in what both use would make both wrong alike, and be found by neither. So each such piece is
/// named here, with what sees to it that it is right.
struct Oracle: Sendable {
  var name: String
  /// Its files and folders below `Sources/`.
  var files: [String]
  /// The code of its subject.
  var subject: [String]
  /// The suites in which it judges.
  var suites: [String]
  /// The types of other files that both mention.
  var types: Set<String>
  /// The functions of other files that both call, by name and first label.
  var functions: Set<String>

  /// The check of a piece, which no oracle that uses it can be.
  enum Guard: Sendable {
    /// It holds values, and decides nothing.
    case values
    /// The oracle uses these constants of it alone.
    case constants([String])
    /// A mistake planted in it, by the name of its mutant, is noticed by a suite without the oracle.
    case mutant(String)
  }

  static let guards: [String: Guard] = [
    "CacheEvent": .values, "CacheFault": .values, "CacheFeature": .values, "CacheLaunch": .values,
    "CacheOperation": .values, "CachePolicy": .values, "CacheReply": .values,
    "CacheTurn": .values, "CacheUnderTest": .values, "Capacity": .values, "Catalog": .values,
    "EventEnvelope": .values, "EventPlace": .values, "FetchID": .values, "FetchRequest": .values,
    "FetchTarget": .values, "InvalidationTag": .values, "ListChange": .values,
    "LibraryID": .values, "ModelField": .values, "Mutation": .values, "MutationResponse": .values,
    "MutationToken": .values, "Note": .values, "NoteShape": .values,
    "NoteSchema": .constants(["noteType", "taskType"]), "QueryKey": .values,
    "ReconcileForm": .values, "ReconcileResponse": .values,
    "Revision": .values, "SentRow": .values, "ServedRow": .values, "StreamID": .values,
    "UndecodableItem": .values, "VersionedEntity": .values, "Workload": .values,
    "DataModel": .mutant("shared-search-kept-one-letter-later"),
    "EntityKey": .mutant("shared-keys-ordered-by-identifier"),
    "EvictionPolicies": .mutant("shared-orders-without-admission"),
    "FetchResponse": .mutant("shared-not-modified-says-nothing"),
    "Handle": .mutant("shared-summary-is-a-whole"),
    "Instant": .mutant("shared-durations-backwards"),
    "LabelRange": .mutant("shared-references-one-short"),
    "LetterCode": .mutant("shared-prefix-of-one-letter-fewer"),
    "NoteQuery": .mutant("shared-starred-lists-all-notes"),
    "QueryShape": .mutant("shared-own-queries-have-subjects"),
    "QuerySpec": .mutant("shared-search-of-one-letter-fewer"),
    "ResourceType": .mutant("shared-keys-ordered-by-identifier"),
    "StreamPosition": .mutant("shared-positions-ordered-by-sequence"),
    "UniqueID": .mutant("shared-identifiers-ordered-by-low-word"),
    "Version": .mutant("shared-versions-ordered-by-device"),
    "advanced(by:)": .mutant("shared-durations-backwards"),
    "applied(to:)": .mutant("shared-stars-are-never-taken-back"),
    "bytes(ofWhole:)": .mutant("shared-summaries-rounded-down"),
    "duration(to:)": .mutant("shared-durations-backwards"),
    "resourceType(ofType:)": .mutant("shared-search-kept-one-letter-later"),
  ]
}

extension Oracle {
  static let all: [Oracle] = [
    Oracle(
      name: "the simulator's server, by sorted sections",
      files: [
        "CacheSimulation/Server", "CacheSimulation/Writes/SimulatedServer+Writes.swift",
      ],
      subject: ["CacheSimulation/Schema", "NormalizedCacheCore"],
      suites: ["InterpreterTests", "RandomWorkloadTests", "DivergenceTests"],
      types: [
        "CacheEvent", "Catalog", "DataModel", "EntityKey", "EventEnvelope", "EventPlace", "Handle",
        "Instant", "InvalidationTag", "LabelRange", "ModelField", "Mutation", "MutationResponse",
        "MutationToken", "QueryShape", "QuerySpec", "ReconcileForm", "ReconcileResponse",
        "ResourceType", "Revision", "StreamID", "StreamPosition", "UndecodableItem", "Version",
        "VersionedEntity", "Workload",
      ],
      functions: ["bytes(ofWhole:)", "duration(to:)"]),
    Oracle(
      name: "the schema's predicates, entity by entity", files: ["CacheSimulation/Schema"],
      subject: ["CacheSimulation/Server"], suites: ["InterpreterTests"],
      types: [
        "Catalog", "DataModel", "LabelRange", "ModelField", "QueryShape", "QuerySpec",
        "ResourceType", "Revision", "Workload",
      ],
      functions: ["bytes(ofWhole:)"]),
    Oracle(
      name: "the fault search's servers, by filter and sort",
      files: [
        "FaultSearch/World/NoteRules.swift", "FaultSearch/World/NoteServer.swift",
        "FaultSearch/World/NoteWorld.swift", "FaultSearch/Oracle",
      ],
      subject: [
        "CacheSimulation/Schema", "FaultSearch/World/NoteModel.swift",
        "FaultSearch/World/NoteSchema.swift", "NormalizedCacheCore",
      ],
      suites: ["CanaryTests", "SearchTests", "CommittedCaseTests"],
      types: [
        "CacheEvent", "CachePolicy", "EntityKey", "EventEnvelope", "EventPlace",
        "EvictionPolicies", "FetchID", "FetchRequest", "FetchResponse", "FetchTarget", "Instant",
        "InvalidationTag", "LibraryID", "MutationResponse", "MutationToken", "Note", "NoteQuery",
        "NoteSchema", "NoteShape", "QueryKey", "ReconcileForm", "ReconcileResponse",
        "StreamID",
        "StreamPosition", "Version", "VersionedEntity",
      ],
      functions: ["advanced(by:)", "applied(to:)", "duration(to:)"]),
    Oracle(
      name: "the small server of conformance", files: ["CacheChecking"],
      subject: [
        "CacheProcesses", "DesignSimulation", "NormalizedCacheCore", "ResponseCacheCore",
        "StreamingRepositoryCore", "TwoTierCacheCore",
      ],
      suites: ["ConformanceTests", "DesignConformanceTests", "StoreConformanceTests"],
      types: [
        "CacheFault", "CacheFeature", "CacheLaunch", "CacheOperation", "CacheReply", "CacheTurn",
        "CacheUnderTest", "Capacity", "DataModel", "EntityKey", "Instant", "LetterCode",
        "LibraryID", "ListChange", "Mutation", "QuerySpec", "Revision", "SentRow", "ServedRow",
        "StreamPosition", "UniqueID", "Version", "Workload",
      ],
      functions: ["advanced(by:)", "duration(to:)", "resourceType(ofType:)"]),
  ]
}
