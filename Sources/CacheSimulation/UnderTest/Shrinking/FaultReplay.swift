import CacheModel
import NormalizedCacheCore
import Workloads

/// What a process was told until it broke a rule, to be told again in part.
///
/// The parts that are told keep their instants. Turns are counted anew, the cache is woken when it wants
/// to be, and an answer is told where the cache has asked for it, under the number that it gave.
package struct FaultReplay: Sendable {
  let simulation: Simulation
  let launch: CacheLaunch
  /// What this client had been sent before this process began.
  let isSent: [Bool]?
  let steps: [Step]

  struct Step: Sendable {
    var at: Instant
    var content: Content

    enum Content: Sendable {
      case told(CacheTurn.Input)
      /// The answer to a request for a query or an entity, or for events: `nil`.
      case response(CacheReply.Target?, CacheTurn.Response)
    }
  }

  /// Takes what the recorder was told and said.
  init(
    _ simulation: Simulation, _ launch: CacheLaunch, isSent: [Bool]?, _ recorder: RecordingCache
  ) {
    self.simulation = simulation
    self.launch = launch
    self.isSent = isSent
    var targets: [Int: CacheReply.Target?] = [:]
    var steps: [Step] = []
    for (index, turn) in recorder.turns.enumerated() {
      switch turn.input {
      case .wake: break
      case .response(let id, let response):
        guard let target = targets[id] else { break }
        steps.append(Step(at: turn.at, content: .response(target, response)))
      default: steps.append(Step(at: turn.at, content: .told(turn.input)))
      }
      guard recorder.answers.indices.contains(index) else { continue }
      for reply in recorder.answers[index] {
        switch reply {
        case .fetch(let id, let target, _): targets[id] = .some(target)
        case .reconcile(let id, _): targets[id] = .some(nil)
        default: break
        }
      }
    }
    self.steps = steps
  }

  /// Tells some of the steps to a new process.
  ///
  /// - Returns: what it was told and said, and the rule that it broke, if it did.
  func tell(
    _ places: [Int], _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> (recorder: RecordingCache, fault: CacheFault)? {
    let outliving = OutlivingState(of: simulation.workload, client: launch.place)
    outliving.isSent = isSent
    guard let process = try? start(launch) else { return nil }
    let recorder = RecordingCache(process)
    var cache = ExternalCacheDriver(recorder, simulation, outliving)
    defer { cache.end() }
    for place in places {
      let step = steps[place]
      wake(&cache, until: step.at)
      guard cache.fault == nil else { break }
      tell(step, to: &cache)
      cache.dropActions()
    }
    if let last = places.last { wake(&cache, until: steps[last].at) }
    return cache.fault.map { (recorder, $0) }
  }

  private func wake(_ cache: inout ExternalCacheDriver, until instant: Instant) {
    while cache.fault == nil, let due = cache.wake, due <= instant {
      cache.wake(at: due)
    }
  }

  private func tell(_ step: Step, to cache: inout ExternalCacheDriver) {
    switch step.content {
    case .told(let input): tell(input, to: &cache, at: step.at)
    case .response(let target, let response):
      guard let request = cache.requests.first(where: { $0.target == target }) else { return }
      cache.tell(response, to: request.id, at: step.at)
    }
  }

  private func tell(_ input: CacheTurn.Input, to cache: inout ExternalCacheDriver, at now: Instant)
  {
    switch input {
    case .read(let query), .observe(let query): _ = cache.ask(.query(query), input, at: now)
    case .open(let object): _ = cache.ask(.object(object), input, at: now)
    case .write(let write): cache.take(write, at: now)
    case .answer(let token, let answer):
      guard cache.writes.contains(where: { $0.number == token && $0.isUnderWay }) else { return }
      cache.tell(answer, toWrite: token, at: now)
    case .event(let event): cache.tell(event, at: now)
    case .unobserve, .tag, .heartbeat, .link, .response, .wake: cache.take(input, at: now)
    }
  }
}

/// The fewest turns found that make a process break a rule, and what it broke then.
package struct ShrunkFault: Sendable {
  package let launch: CacheLaunch
  package let turns: [CacheTurn]
  package let fault: CacheFault
}
