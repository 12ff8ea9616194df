import CacheModel
import Text

/// The mean size of a scenario's workload.
///
/// It is checked before generation, since a few characters in a file (`rate: 1_000/s`) may require more than
/// fits into memory. The actual size varies randomly.
struct WorkloadSize {
  /// The actions of one group's clients.
  struct Session {
    /// The mean number of each client.
    var actions: Double
    var place: SourcePlace?
  }

  /// The operations of one group's devices together.
  struct Device {
    var operations: Double
    var states: Double
    var place: SourcePlace?
  }

  /// The maximum operations of all devices: as many as a history generates.
  static let operationLimit = Double(ServerHistory.maximumOperations)
  /// The maximum states of objects, initial and by operations: about 2 GB.
  static let stateLimit = 20_000_000.0
  /// The maximum deliveries to all clients together, events and heartbeats: about 1 GB.
  static let deliveryLimit = 20_000_000.0
  /// The maximum actions of one client: as many as a session generates.
  static let actionLimit = Double(UserSession.maximumActions)

  let devices: [Device]
  let sessions: [Session]
  /// Initial states, with each reference in a list counted as one.
  let initialStates: Double
  /// The deliveries to all clients.
  let deliveries: Double

  init(of scenario: Scenario) {
    let seconds = scenario.activeDuration.inSeconds
    initialStates = scenario.model.initialStates
    devices = scenario.writers.map { Device(of: $0, scenario.model, seconds: seconds) }
    sessions = scenario.users.map { Session(of: $0, seconds: seconds) }
    let groups = scenario.users
    let operations = devices.reduce(0) { $0 + $1.operations }
    let beat = max(scenario.network.heartbeat.inSeconds, 1e-9)
    // A client suspended between visits receives events during visits, and at the beginning of each.
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
  /// Returns the mean number of bursts of one device.
  package func meanCount(in seconds: Double) -> Double { seconds / every.inSeconds }
}

extension [ActiveWindow] {
  /// Returns how long a user acts; without a window, for all visits.
  func meanSeconds(_ visits: VisitSection?, of seconds: Double) -> Double {
    (isEmpty ? seconds : reduce(0) { $0 + $1.length.inSeconds }) * (visits?.shareOfTime ?? 1)
  }
}

extension VisitSection {
  /// The share of time in which visits keep the link up.
  var connectedShare: Double { between == .suspended ? shareOfTime : 1 }

  /// How often visits bring the link up, per second.
  var connectionRate: Double { between == .suspended ? rate : 0 }

  /// The share of time in which the user is present.
  var shareOfTime: Double { min(1, rate * length.inSeconds) }
}

extension Scenario {
  /// Reports what is too large to generate, at the group that causes most of it.
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

extension DataModel {
  /// The initial states, including entities needed by trees, with each reference of a list counted as one.
  var initialStates: Double {
    types.reduce(0) { sum, type in
      let made = type.fields.lazy.compactMap(\.tree).map { $0.expectedCount(for: type.count) }
      return sum + Double(type.count) * (1 + type.meanReferences) + made.reduce(0, +)
    }
  }
}

extension EntityType {
  /// The mean number of references of one entity, in all its lists.
  fileprivate var meanReferences: Double {
    fields.reduce(0) { sum, field in
      guard case .many(_, _, .mean(let mean)) = field.content else { return sum }
      return sum + mean
    }
  }
}

extension WorkloadSize.Device {
  init(of section: WritersSection, _ model: DataModel, seconds: Double) {
    var operations = section.rate * seconds
    if let burst = section.burst {
      operations += burst.meanCount(in: seconds) * Double(burst.operations)
    }
    let states = zip(model.operations, section.mix).reduce(0.0) { sum, pair in
      let (operation, share) = pair
      if case .delete = operation.effect { return sum }
      return sum + share * operation.batch * Double(1 + operation.touches.count)
    }
    let jobs = section.jobs.map { $0.expected(model, seconds: seconds) }
    self.init(
      operations: (operations + jobs.reduce(0) { $0 + $1.operations }) * Double(section.count),
      states: (operations * states + jobs.reduce(0) { $0 + $1.states }) * Double(section.count),
      place: section.place)
  }
}

extension JobSection {
  /// Returns the mean commits and states of one device; found entities are generated for the whole job, even
  /// if the run ends before it.
  fileprivate func expected(
    _ model: DataModel, seconds: Double
  ) -> (operations: Double, states: Double) {
    let type = model.types[model.operations[operation].effect.type]
    let made = type.fields.lazy.compactMap(\.tree).map { $0.expectedCount(for: count) }
    var operations = min(Double(count) / Double(batch), rate * seconds)
    var states = Double(count) + made.reduce(0, +)
    for wave in waves {
      let share = wave.when.map { type.fields[$0].share } ?? 1
      let batches = Double(count) * share / Double(wave.batch)
      let own = wave.rate.map { min(batches, $0 * seconds) } ?? batches
      operations += own
      states += own * Double(wave.batch)
    }
    if let progress { operations += max(0, seconds - at.inSeconds) / progress.inSeconds }
    return (operations, states)
  }
}

extension WorkloadSize.Session {
  init(of section: UsersSection, seconds: Double) {
    let think = section.think.mean.inSeconds
    var actions = 0.0
    var time = 0.0
    for activity in section.activities {
      let (own, length) = activity.expected(think: think)
      actions += activity.share * own
      time += activity.share * length
    }
    let active = section.active.meanSeconds(section.visits, of: seconds)
    var all = time > 0 ? min(active, seconds) / time * actions : 0
    if let redraw = section.redraw {
      all += active / redraw.inSeconds * Double(section.watched.count + 1)
    }
    self.init(actions: all, place: section.place)
  }
}

extension Activity {
  /// Returns the mean actions and duration in seconds of one activity; visits that end cut some of it.
  func expected(think: Double) -> (actions: Double, seconds: Double) {
    var actions = 0.0
    var time = 2 * think
    var chance = 1.0
    for (index, step) in steps.enumerated() {
      chance *= step.chance
      var own = (actions: 0.0, time: index > 0 ? think : 0)
      switch step.action {
      case .visit, .follow: own.actions = 2
      case .open(let mean, _):
        own.actions = mean
        own.time += think * max(0, mean - 1)
      case .pageOn(let mean):
        own.actions = 2 * mean
        own.time += think * max(0, mean - 1)
      case .type(let typing):
        own.actions = 1 + max(1, typing.letters - Double(typing.askFrom) + 1)
        own.time += typing.letters * typing.keystroke.inSeconds
      case .stroll(let stroll):
        own.actions = 2 * (1 + stroll.moves) + stroll.opens * stroll.moves
        own.time += think * (1 + stroll.opens) * stroll.moves
      case .scroll(let mean, let pause):
        own.actions = mean
        own.time += mean * pause.inSeconds
      case .notified: own.actions = 3
      case .stay(let mean): own.time += mean.inSeconds
      case .back(let share): own.actions = 2 * share
      case .pin(let share): own.actions = share
      case .pull(let share): own.actions = 2 * share
      case .write: own.actions = 1
      }
      let done = chance * (step.optional ?? 1)
      actions += done * own.actions
      time += done * own.time
    }
    return (actions, time)
  }
}
