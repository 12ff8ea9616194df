import CacheModel

/// Generates the data of an app, and all changes by others, in the order in which the server commits them.
///
/// Each device draws from its own sub-streams; their operations interact only through the data.
struct ServerHistory {
  let scenario: Scenario
  let random: RandomSource
  var state: EntityStates
  var initialCount = 0
  var mutations: [Mutation] = []
  var items: [MutationItem] = []
  let names = NameSource()
  var choices = ZipfTable()
  /// The maximum number of operations, whatever rates and durations say.
  static let maximumOperations = 4_000_000
  /// The calendar time at which a run begins, in milliseconds: ten years, so that entities can be older than
  /// the run and versions still count from zero.
  static let calendarOrigin: Int64 = 315_360_000_000

  /// The lists that users have opened, if any operation depends on them; `nil` in the history from which they
  /// are computed.
  var views: ViewedLists?
  private var devices: [Device] = []
  var jobs: [WriterJob] = []
  private var restarts: [Int64]
  private var epoch: UInt32 = 1
  private var sequence: UInt64 = 0

  struct Device {
    let group: Int
    var random: RandomSource
    /// The lag of its clock, in milliseconds.
    let lag: Int64
    /// The latest reading of its hybrid logical clock.
    var clock: UInt64 = 0
  }

  init(_ scenario: Scenario, random: RandomSource, views: ViewedLists? = nil) {
    self.views = views
    self.scenario = scenario
    self.random = random
    state = EntityStates(scenario.model)
    restarts = scenario.faults.filter { $0.kind == .serverRestart }.map(\.at.wholeNanoseconds)
      .sorted()
  }

  mutating func generate() {
    makeData()
    for arrival in arrivals() {
      while let restart = restarts.first, restart <= arrival.at {
        restarts.removeFirst()
        epoch += 1
        sequence = 0
      }
      if let (job, step) = arrival.step {
        perform(step, of: job, at: arrival.at)
        continue
      }
      // The device's stream is moved out and back, so that it alone advances.
      var draws = devices[arrival.device].random
      let group = scenario.writers[devices[arrival.device].group]
      let operation = scenario.model.operations[draws.choice(of: group.mix)]
      perform(operation, by: arrival.device, at: arrival.at, &draws)
      devices[arrival.device].random = draws
    }
  }

  /// Returns the times at which devices act, in order of time, then device.
  private mutating func arrivals() -> [Arrival] {
    let end = scenario.activeDuration.wholeNanoseconds
    let limit = Self.maximumOperations
    var all: [Arrival] = []
    for (group, section) in scenario.writers.enumerated() {
      for number in 0..<section.count {
        let own = random.substream("others", UInt64(group)).substream("device", UInt64(number))
        var clock = own.substream("clock")
        let device = devices.count
        // Clocks of devices differ by up to a second or two (an assumption).
        devices.append(
          Device(
            group: group, random: own.substream("operations"), lag: Int64(clock.below(1_500))))
        var draws = own.substream("arrivals")
        var instants = Arrivals.poisson(rate: section.rate, end: end, limit: limit, &draws)
        if let burst = section.burst {
          var bursts = own.substream("bursts")
          instants += Arrivals.bursts(burst, end: end, limit: limit, &bursts)
        }
        all += instants.map { Arrival(at: $0, device: device) }
        for (number, job) in section.jobs.enumerated() {
          let type = scenario.model.types[scenario.model.operations[job.operation].effect.type]
          jobs.append(
            WriterJob(
              job, by: device, of: type, random: own.substream("job", UInt64(number))))
          let place = jobs.count - 1
          all += jobs[place].steps(before: end).map {
            Arrival(at: $0.at, device: device, step: (place, $0.step))
          }
        }
      }
    }
    let order = all.indices.sorted { lhs, rhs in
      (all[lhs].at, all[lhs].device, lhs) < (all[rhs].at, all[rhs].device, rhs)
    }
    return order.prefix(limit).map { all[$0] }
  }

  /// The time of a device's action: an operation of its mix, or a step of a job.
  private struct Arrival {
    var at: Int64
    var device: Int
    var step: (job: Int, step: WriterJob.Step)?
  }

  func group(of device: Int) -> WritersSection { scenario.writers[devices[device].group] }

  /// Returns the next value of a device's clock: later than its last one and than everything it has seen.
  mutating func tick(_ device: Int, at instant: Int64, after seen: Version = .none) -> Version {
    let milliseconds = Self.calendarOrigin + instant / 1_000_000 - devices[device].lag
    let physical = UInt64(max(1, milliseconds)) << 16
    let clock = max(physical, devices[device].clock + 1, seen.clock + 1)
    devices[device].clock = clock
    return Version(clock: clock, device: UInt64(device) + 1)
  }

  /// Commits the items added since `first`: one, or an atomic batch; no effect without items.
  mutating func commitItems(
    from first: Int, bytes: Int, by device: Int, at instant: Int64, origin: EventOrigin? = nil
  ) {
    guard items.count > first else { return }
    commit(
      items.count == first + 1 ? .changed : .batchChanged, from: first, bytes: bytes, by: device,
      at: instant, origin: origin)
  }

  /// Commits the items from `first` on.
  mutating func commit(
    _ kind: Mutation.Kind, from first: Int, bytes: Int, by device: Int, at instant: Int64,
    version: Version = .none, origin: EventOrigin? = nil
  ) {
    sequence += 1
    mutations.append(
      Mutation(
        at: Instant(nanoseconds: instant), device: UInt32(device),
        position: StreamPosition(epoch: epoch, sequence: sequence), kind: kind,
        items: first..<items.count, bytes: ObjectSizes.envelope + bytes, version: version,
        origin: kind == .batchChanged ? origin ?? group(of: device).origin : nil))
  }
}

/// Zipf distributions by exponent and count; one is cached for each exponent, since counts seldom change.
struct ZipfTable {
  private var kept: [Zipf] = []

  mutating func sample(_ exponent: Double, count: Int, _ random: inout RandomSource) -> Int {
    if let index = kept.firstIndex(where: { $0.exponent == exponent }) {
      if kept[index].count != count { kept[index] = Zipf(count: count, exponent: exponent) }
      return kept[index].sample(&random)
    }
    kept.append(Zipf(count: count, exponent: exponent))
    return kept[kept.count - 1].sample(&random)
  }

  /// Draws an index among `count` by a choice.
  mutating func place(_ choice: Choice, count: Int, _ random: inout RandomSource) -> Int {
    switch choice {
    case .uniform: random.below(count)
    case .zipf(let exponent): sample(exponent, count: count, &random)
    }
  }
}
