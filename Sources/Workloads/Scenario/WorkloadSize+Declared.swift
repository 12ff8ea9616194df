import CacheModel

/// How much a declared app asks to be drawn.
extension WorkloadSize {
  init(of app: DeclaredApp, in scenario: Scenario) {
    let seconds = Double(scenario.activeDuration.wholeNanoseconds) / 1e9
    initialStates = app.model.types.reduce(0) { $0 + Double($1.count) * (1 + $1.meanReferences) }
    devices = app.others.map { Device(of: $0, app.model, seconds: seconds) }
    sessions = app.people.map { Session(of: $0, seconds: seconds) }
    let operations = devices.reduce(0) { $0 + $1.operations }
    let beat = Double(max(1, scenario.network.heartbeat.wholeNanoseconds)) / 1e9
    let connected = app.people.reduce(0) {
      $0 + Double($1.clients) * ($1.visits?.connectedShare ?? 1)
    }
    let connections = app.people.reduce(0) {
      $0 + Double($1.clients) * ($1.visits?.connectionRate ?? 0) * seconds
    }
    deliveries =
      scenario.network.events == .none
      ? 0
      : connections + connected * (operations * (1 + scenario.network.duplicate) + seconds / beat)
  }
}

extension EntityType {
  fileprivate var meanReferences: Double {
    fields.reduce(0) { sum, field in
      guard case .many(_, _, .mean(let mean)) = field.content else { return sum }
      return sum + mean
    }
  }
}

extension WorkloadSize.Device {
  fileprivate init(of section: OthersSection, _ model: DataModel, seconds: Double) {
    var operations = section.rate * seconds
    if let burst = section.burst {
      let every = Double(max(1, burst.every.wholeNanoseconds)) / 1e9
      operations += seconds / every * Double(burst.operations)
    }
    let states = zip(model.operations, section.mix).reduce(0.0) { sum, pair in
      let (operation, share) = pair
      if case .delete = operation.effect { return sum }
      return sum + share * operation.batch * Double(1 + operation.touches.count)
    }
    self.init(
      operations: operations * Double(section.count),
      states: operations * states * Double(section.count), place: section.place)
  }
}

extension WorkloadSize.Session {
  fileprivate init(of section: PeopleSection, seconds: Double) {
    let think = Double(section.think.mean.wholeNanoseconds) / 1e9
    var actions = 0.0
    var time = 0.0
    for activity in section.activities {
      let (own, length) = activity.expected(think: think)
      actions += activity.share * own
      time += activity.share * length
    }
    var active =
      section.active.isEmpty
      ? seconds
      : section.active.reduce(0) { $0 + Double($1.length.wholeNanoseconds) / 1e9 }
    if let visits = section.visits { active *= visits.shareOfTime }
    var all = time > 0 ? min(active, seconds) / time * actions : 0
    if let redraw = section.redraw {
      let seconds = Double(redraw.wholeNanoseconds) / 1e9
      all += active / seconds * Double(section.watched.count + 1)
    }
    self.init(actions: all, place: section.place)
  }
}

extension Activity {
  /// Actions and seconds of one, as a mean; visits that end cut some of it.
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
      case .type(_, let letters, let keystroke, let askFrom):
        own.actions = 1 + max(1, letters - Double(askFrom) + 1)
        own.time += letters * Double(keystroke.wholeNanoseconds) / 1e9
      case .stay(let mean): own.time += Double(mean.wholeNanoseconds) / 1e9
      case .back(let share): own.actions = 2 * share
      case .write: own.actions = 1
      }
      actions += chance * own.actions
      time += chance * own.time
    }
    return (actions, time)
  }
}
