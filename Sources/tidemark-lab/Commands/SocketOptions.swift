import ArgumentParser
import CommandLineInterface
import RealTime

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

  @Option(
    help: ArgumentHelp(
      """
      Reads of listings per second, from the cache under test and from one that hears of no event; \
      default: none.
      """, valueName: "N"))
  var reads: Int?

  /// - Throws: ``CommandFailure`` that names the first option that does not fit.
  func check(needed areSockets: Bool) throws(CommandFailure) {
    if !areSockets, let name = given.first {
      throw CommandFailure(.input, "\(name) needs sockets; add --transport unix or tcp")
    }
    try check("--devices", devices, 1...PipelinePlan.largestFleet, "devices")
    try check("--batch", batch, 1...DevicePlan.largestBatch, "files")
    try check("--frame-rate", frameRate, 1...1_000, "frames per second")
    try check("--reads", reads, 1...10_000, "reads per second")
    try check("--observers", observers, 1...PipelinePlan.mostObservers, "observers")
  }

  /// The names of the options that were given.
  private var given: [String] {
    [
      ("--devices", devices != nil), ("--batch", batch != nil), ("--frame-rate", frameRate != nil),
      ("--observers", observers != nil), ("--reads", reads != nil),
    ].filter(\.1).map(\.0)
  }

  private func check(
    _ name: String, _ value: Int?, _ range: ClosedRange<Int>, _ unit: String
  ) throws(CommandFailure) {
    guard let value, !range.contains(value) else { return }
    throw CommandFailure(
      .input, "\(name) is \(value); give \(range.lowerBound) to \(range.upperBound) \(unit)")
  }

  /// What is changed where no rate is given.
  private static let filesPerSecond = 1_000.0

  /// - Throws: ``CommandFailure`` where no preset has that name.
  func plan(
    over transport: PipelinePlan.Transport, policy: String, rate: Double?, seed: UInt64,
    isQuick: Bool
  ) throws(CommandFailure) -> PipelinePlan {
    let batch = batch ?? 1
    guard
      var plan = PipelinePlan.standard(
        transport: transport, preset: policy, devices: devices ?? 2,
        rate: rate ?? max(Self.filesPerSecond / Double(batch), 2), batch: batch,
        seed: seed, isQuick: isQuick)
    else {
      throw CommandFailure(
        .input, "no preset is called \"\(policy)\"; `tidemark list presets` names them")
    }
    plan.framesPerSecond = frameRate ?? 60
    if let observers { plan.setObservers(observers) }
    plan.readsPerSecond = reads.map { Double($0) }
    return plan
  }
}
