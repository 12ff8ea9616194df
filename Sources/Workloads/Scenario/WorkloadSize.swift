import CacheModel
import Text

/// How much of everything a scenario asks to be drawn, as a mean.
///
/// It is asked before anything is drawn, since a few characters in a file (`rate: 1_000/s`) ask for more
/// than a machine holds. The estimate is of the mean; what is drawn differs by chance.
struct WorkloadSize {
  /// What the clients of one group do.
  struct Session {
    /// Of each client.
    var actions: Double
    var place: SourcePlace?
  }

  /// What the devices of one group do, all together.
  struct Device {
    var operations: Double
    /// New states of objects.
    var states: Double
    var place: SourcePlace?
  }

  /// Operations of all devices: as many as a history is drawn of.
  static let operationLimit = Double(DeclaredHistory.maximumOperations)
  /// States of objects, at the beginning and by operations: some 2 GB.
  static let stateLimit = 20_000_000.0
  /// What arrives at all clients together, events and heartbeats: some 1 GB.
  static let deliveryLimit = 20_000_000.0
  /// Actions of one client: as many as a session is drawn of.
  static let actionLimit = Double(DeclaredSession.maximumActions)

  let devices: [Device]
  let sessions: [Session]
  /// States at the beginning, each reference in a list counted as one.
  let initialStates: Double
  /// To all clients.
  let deliveries: Double

  init(of scenario: Scenario) {
    let seconds = scenario.activeDuration.inSeconds
    initialStates = scenario.model.initialStates
    devices = scenario.writers.map { Device(of: $0, scenario.model, seconds: seconds) }
    sessions = scenario.users.map { Session(of: $0, seconds: seconds) }
    let groups = scenario.users
    let operations = devices.reduce(0) { $0 + $1.operations }
    let beat = max(scenario.network.heartbeat.inSeconds, 1e-9)
    // Who is suspended between visits hears of what happens in them, and at the beginning of each.
    let connected = groups.reduce(0) { $0 + Double($1.clients) * ($1.visits?.connectedShare ?? 1) }
    let connections = groups.reduce(0) {
      $0 + Double($1.clients) * ($1.visits?.connectionRate ?? 0) * seconds
    }
    deliveries =
      scenario.network.events == .none
      ? 0
      : connections + connected * (operations * (1 + scenario.network.duplicate) + seconds / beat)
  }
}

extension BurstSection {
  /// How many bursts of one device are expected.
  func meanCount(in seconds: Double) -> Double { seconds / every.inSeconds }
}

extension [ActiveWindow] {
  /// How long a user acts; without a window, all the time that visits leave.
  func meanSeconds(_ visits: VisitSection?, of seconds: Double) -> Double {
    (isEmpty ? seconds : reduce(0) { $0 + $1.length.inSeconds }) * (visits?.shareOfTime ?? 1)
  }
}

extension VisitSection {
  /// The share of time in which the link is up by the user's own doing.
  var connectedShare: Double { between == .suspended ? shareOfTime : 1 }

  /// How often the link comes up by the user's own doing, each second.
  var connectionRate: Double { between == .suspended ? rate : 0 }

  /// The share of time in which the user is there.
  var shareOfTime: Double { min(1, rate * length.inSeconds) }
}

extension Scenario {
  /// Reports what is too much to be drawn, at the group that asks for most of it.
  func reportSize(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    let size = WorkloadSize(of: self)
    func text(_ count: Double, _ plural: String) -> String {
      Dimension.count(plural).text(of: count.rounded())
    }
    func report(
      _ count: Double, _ what: String, atMost limit: Double, at place: SourcePlace?,
      _ remedy: String
    ) {
      guard count > limit else { return }
      reader.report(
        place, "about \(text(count, what)) are too many to be drawn",
        "\(remedy), to at most \(text(limit, what))")
    }
    let devices = size.devices
    let busiest = devices.max { $0.operations < $1.operations }
    report(
      devices.reduce(0) { $0 + $1.operations }, "operations of devices",
      atMost: WorkloadSize.operationLimit, at: busiest?.place ?? place,
      "lower `rate`, `count` or `duration`")
    let widest = devices.max { $0.states < $1.states }
    report(
      size.initialStates + devices.reduce(0) { $0 + $1.states },
      "states of entities",
      atMost: WorkloadSize.stateLimit,
      at: (widest?.states ?? 0) > size.initialStates ? widest?.place : place,
      "lower `batch`, `rate`, or the `count` of a type")
    for session in size.sessions {
      report(
        session.actions, "actions of a client", atMost: WorkloadSize.actionLimit,
        at: session.place,
        "lengthen `think`, `stay` or `redraw`, or lower `duration`")
    }
    report(
      size.deliveries, "deliveries to clients", atMost: WorkloadSize.deliveryLimit,
      at: users.max { $0.clients < $1.clients }?.place ?? place,
      "lower `clients` or the writers' `rate`, or lengthen `heartbeat`")
  }
}
