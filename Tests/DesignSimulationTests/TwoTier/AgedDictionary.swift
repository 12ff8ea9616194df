import CacheModel
import CacheSimulation
import Workloads

/// What a cache over files comes to where nothing runs out of space and nobody writes: a dictionary of answers, each
/// with the instant at which it came.
///
/// It reads the scripts of a workload by itself, and knows no store, no tier and no file.
struct AgedDictionary {
  private enum Key: Hashable {
    case query(UInt32)
    case object(UInt32)
  }

  let workload: Workload
  let age: Duration
  let roundTrip: Duration

  /// The actions of a client's script whose reads are served without the server.
  func hits(ofClient client: Int) -> Set<Int> {
    var hits: Set<Int> = []
    var came: [Key: Instant] = [:]
    var exists: [Key: Bool] = [:]
    for (index, action) in workload.clients[client].actions.enumerated() {
      let key: Key
      switch action.kind {
      case .read(let query), .observe(let query): key = .query(query)
      case .open(let object, _): key = .object(object)
      default: continue
      }
      if let at = came[key], at <= action.at, at.duration(to: action.at) <= age {
        hits.insert(index)
        continue
      }
      // Under way: whoever asks now waits for the same answer.
      if let at = came[key], at > action.at { continue }
      guard isKept(key) else { continue }
      came[key] = action.at.advanced(by: roundTrip)
      exists[key] = true
    }
    return hits
  }

  private func isKept(_ key: Key) -> Bool {
    guard case .query(let query) = key else { return true }
    let spec = workload.queries[Int(query)]
    return spec.prefixLength == 0 || spec.prefixLength >= 2
  }
}
