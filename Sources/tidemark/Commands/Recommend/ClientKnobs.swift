import Text

/// The options of a shipped client, and their syntax.
///
/// An option is a field of the client's preset. Names and units are those of the client's own documentation
/// or source, which each entry cites.
struct ClientKnobs: Sendable {
  struct Knob: Sendable {
    let field: String
    /// The values to try, including the client's default.
    let values: [String]
    /// The client's name of the option.
    let option: String
    let unit: Unit
    /// The client's syntax for no limit; `nil`: omitting the option.
    var unlimited: String?
  }

  enum Unit: Sendable {
    case queries, milliseconds, seconds, bytes
  }

  /// The client's name, which is also its preset's.
  let name: String
  let knobs: [Knob]
  /// The documentation of the options; without options, of what an app can do.
  let source: String
  /// What an app can do in a client without options.
  let advice: String
  /// The configuration around the options.
  let opening: String
  let closing: String
  /// The separator between an option and its value.
  let assignment: String

  static let all: [ClientKnobs] = [
    ClientKnobs(
      name: "relay",
      knobs: [
        Knob(
          field: "release-buffer-queries", values: ["0", "10", "30", "100", "300"],
          option: "gcReleaseBufferSize", unit: .queries),
        Knob(
          field: "time-to-live", values: ["1 min", "10 min", "1 h", "unlimited"],
          option: "queryCacheExpirationTime", unit: .milliseconds),
      ],
      source: "facebook/relay, packages/relay-runtime/store/RelayModernStore.js, the constructor",
      advice: "", opening: "new Store(new RecordSource(), {", closing: "})", assignment: ": "),
    ClientKnobs(
      name: "tanstack",
      knobs: [
        Knob(
          field: "time-to-live", values: ["0 s", "10 s", "1 min", "10 min", "1 h", "unlimited"],
          option: "staleTime", unit: .milliseconds, unlimited: "Infinity"),
        Knob(
          field: "release-buffer-age", values: ["1 min", "5 min", "30 min", "unlimited"],
          option: "gcTime", unit: .milliseconds, unlimited: "Infinity"),
      ],
      source: "the guide \"Important Defaults\" of TanStack Query",
      advice: "", opening: "new QueryClient({ defaultOptions: { queries: {", closing: "} } })",
      assignment: ": "),
    ClientKnobs(
      name: "rtk-query",
      knobs: [
        Knob(
          field: "release-buffer-age", values: ["10 s", "1 min", "5 min", "30 min", "2 h"],
          option: "keepUnusedDataFor", unit: .seconds)
      ],
      source: "the page \"Cache Behavior\" of Redux Toolkit",
      advice: "", opening: "createApi({", closing: "})", assignment: ": "),
    ClientKnobs(
      name: "swr",
      knobs: [
        Knob(
          field: "time-to-live", values: ["0 s", "2 s", "10 s", "1 min", "10 min"],
          option: "dedupingInterval", unit: .milliseconds)
      ],
      source: "vercel/swr, src/_internal/utils/config.ts", advice: "",
      opening: "<SWRConfig value={{", closing: "}}>", assignment: ": "),
    ClientKnobs(
      name: "apollo-kotlin",
      knobs: [
        Knob(
          field: "capacity-memory",
          values: ["1 MB", "2 MB", "5 MB", "10 MB", "20 MB", "50 MB", "unlimited"],
          option: "maxSizeBytes", unit: .bytes)
      ],
      source: "apollographql/apollo-kotlin-normalized-cache, MemoryCacheFactory",
      advice: "", opening: "MemoryCacheFactory(", closing: ")", assignment: " = "),
    ClientKnobs(
      unsettable: "apollo-client",
      source: "the page \"Garbage collection and cache eviction\" of Apollo Client",
      advice:
        "call cache.gc() and cache.evict() when memory matters, and choose a fetch policy for each query"
    ),
    ClientKnobs(
      unsettable: "graphcache", source: "urql-graphql/urql, exchanges/graphcache",
      advice: "choose a request policy for each query, and invalidate what a mutation changes"),
    ClientKnobs(
      unsettable: "apollo-ios", source: "the page \"Cache setup\" of Apollo iOS",
      advice: "clear the store when memory matters, or hand in a NormalizedCache of your own"),
  ]

  static func named(_ name: String) -> ClientKnobs? { all.first { $0.name == name } }

  var proposals: [Proposal] {
    knobs.reduce([Proposal(policy: name)]) { proposals, knob in
      proposals.flatMap { proposal in
        knob.values.map { value in
          var own = proposal
          own.fields.append(Proposal.Field(name: knob.field, value: value))
          return own
        }
      }
    }
  }

  /// Returns the configuration to paste for one of ``proposals``.
  func configuration(of proposal: Proposal) throws(QuantityError) -> [String] {
    var lines: [String] = []
    for knob in knobs {
      guard let value = proposal.fields.first(where: { $0.name == knob.field })?.value else {
        continue
      }
      let text = value == "unlimited" ? knob.unlimited : String(try knob.number(value))
      if let text { lines.append("  \(knob.option)\(assignment)\(text),") }
    }
    return [opening] + lines + [closing]
  }

  private init(
    name: String, knobs: [Knob], source: String, advice: String,
    opening: String, closing: String, assignment: String
  ) {
    self.name = name
    self.knobs = knobs
    self.source = source
    self.advice = advice
    self.opening = opening
    self.closing = closing
    self.assignment = assignment
  }

  private init(unsettable name: String, source: String, advice: String) {
    self.init(
      name: name, knobs: [], source: source, advice: advice, opening: "",
      closing: "", assignment: "")
  }
}

extension ClientKnobs.Knob {
  /// Returns the value in the client's unit, rounded down to a whole number.
  fileprivate func number(_ value: String) throws(QuantityError) -> Int64 {
    let all: ClosedRange<Int64> = 0...Int64.max
    return switch unit {
    case .queries: try Dimension.count("queries").whole(value, in: all, from: .file)
    case .milliseconds: try Dimension.duration.whole(value, in: all, from: .file) / 1_000_000
    case .seconds: try Dimension.duration.whole(value, in: all, from: .file) / 1_000_000_000
    case .bytes: try Dimension.size.whole(value, in: all, from: .file)
    }
  }
}
