import CacheModel
import RecordingCodec
import Workloads

/// Whether the content of one client's cache is in the recording, by the times of its requests, in nanoseconds.
///
/// A request that the app did not make at the same time is answered from the recording's past. The true answer could
/// have had any row of the query, so the cache's content of that query is uncertain until it asks together with the app.
struct RequestTimes: Sendable {
  /// The time of the last request made together with the app.
  private var ofQuery: [Int64]
  private var ofObject: [Int64]
  /// When it asked last by itself.
  private var doubtOfType: [Int64]
  private let types: [Int]

  init(of workload: Workload) {
    ofQuery = [Int64](repeating: .min, count: workload.queries.count)
    doubtOfType = [Int64](repeating: .min, count: workload.model.types.count)
    ofObject = [Int64](repeating: .min, count: workload.catalog.objects.count)
    types = workload.catalog.objects.map { Int($0.type.rawValue) - 1 }
  }

  func isRecorded(query: Int, of types: [Int]) -> Bool {
    types.allSatisfy { doubtOfType[$0] < ofQuery[query] || doubtOfType[$0] == .min }
  }

  func isRecorded(_ object: UInt32) -> Bool {
    let place = Int(object)
    let doubt = doubtOfType[types[place]]
    return doubt < ofObject[place] || doubt == .min
  }

  mutating func note(
    query: Int?, _ objects: some Sequence<UInt32>, asked: Int64
  ) {
    if let query { ofQuery[query] = max(ofQuery[query], asked) }
    for object in objects where Int(object) < ofObject.count {
      ofObject[Int(object)] = max(ofObject[Int(object)], asked)
    }
  }

  mutating func noteDoubt(ofTypes types: [Int], asked: Int64) {
    for type in types { doubtOfType[type] = max(doubtOfType[type], asked) }
  }

  /// Notes that an entity may have been received, which the lists of its type then have or lack.
  mutating func noteDoubt(of object: UInt32, asked: Int64) {
    noteDoubt(ofTypes: [types[Int(object)]], asked: asked)
  }

  /// Notes that anything may have been received.
  mutating func noteDoubt(asked: Int64) {
    noteDoubt(ofTypes: Array(doubtOfType.indices), asked: asked)
  }
}

/// A server's answer to a request by the app, as far as the recording shows it.
struct ServerAnswer: Sendable {
  let asked: Instant
  /// The time of its arrival; for a read without an `answer` line, the expected time.
  let at: Instant
  let target: RecordedAnswer.Target
  let result: [UInt32]
  /// The stream position at which it was read, if recorded.
  var place: StreamPosition?

  private struct Request: Hashable {
    let at: Instant
    let target: RecordedAnswer.Target
  }

  /// Returns the answers to all clients; results that may have come from the app's own cache are excluded.
  static func all(of workload: Workload) -> [ServerAnswer] {
    let wait = workload.network.minimumRoundTrip + workload.network.meanExtra
    var all: [ServerAnswer] = []
    for (client, script) in workload.clients.enumerated() {
      var confirmed: [Request: Instant] = [:]
      var answered: Set<Request> = []
      for answer in script.answers where answer.failure == nil {
        let request = Request(at: answer.asked, target: answer.target)
        if let result = answer.result {
          answered.insert(request)
          all.append(
            ServerAnswer(
              asked: answer.asked, at: answer.at, target: answer.target, result: result,
              place: answer.place))
        } else if answer.isUnchanged {
          confirmed[request] = answer.at
        }
      }
      for (number, action) in script.actions.enumerated() {
        let name = ObservedRead(client: client, action: number)
        var target = action.kind.asksFor.map { RecordedAnswer.Target.query($0) }
        if case .open(let object, _) = action.kind { target = .object(object) }
        guard let result = workload.observedResults[name], let target else { continue }
        let request = Request(at: action.at, target: target)
        let at = confirmed[request]
        guard !answered.contains(request),
          at != nil || workload.recordedOutcomes[name]?.isOfServer == true
        else { continue }
        all.append(
          ServerAnswer(
            asked: action.at, at: at ?? action.at.advanced(byNanoseconds: wait),
            target: target, result: result))
      }
    }
    return all
  }
}

extension RecordedOutcome {
  /// Whether the server answered the read.
  fileprivate var isOfServer: Bool {
    switch self {
    case .miss, .partial, .missCold, .missExpired, .missEvicted, .missInvalidated, .coalesced,
      .bypass:
      true
    case .hit, .hitFresh, .hitStale, .failed: false
    }
  }
}
