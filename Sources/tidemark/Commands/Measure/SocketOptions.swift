import ArgumentParser
import Measurement
import SyncStack

/// What `measure` may be asked where the events come over sockets.
struct SocketOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Devices that send; default: 2.", valueName: "N"))
  var devices: Int?

  @Option(help: ArgumentHelp("Files that one event changes; default: 1.", valueName: "N"))
  var batch: Int?

  @Option(help: ArgumentHelp("Frames per second of the screen; default: 60.", valueName: "N"))
  var frameRate: Int?

  @Option(
    help: ArgumentHelp(
      """
      Callbacks that observe the listings; with fewer than listings only so many are changed; \
      default: one each.
      """, valueName: "N"))
  var observers: Int?

  @Flag(help: "The cache under test writes behind to SQLite, in a temporary folder.")
  var persistence = false

  @Flag(
    help: """
      Beside the devices an indexer writes five batches of 1,000 files at once, once a second, \
      and listings are read while the client decodes and applies them.
      """)
  var storm = false

  @Option(
    help: ArgumentHelp(
      """
      Reads of listings per second, from the cache under test and from one that hears of no event; \
      default: none, with --storm 500.
      """, valueName: "N"))
  var reads: Int?

  @Flag(
    help: """
      Search for the highest rate that meets the targets: from --rate doubled, then bisected, in at \
      most 16 runs of 2 to 11 seconds (with --quick 8 of 1.5 to 6).
      """)
  var highestRate = false

  @Option(
    help: ArgumentHelp(
      """
      One run for each of up to \(Variation.mostValues) values, and a table of them: \
      devices=1,10,100, observers=10,1000, batch=1,100,1000 or rate=500,1000.
      """, valueName: "AXIS=N,N"))
  var vary: Variation?

  /// - Throws: ``CommandFailure`` that names the first option that does not fit.
  func check(needed areSockets: Bool) throws(CommandFailure) {
    if !areSockets, let name = given.first {
      throw CommandFailure(.input, "\(name) needs sockets; add --transport unix or tcp")
    }
    if let vary { return try check(vary) }
    try checkRanges()
    try checkSearch()
  }

  /// - Throws: ``CommandFailure`` that names the first value that no run may have.
  private func check(_ vary: Variation) throws(CommandFailure) {
    let isGiven = given.contains(vary.option)
    guard !highestRate, !isGiven else {
      throw CommandFailure(
        .input,
        "\(isGiven ? vary.option : "--highest-rate") does not go with --vary "
          + "\(vary.axis.rawValue); omit it")
    }
    guard vary.values.count <= Variation.mostValues, Set(vary.values).count == vary.values.count
    else {
      throw CommandFailure(
        .input,
        "--vary has \(vary.values.count) values; give up to \(Variation.mostValues), "
          + "each once")
    }
    for value in vary.values {
      if vary.axis == .rate { try check("--vary rate", value, 1...100_000, "events per second") }
      var (options, rate) = (self, Double?.none)
      options.vary = nil
      vary.apply(value, to: &options, rate: &rate)
      try options.checkRanges()
    }
  }

  private func checkRanges() throws(CommandFailure) {
    try check("--devices", devices, 1...PipelinePlan.largestFleet, "devices")
    try check("--batch", batch, 1...DevicePlan.largestBatch, "files")
    try check("--frame-rate", frameRate, 1...1_000, "frames per second")
    try check("--reads", reads, 1...10_000, "reads per second")
    if storm, batch ?? 1 > 1 {
      throw CommandFailure(.input, "--storm has batches of its own; omit --batch")
    }
    try check("--observers", observers, 1...PipelinePlan.mostObservers, "observers")
  }

  private func checkSearch() throws(CommandFailure) {
    if highestRate, storm {
      throw CommandFailure(
        .input, "--highest-rate judges targets, and a run with --storm has none; omit one")
    }
    if highestRate, let batch, batch > 1 {
      throw CommandFailure(
        .input,
        "--highest-rate judges targets, which are those of single events; omit --batch")
    }
  }

  /// The names of the options that were given.
  private var given: [String] {
    [
      ("--devices", devices != nil), ("--batch", batch != nil), ("--frame-rate", frameRate != nil),
      ("--observers", observers != nil), ("--persistence", persistence), ("--storm", storm),
      ("--reads", reads != nil), ("--highest-rate", highestRate), ("--vary", vary != nil),
    ].filter(\.1).map(\.0)
  }

  private func check(
    _ name: String, _ value: Int?, _ range: ClosedRange<Int>, _ unit: String
  ) throws(CommandFailure) {
    guard let value, !range.contains(value) else { return }
    throw CommandFailure(
      .input, "\(name) is \(value); give \(range.lowerBound) to \(range.upperBound) \(unit)")
  }

  private static let readsInStorm = 500.0
  /// What is changed where nobody says a rate.
  private static let filesPerSecond = 1_000.0

  /// - Throws: ``CommandFailure`` where no preset has that name.
  func plan(_ order: PipelineReport.Order) throws(CommandFailure) -> PipelinePlan {
    let batch = batch ?? 1
    guard
      var plan = PipelinePlan.standard(
        transport: order.transport, preset: order.policy, devices: devices ?? 2,
        rate: order.rate ?? max(Self.filesPerSecond / Double(batch), 2), batch: batch,
        seed: order.seed, isQuick: order.isQuick)
    else {
      throw CommandFailure(
        .input, "no preset is called \"\(order.policy)\"; `tidemark list presets` names them")
    }
    plan.framesPerSecond = frameRate ?? 60
    if let observers { plan.setObservers(observers) }
    plan.isPersistent = persistence
    if storm { plan.addStorm() }
    plan.readsPerSecond = reads.map { Double($0) } ?? (storm ? Self.readsInStorm : nil)
    return plan
  }
}
