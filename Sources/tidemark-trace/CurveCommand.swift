import ArgumentParser
import CommandLineInterface
import EvictionPolicies
import Foundation
import TraceReplay

struct CurveCommand: AsyncParsableCommand {
  static let fullName = "trace curve"

  static let configuration = CommandConfiguration(
    commandName: "curve",
    abstract: "Draw miss ratio curves: how many gets miss at which capacity.",
    discussion: """
      For lru, one pass over the trace gives every capacity, exactly as a replay
      would; for other policies the trace is replayed at each capacity. Each row
      names its method:

        one-pass           exact, from one pass; with lifetimes, lru is replayed
        one-pass-estimate  in bytes, where sizes change, keys are deleted, or the
                           cache is smaller than the largest entity
        replay             exact, from a replay at this capacity
        replay-estimate    the same, of a bound that knows when an entity is next
                           named, not what for or at what size
        bound              computed: weighted-bound, which no policy can beat,
                           whatever entities weigh and whatever it knows
        sample             from a sample of the keys (--sample), scaled; a cache
                           with room for fewer than \(SampleReach.enoughRoom) of them has no point

      EXAMPLES
        tidemark trace curve keys.txt --trace-format text
        tidemark trace curve keys.txt --trace-format text --policies lru,sieve \\
          --format csv
        tidemark trace curve big.bin --trace-format oracle-general --sample 0.01 \\
          --capacities 1%,10%,64GiB
      """)

  @Argument(help: ArgumentHelp("Read this trace, or - for standard input.", valueName: "TRACE"))
  var trace: String

  @OptionGroup var input: TraceInput

  @Option(
    help: ArgumentHelp(
      "Run these eviction orders, or weighted-bound, separated by commas; default: lru.",
      valueName: "a,b"))
  var policies: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Use these capacities, in entities, in percent of the distinct keys, or in bytes; default: six in each \
      power of ten, up to all keys.
      """, valueName: "100,1%,64MiB"))
  var capacities: String?

  @Flag(help: "Use every capacity at which the misses of lru change, instead.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Keep only this share of the keys, chosen by their hash, and scale; above 0, at most 1.",
      valueName: "RATE"))
  var sample: Double?

  @Flag(help: "Also use all keys, and print the error of the sample (with --sample).")
  var withExact = false

  @OptionGroup var rules: ReplayRuleOptions

  @Option(help: "Seed the eviction orders that draw.")
  var seed: UInt64 = 1

  @OptionGroup var result: TableOutput

  func run() async throws {
    try OutputFile.check(result.output, reading: [trace])
    let names = try policies.map { try PolicyNames.list($0) } ?? ["lru"]
    let orders = try names.filter { $0 != WeightedBound.name }.map(ReplayCommand.order)
    let requests = try capacities.map { try CapacityRequest.parseList($0) }
    let sampling = try sampling()
    let options = try rules.options()
    var reading = try input.readingOptions()
    reading.wantsTimesAlone = options.timeToLive != nil
    if requests?.contains(where: \.isInBytes) != true { reading.columns.remove(.weights) }
    reading.sampling = sampling
    let interned = try TraceInput.read(
      trace, format: try input.format(), options: reading,
      // The comparison reads it twice, which a pipe does not support.
      command: withExact ? nil : Self.fullName)
    let width = ProcessInfo.processInfo.activeProcessorCount
    if all {
      let points = try wholeCurve(of: interned, options)
      try OutputFile.write(try CurveReport(points: points).bytes(result.format), to: result.output)
      return
    }
    let request = CurveRequest(
      policies: orders, capacities: try told(capacities(requests, of: interned), by: interned),
      drawsBound: names.contains(WeightedBound.name), options: options, seed: seed)
    var points = try await request.points(of: interned, width: width)
    if withExact {
      reading.sampling = nil
      let whole = try TraceInput.read(
        trace, format: try input.format(), options: reading, command: nil)
      let exact = try await request.points(of: whole, width: width)
      for (index, point) in exact.enumerated() { points[index].exactMissRatio = point.missRatio }
    }
    try OutputFile.write(try CurveReport(points: points).bytes(result.format), to: result.output)
  }

  private func sampling() throws -> KeySampling? {
    guard let sample else {
      guard !withExact else {
        throw CommandFailure(.input, "--with-exact requires --sample RATE")
      }
      return nil
    }
    guard let sampling = KeySampling(rate: sample) else {
      throw CommandFailure(
        .input, "--sample: \(sample) is out of range; write a share above 0, at most 1, as in 0.01")
    }
    guard !all else {
      throw CommandFailure(.input, "--all is exact; omit --sample, or name --capacities")
    }
    guard !withExact || trace != InputFile.standardInput else {
      throw CommandFailure(.input, "--with-exact reads the trace twice; give it as a file")
    }
    return sampling
  }

  /// Returns the capacities for which a sample is valid, with a note on the others.
  private func told(
    _ capacities: [ReplayCapacity], by trace: InternedTrace
  ) throws -> [ReplayCapacity] {
    guard let reach = SampleReach(of: trace) else { return capacities }
    let told = capacities.filter(reach.tells)
    let remedy =
      reach.rateWithEnoughKeys.map { "take --sample \($0) or more, or none" }
      ?? "omit --sample"
    guard !told.isEmpty else {
      throw CommandFailure(
        .input,
        "--sample: \(reach.keys) keys are in the sample, and at the sample's scale no capacity has "
          + "room for \(SampleReach.enoughRoom) of them; \(remedy)")
    }
    if !reach.hasEnoughKeys {
      Console.note(
        "curve: \(reach.keys) keys are in the sample, so errors of several points are likely; "
          + remedy)
    }
    if told.count < capacities.count {
      Console.note(
        "curve: \(capacities.count - told.count) of \(capacities.count) capacities are left out: a "
          + "sample at this rate tells nothing of caches below \(reach.smallestEntities) entities")
    }
    return told
  }

  private func wholeCurve(
    of trace: InternedTrace, _ options: Replay.Options
  ) throws -> [CurvePoint] {
    guard capacities == nil, (policies ?? "lru") == "lru" else {
      throw CommandFailure(
        .input, "--all is for lru, without --capacities; name capacities for other policies")
    }
    guard trace.lifetimes.isEmpty, options.timeToLive == nil else {
      throw CommandFailure(
        .input,
        "--all takes one pass, which follows no lifetimes; name --capacities, to replay at each")
    }
    return MissRatioCurve.wholeLRU(of: trace, updates: options.updates)
  }

  private func capacities(
    _ requests: [CapacityRequest]?, of trace: InternedTrace
  ) throws -> [ReplayCapacity] {
    guard let requests else {
      return MissRatioCurve.usualCapacities(for: trace).map { .entities($0) }
    }
    var sizes: [ReplayCapacity] = []
    for request in requests {
      let size = try request.capacity(for: trace)
      if !sizes.contains(size) { sizes.append(size) }
    }
    return sizes.sorted { first, second in
      switch (first, second) {
      case (.entities(let first), .entities(let second)), (.bytes(let first), .bytes(let second)):
        first < second
      case (.entities, .bytes): true
      case (.bytes, .entities): false
      }
    }
  }
}
