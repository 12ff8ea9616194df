import RecordingCodec
import Workloads

/// A scenario, read and checked: what is to happen, and the policies that see it.
///
/// From a scenario come streams, one for each seed; each is put before as many policies and caches as
/// one likes:
///
/// ```swift
/// let scenario = try SimulatedScenario(Data(contentsOf: file), file: file.path)
/// for seed in scenario.seeds(3) {
///   let stream = scenario.stream(seed: seed)
///   let runs = [try stream.run(policy: "lru"), try stream.run(evictionOrder: mine)]
/// }
/// ```
public struct SimulatedScenario: Sendable {
  let scenario: Scenario

  /// Reads a scenario file.
  ///
  /// - Parameters:
  ///   - yaml: its bytes, 1 MiB at most.
  ///   - file: what errors call it.
  ///   - models: the bytes of each model that its `data` may `use`, by name; 1 MiB each at most.
  /// - Throws: ``SimulationError/unreadable(_:)``, with all that is wrong.
  public init(
    _ yaml: some Sequence<UInt8>, file: String, models: [String: [UInt8]] = [:]
  ) throws(SimulationError) {
    do throws(ScenarioError) {
      scenario = try Scenario.parse(
        Array(yaml), file: file, vocabulary: .ofSimulation, models: SharedModels(models))
    } catch {
      throw .unreadable(error.description)
    }
  }

  init(_ scenario: Scenario) { self.scenario = scenario }

  /// What results call it.
  public var name: String { scenario.name }
  /// The policies that it names, in its order.
  public var policies: [String] { scenario.policies.map(\.name) }

  /// The first seeds, from the scenario's own on.
  public func seeds(_ count: Int) -> [UInt64] {
    (0..<UInt64(max(0, count))).map { scenario.seed &+ $0 }
  }

  /// Draws what happens under a seed: the same on every machine.
  ///
  /// Takes as long as a run or two, and memory in proportion to what happens.
  ///
  /// - Parameter seed: names the random numbers; `nil`: the scenario's own.
  /// - Returns: the stream, ready to be run.
  public func stream(seed: UInt64? = nil) -> SimulatedStream {
    SimulatedStream(Workload.generate(scenario, seed: seed), scenario)
  }

  /// What an app recorded, before the policies and with the cache settings of this scenario.
  ///
  /// - Parameters:
  ///   - recording: the bytes of a session, as `SessionRecorder` or `tidemark simulate --record` writes it.
  ///   - file: what errors call it.
  /// - Returns: the stream, ready to be run.
  /// - Throws: ``SimulationError/unreadable(_:)`` where it is no recording, or one of other queries than
  ///   the scenario's.
  public func stream(
    recorded recording: some Sequence<UInt8>, file: String
  ) throws(SimulationError) -> SimulatedStream {
    let workload = try Self.workload(recording, file: file)
    guard workload.model.shapes.map(\.name) == scenario.queryNames else {
      throw .unreadable(
        "\(file): its queries are not those of scenario \"\(name)\"; take the scenario of its app")
    }
    return SimulatedStream(workload, scenario)
  }

  static func workload(
    _ recording: some Sequence<UInt8>, file: String
  ) throws(SimulationError) -> Workload {
    do throws(RecordingError) {
      return try SessionRecording.read(Array(recording))
    } catch {
      throw .unreadable("\(file): \(error)")
    }
  }
}

extension Vocabulary {
  /// The names that a scenario may use.
  fileprivate static let ofSimulation = Vocabulary(
    evictionOrders: EvictionPolicies.forCaches.map(\.name),
    clairvoyantOrders: EvictionPolicies.all.filter(\.needsFuture).map(\.name),
    admissions: AdmissionPolicies.all.map(\.name))
}
