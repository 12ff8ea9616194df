import CacheModel
import RecordingCodec
import Reporting
import Workloads

/// The evidence of recorded reads about caches, in an app developer's words.
struct RecordedReads: Sendable {
  /// Counted reads of the user, and repeated ones by the same client; automatic refetches are not repeats.
  private(set) var reads = 0
  private(set) var repeats = 0
  /// Repeats that asked the server whatever the cache had.
  private(set) var forced = 0
  /// Reads answered by the browser's or the app's own cache: they show nothing of the server.
  private(set) var cached = 0

  /// The minimum number of repeats: with fewer, one read decides.
  static let fewestRepeats = 5

  init(of workloads: [Workload]) { workloads.forEach { add($0) } }

  private mutating func add(_ workload: Workload) {
    let warmUp = Instant.zero.advanced(by: workload.warmUp)
    for (client, script) in workload.clients.enumerated() {
      var known: Set<Subject> = []
      let asked = Set(script.answers.map { Request(at: $0.asked, target: $0.target) })
      var invalidated: UInt32?
      for (number, action) in script.actions.enumerated() {
        if case .maintenance(.invalidate(let query)) = action.kind {
          invalidated = query
          continue
        }
        defer { invalidated = nil }
        guard let subject = Subject(action.kind) else { continue }
        let isNew = known.insert(subject).inserted
        guard action.at >= warmUp else { continue }
        reads += 1
        if case .query(let query) = subject, query == invalidated {
          forced += isNew ? 0 : 1
          continue
        }
        if !isNew { repeats += 1 }
        if workload.answeredPolicy != nil {
          if !asked.contains(Request(at: action.at, target: subject.target)) { cached += 1 }
        } else {
          switch workload.recordedOutcomes[ObservedRead(client: client, action: number)] {
          case .hit, .hitFresh, .hitStale: cached += 1
          default: break
          }
        }
      }
    }
  }

  /// Why nothing can be recommended, and what to record; `nil`: something can.
  var obstacle: String? {
    let again =
      "record a session in which the user comes back to what was seen before, with the cache of the browser "
      + "and, if possible, that of the app switched off"
    guard reads > 0 else { return "nothing is read in it; \(again)" }
    let others =
      " (\(forced) forced repeats, at a fixed period or right after a write, do not count)"
    guard repeats > 0 else {
      return
        "nothing is read twice\(forced > 0 ? others : ""), so no cache could have had a hit; \(again)"
    }
    guard cached < reads else {
      return "every read was answered by a cache, and nothing tells what the server held; \(again)"
    }
    guard repeats >= Self.fewestRepeats else {
      return
        "\(repeats) of its \(reads) reads come back to what was seen before, too few to choose by "
        + "(100 are enough)\(forced > 0 ? others : ""); \(again)"
    }
    return nil
  }

  /// The reason that weakens the recommendation, if any.
  var doubt: String? {
    guard cached * 20 > reads else { return nil }
    return
      "\(HumanNumber.percent(Double(cached) / Double(reads))) of its reads were answered by a cache of the "
      + "browser or the app, so it is recorded with caches on"
  }

  private enum Subject: Hashable {
    case query(UInt32)
    case object(UInt32)

    init?(_ action: SessionAction.Kind) {
      switch action {
      case .read(let query), .observe(let query): self = .query(query)
      case .open(let object, _): self = .object(object)
      case .redraw, .unobserve, .tag, .write, .maintenance: return nil
      }
    }

    var target: RecordedAnswer.Target {
      switch self {
      case .query(let query): .query(query)
      case .object(let object): .object(object)
      }
    }
  }

  private struct Request: Hashable {
    let at: Instant
    let target: RecordedAnswer.Target
  }
}

extension SimulationInput {
  /// The reads in an app's recordings; `nil` for anything else.
  var recordedReads: RecordedReads? {
    guard let recorded, recorded.truth == .observed else { return nil }
    return RecordedReads(of: recorded.users.flatMap(\.sessions))
  }
}
