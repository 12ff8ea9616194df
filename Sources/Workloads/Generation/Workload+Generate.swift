import CacheModel

extension Workload {
  /// Generates a run of a scenario.
  ///
  /// The library and its history, every link and every session draw from their own labelled sub-streams of
  /// the seed: changing one session leaves all mutations and every other client unchanged, unless devices
  /// edit entities that sessions view (`near-views`). The run ends with a drain, in which only heartbeats are
  /// sent.
  ///
  /// - Parameters:
  ///   - scenario: the scenario.
  ///   - seed: the seed of the random numbers; by default the scenario's own.
  /// - Returns: the same workload for the same scenario and seed, on every machine.
  package static func generate(_ scenario: Scenario, seed: UInt64? = nil) -> Workload {
    let seed = seed ?? scenario.seed
    let random = RandomSource(seed: seed)
    var history = ServerHistory(scenario, random: random.substream("history"))
    history.generate()
    if scenario.writers.contains(where: { $0.nearViews != nil }) {
      // Users' choices depend on existing entities, and near-view changes depend on users' choices. So
      // sessions are first generated on the history without such changes; different deletions then change
      // single activities, not whole sessions.
      var (replay, table) = (HistoryReplay(history), QueryTable())
      let rehearsed = users(scenario, random, &replay, &table).flatMap(\.actions)
      history = ServerHistory(
        scenario, random: random.substream("history"),
        views: ViewedLists(rehearsed, table.queries, scenario.model))
      history.generate()
    }
    var (replay, table) = (HistoryReplay(history), QueryTable())
    var sessions = users(scenario, random, &replay, &table)
    let end = scenario.activeDuration.wholeNanoseconds
    var catalog = Catalog(
      objects: replay.keys, revisions: history.state.revisions + replay.written,
      initialCount: history.initialCount, labels: replay.labels)
    catalog.values = replay.values
    catalog.valueStarts = replay.valueStarts
    var writes = SharedWrites(history)
    for (client, session) in sessions.enumerated() where !session.writes.isEmpty {
      writes.add(session.writes, ofClient: client, over: session.link(scenario), scenario)
      sessions[client].number(from: writes.firstOfLatest)
    }
    writes.merge(scenario)
    var workload = Workload(
      scenario, seed: seed, random, catalog: catalog, queries: table.queries,
      mutations: writes.mutations, items: writes.items,
      clients: sessions.map { $0.script(scenario, writes.mutations) })
    if !writes.all.isEmpty {
      workload.writes = writes.all
      workload.restarts = scenario.faults.filter { $0.kind == .serverRestart }
        .map { Instant.zero.advanced(by: $0.at) }.sorted()
      let network = scenario.network
      workload.ownEvents = EventTraffic(
        delay: network.delay.wholeNanoseconds, jitter: network.jitter.wholeNanoseconds,
        loss: network.loss, activeEnd: end)
    }
    workload.letEvents(carry: scenario.events.carry)
    return workload
  }

  /// Applies a scenario's network and server to a generated stream.
  private init(
    _ scenario: Scenario, seed: UInt64, _ random: RandomSource, catalog: Catalog,
    queries: [QuerySpec], mutations: [Mutation], items: [MutationItem], clients: [ClientScript]
  ) {
    var ids = random.substream("library")
    var requests = random.substream("requests")
    self.init(
      name: scenario.name, seed: seed, duration: scenario.duration,
      library: LibraryID(rawValue: ids.uniqueID()), model: scenario.model, catalog: catalog,
      queries: queries,
      mutations: mutations, items: items, clients: clients,
      network: NetworkModel(
        minimumRoundTrip: scenario.network.roundTrip.wholeNanoseconds,
        meanExtra: scenario.network.roundTripJitter.wholeNanoseconds,
        bytesPerSecond: scenario.network.bandwidth, seed: requests.next()),
      retention: ServerRetention(
        events: scenario.server.replayEvents, age: scenario.server.replayAge))
    warmUp = scenario.warmUpDuration
    pushesEvents = scenario.network.events == .push
    saysNotModified = scenario.server.notModified
  }

  private static func users(
    _ scenario: Scenario, _ random: RandomSource,
    _ replay: inout HistoryReplay, _ table: inout QueryTable
  ) -> [DrawnSession] {
    let end = scenario.activeDuration.wholeNanoseconds
    var sessions: [DrawnSession] = []
    for (group, section) in scenario.users.enumerated() {
      for number in 0..<section.clients {
        let own = random.substream("people", UInt64(group))
          .substream("client", UInt64(number))
        let visits = VisitTimes.all(
          section.visits, within: section.active, end: end, own.substream("visits"))
        var session = UserSession(section, replay.history, replay, random: own, table: table)
        let actions = session.actions(during: visits, end: end)
        table = session.table
        if !session.writes.isEmpty { replay.adoptStates(of: session.replay) }
        var drawn = DrawnSession(
          name: scenario.clientNames[sessions.count], isSuspended: section.isSuspended,
          reaction: section.reaction, visits: visits, actions: actions, random: own)
        drawn.writes = session.writes
        drawn.writing = (section.writes ?? WritesSection()).handling
        sessions.append(drawn)
      }
    }
    return sessions
  }
}

/// A client with generated actions, but without a link yet.
private struct DrawnSession {
  var name: String
  /// Whether the app receives nothing between visits.
  var isSuspended: Bool
  var reaction: ClientScript.Reaction
  var visits: [Range<Int64>]
  var actions: [SessionAction]
  var random: RandomSource
  var writes: [DrawnWrite] = []
  var writing = WriteHandling()

  func link(_ scenario: Scenario) -> LinkGenerator {
    LinkGenerator(
      scenario: scenario, client: name,
      pauses: isSuspended
        ? VisitTimes.between(visits, end: scenario.activeDuration.wholeNanoseconds) : [])
  }

  /// Renumbers the writes, which the session counts from 0.
  mutating func number(from first: Int) {
    for index in actions.indices {
      guard case .write(let number) = actions[index].kind else { continue }
      actions[index].kind = .write(UInt32(first) + number)
    }
  }

  func script(_ scenario: Scenario, _ mutations: [Mutation]) -> ClientScript {
    let link = link(scenario)
    var script = ClientScript(
      name: name, actions: actions,
      deliveries: link.deliveries(of: mutations, random.substream("link")),
      partitions: instants(link.partitions), errors: instants(link.errors),
      reaction: reaction)
    script.writing = writing
    script.silences = writes.isEmpty ? [] : instants(link.silences)
    script.relaunches = link.relaunches.map { Instant(nanoseconds: $0) }
    script.storageFaults = scenario.faults.filter {
      $0.kind == .storage && ($0.client == nil || $0.client == name)
    }.flatMap { fault in
      instants([fault.at.wholeNanoseconds..<(fault.at + fault.length).wholeNanoseconds]).map {
        StorageRefusal(during: $0, fault: fault.error ?? .failed)
      }
    }
    return script
  }

  private func instants(_ windows: [Range<Int64>]) -> [Range<Instant>] {
    windows.map {
      Instant(nanoseconds: $0.lowerBound)..<Instant(nanoseconds: $0.upperBound)
    }
  }
}

extension UsersSection {
  fileprivate var isSuspended: Bool { visits?.between == .suspended }
}

/// The queries of a run, numbered in the order of their first use.
struct QueryTable {
  private(set) var queries: [QuerySpec] = []
  private var numbers: [QuerySpec: UInt32] = [:]

  mutating func number(of query: QuerySpec) -> UInt32 {
    if let number = numbers[query] { return number }
    let number = UInt32(queries.count)
    queries.append(query)
    numbers[query] = number
    return number
  }
}
