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
  static let operationLimit = Double(HistoryGenerator.maximumOperations)
  /// States of objects, at the beginning and by operations: some 2 GB.
  static let stateLimit = 20_000_000.0
  /// What arrives at all clients together, events and heartbeats: some 1 GB.
  static let deliveryLimit = 20_000_000.0
  /// Actions of one client: as many as a session is drawn of.
  static let actionLimit = Double(SessionGenerator.maximumActions)

  let devices: [Device]
  let sessions: [Session]
  /// States at the beginning, each album's and tag's mark on a file counted as one.
  let initialStates: Double
  /// To all clients.
  let deliveries: Double

  init(of scenario: Scenario) {
    let seconds = scenario.activeDuration.inSeconds
    let groups: [(clients: Int, visits: VisitSection?)]
    if let app = scenario.app {
      initialStates = app.model.initialStates
      devices = app.writers.map { Device(of: $0, app.model, seconds: seconds) }
      sessions = app.users.map { Session(of: $0, seconds: seconds) }
      groups = app.users.map { ($0.clients, $0.visits) }
    } else {
      let library = scenario.library
      let files = Double(library.files)
      initialStates =
        files + Double(library.albums) * min(library.albumSize, files) + files * library.tagsPerFile
      devices = scenario.devices.map { Device(of: $0, seconds: seconds) }
      sessions = scenario.sessions.map { Session(of: $0, seconds: seconds) }
      groups = scenario.sessions.map { ($0.clients, $0.visits) }
    }
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

extension WorkloadSize.Device {
  fileprivate init(of section: DeviceSection, seconds: Double) {
    var operations = section.rate * seconds
    if let burst = section.burst {
      operations += burst.meanCount(in: seconds) * Double(burst.operations)
    }
    var states = operations * section.selection
    if let index = section.index {
      // Media files are drawn for the whole job, also where the run ends before it.
      let files = Double(index.files)
      let identified = min(files, index.identify * seconds)
      let thumbnails = index.thumbnails ? identified / Double(index.thumbnailBatch) : 0
      let progress = index.progress.map { seconds / $0.inSeconds } ?? 0
      operations +=
        min(files / Double(index.batch), index.batchRate * seconds)
        + identified / Double(index.identifyBatch) + thumbnails + progress
      states += files + identified + (index.thumbnails ? identified : 0)
    }
    self.operations = operations * Double(section.count)
    self.states = states * Double(section.count)
    place = section.place
  }
}

extension WorkloadSize.Session {
  /// What a user does is a chain of activities, each of some actions that take some time.
  fileprivate init(of section: SessionSection, seconds: Double) {
    let think = section.think.mean.inSeconds
    let mix = section.mix
    let visit = (actions: 2.0, time: 2 * think)
    let parts: [(share: Double, actions: Double, time: Double)] = [
      (
        mix.browse, 2 + section.moves * (2 + section.opens),
        think * (2 + section.moves * (1 + section.opens))
      ),
      (
        mix.search, 2 + max(1, section.letters - Double(section.askFrom) + 1),
        2 * think + section.letters * section.keystroke.inSeconds
      ),
      (mix.media, 2 + section.scrolls, 2 * think + section.scrolls * section.scroll.inSeconds),
      (mix.album + mix.tag + mix.recents, visit.actions, visit.time),
    ]
    var actions = parts.reduce(0) { $0 + $1.share * $1.actions }
    var time = parts.reduce(0) { $0 + $1.share * $1.time }
    if let newest = section.newest {
      // A read takes the time of a thought, and what is new is read besides: some by itself, some in its
      // directory, which is opened, read and left.
      let reads = time / think * newest.share / (1 - newest.share)
      actions += reads * (newest.direct + 4 * (1 - newest.direct))
      time += reads * think * (newest.direct + 2 * (1 - newest.direct))
    }
    let active = section.active.meanSeconds(section.visits, of: seconds)
    self.actions = time > 0 ? min(active, seconds) / time * actions : 0
    if let redraw = section.redraw {
      self.actions += seconds / redraw.inSeconds * Double(section.watched.count + 1)
    }
    place = section.place
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
      app == nil ? "states of files" : "states of entities",
      atMost: WorkloadSize.stateLimit,
      at: (widest?.states ?? 0) > size.initialStates ? widest?.place : place,
      app == nil
        ? "lower `selection`, `rate`, the `files` of an index, or the `library`"
        : "lower `batch`, `rate`, or the `count` of a type")
    for session in size.sessions {
      report(
        session.actions, "actions of a client", atMost: WorkloadSize.actionLimit,
        at: session.place,
        app == nil
          ? "lengthen `think`, `scroll` or `redraw`, or lower `duration`"
          : "lengthen `think`, `stay` or `redraw`, or lower `duration`")
    }
    report(
      size.deliveries, "deliveries to clients", atMost: WorkloadSize.deliveryLimit,
      at: sessions.max { $0.clients < $1.clients }?.place
        ?? app?.users.max { $0.clients < $1.clients }?.place ?? place,
      "lower `clients` or the devices' `rate`, or lengthen `heartbeat`")
  }
}
