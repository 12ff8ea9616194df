import CacheModel

extension DataModel {
  /// What exists when the run begins, what trees need for it included, each reference of a list counted
  /// as one.
  var initialStates: Double {
    types.reduce(0) { sum, type in
      let made = type.fields.lazy.compactMap(\.tree).map { $0.expectedCount(for: type.count) }
      return sum + Double(type.count) * (1 + type.meanReferences) + made.reduce(0, +)
    }
  }
}

extension EntityType {
  /// Of one entity, in all its lists.
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
  /// Commits and states of one, as a mean; what is found is drawn for the whole job, also where the run
  /// ends before it.
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
      case .tag(let share): own.actions = share
      case .pull(let share): own.actions = 2 * share
      case .write: own.actions = 1
      }
      actions += chance * own.actions
      time += chance * own.time
    }
    return (actions, time)
  }
}
