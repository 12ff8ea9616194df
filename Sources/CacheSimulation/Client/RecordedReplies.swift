import CacheModel
import NormalizedCacheCore
import RecordingCodec
import Workloads

/// The answers that an app recorded, for the policy whose requests they answered.
///
/// A request of the simulation gets the answer to a recorded request of the same target at about the same
/// time; each answer is used once. Requests at other times are answered by the simulated network.
struct RecordedReplies: Sendable {
  private let answers: [RecordedAnswer]
  /// The unused answers to each target, latest request first; looked up, never iterated.
  private var unused: [RecordedAnswer.Target: [Int]] = [:]
  /// The answers assigned to requests in flight; looked up, never iterated.
  private var given: [FetchID: RecordedAnswer] = [:]

  /// The maximum time between the two requests, in nanoseconds.
  private static let slack: Int64 = 1_000_000_000

  init(_ answers: [RecordedAnswer]) {
    self.answers = answers
    for index in answers.indices.reversed() {
      unused[answers[index].target, default: []].append(index)
    }
  }

  /// Whether there is no recording for this policy.
  var isEmpty: Bool { answers.isEmpty }

  /// Returns the answer to a request that is made now, and removes it; `nil` if none was recorded.
  mutating func take(
    for id: FetchID, _ target: RecordedAnswer.Target, at now: Instant
  ) -> RecordedAnswer? {
    while let index = unused[target]?.last {
      let answer = answers[index]
      let distance = answer.asked.nanoseconds - now.nanoseconds
      guard distance <= Self.slack else { return nil }
      unused[target]?.removeLast()
      guard distance >= -Self.slack else { continue }
      if answer.failure == nil { given[id] = answer }
      return answer
    }
    return nil
  }

  /// Returns the answer assigned to a request, which is then no longer in flight.
  mutating func end(_ id: FetchID) -> RecordedAnswer? { given.removeValue(forKey: id) }

  /// Removes all requests in flight, since the process has ended.
  mutating func endAll() { given = [:] }
}

/// The requests of an app that failed: a policy that makes the same one fails alike.
///
/// Until the first answer to a query nothing is known of its rows, so that after a failure each request for it
/// fails too.
struct RecordedFailures: Sendable {
  private struct Request: Hashable {
    var target: RecordedAnswer.Target
    var asked: Instant
  }

  /// The failures of requests, and the first of each target; looked up, never iterated.
  private var failures: [Request: RecordedAnswer] = [:]
  private var first: [RecordedAnswer.Target: RecordedAnswer] = [:]
  /// When each target was first asked for with success; looked up, never iterated.
  private var successes: [RecordedAnswer.Target: Instant] = [:]

  init(_ workload: Workload, client: Int) {
    guard workload.truth == .observed else { return }
    let script = workload.clients[client]
    for answer in script.answers {
      guard let failure = answer.failure else {
        note(success: answer.target, at: answer.asked)
        continue
      }
      guard failure != .unanswered else { continue }
      failures[Request(target: answer.target, asked: answer.asked)] = answer
      if first[answer.target] == nil { first[answer.target] = answer }
    }
    guard !failures.isEmpty else { return }
    for (number, action) in script.actions.enumerated() {
      let read = ObservedRead(client: client, action: number)
      guard workload.observedResults[read] != nil else { continue }
      if let query = action.kind.asksFor { note(success: .query(query), at: action.at) }
      if case .open(let object, _) = action.kind { note(success: .object(object), at: action.at) }
    }
  }

  private mutating func note(success target: RecordedAnswer.Target, at time: Instant) {
    successes[target] = min(successes[target] ?? time, time)
  }

  var isEmpty: Bool { failures.isEmpty }

  /// Returns how a request that is made now fails; `nil` if it does not.
  func failure(of target: RecordedAnswer.Target, at now: Instant) -> RecordedAnswer? {
    if let same = failures[Request(target: target, asked: now)] { return same }
    guard let first = first[target], first.asked <= now else { return nil }
    return successes[target].map { now < $0 } ?? true ? first : nil
  }
}

extension RecordedAnswer {
  /// The time from the request to the answer, in nanoseconds.
  var wait: Int64 { asked.duration(to: at).wholeNanoseconds }
}

extension ClientSimulation where Cache: ~Copyable {
  /// Sends a request with its recorded timing.
  mutating func sendAsRecorded(_ request: PendingEvent.Request) -> Bool {
    guard !replies.isEmpty, case .fetch(let id, let asked) = request else { return false }
    guard let target = recordedTarget(of: asked),
      let answer = replies.take(for: id, target, at: now)
    else { return false }
    if underWay[id] != nil { underWay[id] = answer.asked.nanoseconds }
    if let failure = answer.failure {
      if let failure = PendingEvent.Failure(failure) {
        put(.failed(request, failure), at: now.nanoseconds + answer.wait)
      } else {
        // In flight until the end, and answered when the cache becomes idle.
        put(.request(request, roundTrip: answer.wait), at: max(now, end).nanoseconds + 1)
      }
    } else {
      put(.request(request, roundTrip: answer.wait), at: now.nanoseconds + answer.wait / 2)
    }
    return true
  }

  private func recordedTarget(of request: FetchRequest) -> RecordedAnswer.Target? {
    switch request.target {
    case .query(let key): input.queryOfKey[key].map { .query(UInt32($0)) }
    case .entity(let key): input.objectOfKey[key].map { .object($0) }
    }
  }

  /// Fails a request, if the app's own failed.
  mutating func failAsRecorded(_ request: PendingEvent.Request) -> Bool {
    guard !failures.isEmpty, case .fetch(_, let asked) = request,
      let target = recordedTarget(of: asked), let answer = failures.failure(of: target, at: now),
      let failure = answer.failure.flatMap({ PendingEvent.Failure($0) })
    else { return false }
    put(.failed(request, failure), at: now.nanoseconds + answer.wait)
    return true
  }

  /// Answers such a request: with its recorded time and bytes.
  ///
  /// Waiting for the link is included in the recorded time.
  mutating func answerAsRecorded(_ request: PendingEvent.Request, after way: Int64) -> Bool {
    guard !replies.isEmpty, case .fetch(let id, let asked) = request,
      let recorded = replies.end(id)
    else { return false }
    let answer = response(to: asked, as: recorded)
    put(
      .fetched(id, asked.target, answer, bytes: recorded.bytes, readAt: now.nanoseconds),
      at: now.nanoseconds + way)
    return true
  }
}

/// Applies recorded answers themselves, not only their timing.
extension ClientSimulation where Cache: ~Copyable {
  /// Returns the app's answer, as far as it is recorded.
  private mutating func response(
    to request: FetchRequest, as recorded: RecordedAnswer
  ) -> FetchResponse<Handle> {
    let place = server.place(recorded.place ?? server.position)
    if recorded.isUnchanged, request.unlessChangedSince != nil { return .notModified(at: place) }
    var response = response(to: request).response
    if recorded.place != nil { response.place = place }
    guard let result = recorded.result else { return response }
    var query: Int?
    if case .query(let key) = request.target { query = input.queryOfKey[key] }
    response.entities = input.workload.catalog.rows(result).map { row in
      query.map { server.row(row.revision, of: $0) } ?? server.entity(row.revision)
    }
    response.hasMore = recorded.hasMore
    return response
  }

  /// Makes the recorded answers up to now the server's answers.
  mutating func takeRecordedAnswers() {
    while nextTold < answersByArrival.count {
      let answer = script.answers[answersByArrival[nextTold]]
      guard answer.at <= now else { return }
      take(answer)
      nextTold += 1
    }
  }

  /// Makes the recorded answer to a read by the app's own cache the server's answer.
  mutating func takeRecordedAnswer(to query: UInt32) {
    for answer in script.answers[answersAsked...] {
      guard answer.asked <= now else { break }
      if answer.asked == now, answer.target == .query(query) { take(answer) }
    }
    while answersAsked < script.answers.count, script.answers[answersAsked].asked < now {
      answersAsked += 1
    }
  }

  private mutating func take(_ answer: RecordedAnswer) {
    guard let result = answer.result else { return }
    let rows = input.workload.catalog.rows(result)
    switch answer.target {
    case .query(let query): server.record(rows, of: Int(query))
    case .object(let object):
      server.apply(
        rows.first?.revision ?? SimulatedServer.noRevision, to: object, at: now.nanoseconds)
    }
  }
}
