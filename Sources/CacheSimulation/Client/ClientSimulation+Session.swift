import CacheModel
import NormalizedCache
import Workloads

/// What the user does, and how it is answered.
extension ClientSimulation {
  mutating func act(_ action: SessionAction.Kind) {
    tally.operations += 1
    switch action {
    case .read(let query):
      read(Int(query))
    case .observe(let query):
      beginObserving(Int(query))
      read(Int(query))
      showStored(Int(query))
    case .unobserve(let query):
      endObserving(Int(query))
    case .tag(let query):
      store.tag(input.keys[Int(query)], true, at: now)
    case .open(let object):
      open(Int(object))
    }
  }

  /// Where an app recorded what a read returned, that is what the server has to say from now on.
  mutating func takeRecordedResult(ofAction index: Int) {
    guard input.workload.truth == .observed,
      let result = input.workload.observedResults[ObservedRead(client: client, action: index)]
    else { return }
    let rows = result.rows.compactMap { row in
      input.revisionOfVersion[Simulation.State(object: row.object, version: row.version)]
        .map { Handle(object: row.object, revision: $0) }
    }
    switch script.actions[index].kind {
    case .read(let query), .observe(let query): server.record(rows, of: Int(query))
    case .open(let object):
      server.apply(
        rows.first?.revision ?? SimulatedServer.noRevision, to: object, at: now.nanoseconds)
    case .unobserve, .tag: break
    }
  }

  private mutating func read(_ query: Int) {
    let truth = server.answer(query)
    let isDown = isLinkDown
    if !isDown { tally.bytesWithoutCache += truth.bytes + TransferSize.envelope }
    let read = store.read(input.keys[query], at: now)
    guard read.outcome != .hit, let fetch = read.fetch else {
      count(served(query, truth, hasExpired: read.isExpired), query)
      return
    }
    if isDown, read.outcome != .bypass, isComplete(query) {
      // Without a server, what is at hand is served at once, however old.
      count(served(query, truth, hasExpired: read.outcome == .missExpired), query)
      return
    }
    let outcome = Outcome(read.outcome)
    if isDown {
      count(.failed, query)
    } else {
      waiting[fetch, default: []].append(WaitingRead(query: query, outcome: outcome))
    }
  }

  /// Compares what the cache serves with the truth, row by row.
  private mutating func served(
    _ query: Int, _ truth: Answer, hasExpired: Bool
  ) -> Outcome {
    let queryClass = classIndex(of: query)
    if hasExpired { tally.queries[queryClass].servedExpired += 1 }
    let members = store.members(of: input.keys[query]) ?? []
    if shows(members, truth.rows) { return .hitFresh }
    let rows = members.compactMap { store.payload(of: $0) }
    if let missed = server.earliestMissedCommit(
      served: rows, truth: truth.rows, input.workload.queries[query])
    {
      tally.queries[queryClass].stalenessAges.append(now.nanoseconds - missed)
    }
    return .hitStale
  }

  /// Whether the cache's rows are these, in this order.
  func shows(_ members: [Int32], _ rows: [Handle]) -> Bool {
    guard members.count == rows.count else { return false }
    for index in members.indices where store.payload(of: members[index]) != rows[index] {
      return false
    }
    return true
  }

  /// Whether the cache holds a result of the query and a value of every member.
  func isComplete(_ query: Int) -> Bool {
    guard let members = store.members(of: input.keys[query]) else { return false }
    return members.allSatisfy { store.payload(of: $0) != nil }
  }

  func classIndex(of query: Int) -> Int {
    switch input.workload.queries[query].kind.queryClass {
    case .file: 0
    case .albumTag: 1
    case .search: 2
    }
  }

  mutating func count(_ outcome: Outcome, _ query: Int) {
    tally.queries[classIndex(of: query)][outcome] += 1
  }

  private mutating func open(_ object: Int) {
    let truth = server.current[object]
    let isDown = isLinkDown
    if !isDown {
      tally.bytesWithoutCache += TransferSize.envelope + bytes(of: truth)
    }
    let read = store.readEntity(
      input.workload.catalog.objects[object], library: input.workload.library, at: now)
    guard read.outcome != .hit, let fetch = read.fetch else {
      if let entity = read.entity {
        countServed(entity.payload, truth: truth, hasExpired: read.isExpired)
      }
      return
    }
    if isDown, let entity = read.entity {
      countServed(entity.payload, truth: truth, hasExpired: read.outcome == .missExpired)
    } else if isDown {
      tally.entities[.failed] += 1
    } else {
      waiting[fetch, default: []].append(
        WaitingRead(query: nil, outcome: Outcome(read.outcome)))
    }
  }

  private mutating func countServed(_ payload: Handle, truth: UInt32, hasExpired: Bool) {
    if hasExpired { tally.entities.servedExpired += 1 }
    guard payload.revision != truth else {
      tally.entities[.hitFresh] += 1
      return
    }
    tally.entities[.hitStale] += 1
    let superseded = server.supersededAt[Int(payload.revision)]
    if superseded != .max { tally.entities.stalenessAges.append(now.nanoseconds - superseded) }
  }

  private func bytes(of revision: UInt32) -> Int {
    revision == SimulatedServer.noRevision
      ? 0 : Int(input.workload.catalog.revisions[Int(revision)].bytes)
  }
}

extension Outcome {
  /// What a read that waits for the server is counted as.
  init(_ outcome: ReadOutcome) {
    switch outcome {
    case .hit: self = .hitFresh
    case .partial: self = .partial
    case .missCold: self = .missCold
    case .missExpired: self = .missExpired
    case .missEvicted: self = .missEvicted
    case .missInvalidated: self = .missInvalidated
    case .coalesced: self = .coalesced
    case .bypass: self = .bypass
    }
  }
}
