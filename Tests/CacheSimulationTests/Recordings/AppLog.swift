import CacheModel
import RecordingCodec
import Workloads

@testable import CacheSimulation

/// The log of an app without a cache under a workload: its requests, their answers, and its events, with
/// nothing of the server's that the app did not see.
struct AppLog {
  /// Which of the requests have their answers in the log, by number; of the others it has the reads alone, as if a
  /// cache of the app's had answered.
  var keepsAnswer: (Int) -> Bool = { _ in true }
  /// Whether answers tell at which place of the stream they were read.
  var tellsPlaces = false

  private let source: Workload
  private var log: Workload
  /// The app's observations, in order.
  private var lessons: [Lesson] = []
  /// The numbers of states in the log.
  private var numbers: [UInt32: UInt32] = [:]

  private struct Lesson {
    var at: Instant
    var kind: Kind

    enum Kind {
      case answer(
        asked: Instant, client: Int, action: Int, query: UInt32?, states: [UInt32],
        place: StreamPosition)
      case event(mutation: Int)
    }
  }

  init(of source: Workload) {
    self.source = source
    log = source
  }

  mutating func workload() -> Workload {
    log.truth = .observed
    log.seed = 0
    log.answeredPolicy = "app"
    for client in source.clients.indices { ask(client) }
    hear()
    lessons = lessons.enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }
    .map(\.element)
    tell()
    return log
  }

  // MARK: What the app asks and hears

  private mutating func ask(_ client: Int) {
    var script = log.clients[client]
    script.answers = []
    var timing = RequestTiming(source.network, client: client)
    var requests: [(at: Int64, action: Int, way: Int64)] = []
    for (number, action) in script.actions.enumerated() where action.kind.isReadOfUser {
      let way = timing.nextRoundTrip()
      requests.append((action.at.nanoseconds + way / 2, number, way - way / 2))
    }
    let input = Simulation(of: source)
    var server = SimulatedServer(
      source, order: input.order, history: input.history, seen: input.seen, client: client)
    requests.sort { ($0.at, $0.action) < ($1.at, $1.action) }
    for (number, request) in requests.enumerated() {
      let action = script.actions[request.action]
      let name = ObservedRead(client: client, action: request.action)
      let (asked, read) = (action.at, Instant(nanoseconds: request.at))
      let at = read.advanced(byNanoseconds: request.way)
      let target: RecordedAnswer.Target =
        if case .open(let object, _) = action.kind { .object(object) } else {
          .query(action.kind.asksFor ?? 0)
        }
      func isDown(_ at: Instant) -> Bool { script.partitions.contains { $0.contains(at) } }
      server.advance(to: read)
      let isLost = isDown(asked) || isDown(read) || isDown(at)
      if isLost || script.errors.contains(where: { $0.contains(read) }) {
        script.answers.append(
          RecordedAnswer(
            asked: asked, at: at, target: target, bytes: 0,
            failure: isLost ? .unreachable : .refused))
        log.recordedOutcomes[name] = .failed
        continue
      }
      guard keepsAnswer(number) else {
        log.recordedOutcomes[name] = .hit
        continue
      }
      var query: UInt32?
      var states: [UInt32]
      switch target {
      case .query(let asked):
        query = asked
        states = server.answer(Int(asked)).rows.map(\.revision)
      case .object(let object):
        states = [server.current[Int(object)]].filter { $0 != SimulatedServer.noRevision }
      }
      lessons.append(
        Lesson(
          at: at,
          kind: .answer(
            asked: asked, client: client, action: request.action, query: query, states: states,
            place: server.position)))
    }
    script.answers.sort { $0.asked < $1.asked }
    log.clients[client] = script
  }

  private mutating func hear() {
    var first = [Instant?](repeating: nil, count: source.mutations.count)
    for delivery in source.clients.flatMap(\.deliveries) {
      guard case .event(let mutation) = delivery.content else { continue }
      let known = first[Int(mutation)] ?? delivery.at
      first[Int(mutation)] = min(known, delivery.at)
    }
    for (mutation, at) in first.enumerated() {
      if let at { lessons.append(Lesson(at: at, kind: .event(mutation: mutation))) }
    }
  }

  // MARK: What the log tells

  private mutating func tell() {
    let catalog = source.catalog
    log.catalog.revisions = []
    log.catalog.values = []
    log.catalog.valueStarts = []
    (log.mutations, log.items) = ([], [])
    var objects: Set<UInt32> = []
    // A state first shown by an answer existed before.
    for lesson in lessons {
      switch lesson.kind {
      case .answer(_, _, _, _, let states, _):
        for state in states where objects.insert(catalog.revisions[Int(state)].object).inserted {
          add(state)
        }
      case .event(let mutation):
        for item in source.items[source.mutations[mutation].items] { objects.insert(item.object) }
      }
    }
    log.catalog.initialCount = log.catalog.revisions.count
    var numberOfMutation: [Int: UInt32] = [:]
    var lastPlace = StreamPosition(epoch: 0, sequence: 0)
    for lesson in lessons {
      switch lesson.kind {
      case .answer(let asked, let client, let action, let query, let states, let place):
        let first = log.items.count
        for state in states where numbers[state] == nil {
          let number = add(state)
          log.items.append(
            MutationItem(object: catalog.revisions[Int(state)].object, revision: number))
        }
        if log.items.count > first { append(at: lesson.at, items: first..<log.items.count) }
        let result = states.compactMap { numbers[$0] }
        let name = ObservedRead(client: client, action: action)
        log.observedResults[name] = result
        log.recordedOutcomes[name] = .miss
        var answer = RecordedAnswer(
          asked: asked, at: lesson.at,
          target: query.map { .query($0) } ?? .object(object(of: name)), bytes: 0)
        answer.result = result
        if tellsPlaces { answer.place = place }
        answer.bytes = states.reduce(0) { $0 + Int(catalog.revisions[Int($1)].bytes) }
        let answers = log.clients[client].answers
        let order = answers.lastIndex { $0.asked <= asked }.map { $0 + 1 } ?? 0
        log.clients[client].answers.insert(answer, at: order)
      case .event(let number):
        var mutation = source.mutations[number]
        let first = log.items.count
        for item in source.items[mutation.items] {
          let isEnd = item.revision == MutationItem.deleted
          let state = isEnd ? item.revision : numbers[item.revision] ?? add(item.revision)
          log.items.append(MutationItem(object: item.object, revision: state))
        }
        mutation.at = lesson.at
        mutation.items = first..<log.items.count
        mutation.isPlaced = mutation.position > lastPlace
        lastPlace = max(lastPlace, mutation.position)
        mutation.position = lastPlace
        numberOfMutation[number] = UInt32(log.mutations.count)
        log.mutations.append(mutation)
      }
    }
    for query in log.queries.indices where log.queries[query].after != Revision.noObject {
      log.queries[query].after = numbers[log.queries[query].after] ?? add(log.queries[query].after)
    }
    for client in log.clients.indices {
      for place in log.clients[client].deliveries.indices {
        guard case .event(let number) = log.clients[client].deliveries[place].content else {
          continue
        }
        log.clients[client].deliveries[place].content =
          .event(mutation: numberOfMutation[Int(number)] ?? 0)
      }
    }
  }

  private func object(of read: ObservedRead) -> UInt32 {
    if case .open(let object, _) = source.clients[read.client].actions[read.action].kind {
      return object
    }
    return 0
  }

  @discardableResult
  private mutating func add(_ state: UInt32) -> UInt32 {
    let number = UInt32(log.catalog.revisions.count)
    numbers[state] = number
    log.catalog.revisions.append(source.catalog.revisions[Int(state)])
    log.catalog.valueStarts.append(UInt32(log.catalog.values.count))
    let starts = source.catalog.valueStarts
    let end =
      Int(state) + 1 < starts.count ? Int(starts[Int(state) + 1]) : source.catalog.values.count
    log.catalog.values += source.catalog.values[Int(starts[Int(state)])..<end]
    return number
  }

  private mutating func append(at: Instant, items: Range<Int>) {
    let position = log.mutations.last?.position ?? StreamPosition(epoch: 0, sequence: 0)
    var mutation = Mutation(
      at: at, device: 0, position: position, kind: items.count == 1 ? .changed : .batchChanged,
      items: items, bytes: 0)
    mutation.isPlaced = false
    log.mutations.append(mutation)
  }
}
