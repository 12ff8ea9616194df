import CacheModel

extension Workload {
  /// Draws a run of a scenario.
  ///
  /// The library and its history, every link and every session draw from their own labelled
  /// sub-streams of the seed: a change to one session leaves all mutations and every other client as
  /// they were. The run ends with a quiet time, in which only heartbeats are sent.
  ///
  /// - Parameters:
  ///   - scenario: What to draw.
  ///   - seed: Names the random numbers; the scenario's own if absent.
  /// - Returns: The same workload for the same scenario and seed, on every machine.
  package static func generate(_ scenario: Scenario, seed: UInt64? = nil) -> Workload {
    let seed = seed ?? scenario.seed
    let random = RandomSource(seed: seed)
    var history = HistoryGenerator(scenario: scenario, random: random.substream("history"))
    history.generate()
    let library = SessionLibrary(history)
    let restarts = scenario.faults.filter { $0.kind == .restart }.map(\.at.wholeNanoseconds)
    var table = QueryTable()
    var clients: [ClientScript] = []
    for (group, section) in scenario.sessions.enumerated() {
      for number in 0..<section.clients {
        // A client's streams are named by its group and number, so that another client in an earlier
        // group shifts none of them.
        let own = random.substream("client-group", UInt64(group))
          .substream("client", UInt64(number))
        var session = SessionGenerator(
          section: section, limits: scenario.limits, library: library,
          random: own.substream("session"), tagging: own.substream("tagging"))
        let actions = session.actions(end: scenario.activeDuration.wholeNanoseconds, &table)
        let name = scenario.clientNames[clients.count]
        let link = LinkGenerator(scenario: scenario, client: name)
        clients.append(
          ClientScript(
            name: name, actions: actions,
            deliveries: link.deliveries(
              of: history.mutations, restarts: restarts, own.substream("link")),
            partitions: instants(link.partitions), errors: instants(link.errors)))
      }
    }
    let state = history.state
    var ids = random.substream("library")
    var requests = random.substream("requests")
    var workload = Workload(
      name: scenario.name, seed: seed, duration: scenario.duration,
      library: LibraryID(rawValue: ids.uniqueID()),
      catalog: Catalog(
        objects: state.keys, revisions: state.revisions, initialCount: history.initialCount,
        labels: state.labels),
      queries: table.queries, mutations: history.mutations, items: history.items, clients: clients,
      network: NetworkModel(
        minimumRoundTrip: scenario.network.roundTrip.wholeNanoseconds,
        meanExtra: scenario.network.roundTripJitter.wholeNanoseconds,
        bytesPerSecond: scenario.network.bandwidth, seed: requests.next()),
      retention: ServerRetention(events: scenario.server.events, age: scenario.server.age))
    workload.saysNotModified = scenario.server.saysNotModified
    return workload
  }

  private static func instants(_ windows: [Range<Int64>]) -> [Range<Instant>] {
    windows.map {
      Instant(nanoseconds: $0.lowerBound)..<Instant(nanoseconds: $0.upperBound)
    }
  }
}
