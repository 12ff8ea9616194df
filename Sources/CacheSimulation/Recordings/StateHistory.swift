import CacheModel
import Workloads

/// When each state of each object was committed, and when it ended.
struct StateHistory: Sendable {
  private var committed: [Instant]
  private var ended: [Instant?]
  /// The states of each object, one object after another, in the order of their commits.
  private var states: [UInt32] = []
  private var firstState: [Int]

  init(of workload: Workload) {
    let revisions = workload.catalog.revisions
    committed = [Instant](repeating: .zero, count: revisions.count)
    ended = [Instant?](repeating: nil, count: revisions.count)
    var isCommitted = [Bool](repeating: false, count: revisions.count)
    var current = [UInt32?](repeating: nil, count: workload.catalog.objects.count)
    for index in 0..<workload.catalog.initialCount {
      current[Int(revisions[index].object)] = UInt32(index)
    }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] {
        let before = current[Int(item.object)]
        if let before, before != item.revision { ended[Int(before)] = mutation.at }
        let isDeletion = item.revision == MutationItem.deleted
        current[Int(item.object)] = isDeletion ? nil : item.revision
        // An app may hear of a state that it has seen.
        guard !isDeletion, !isCommitted[Int(item.revision)] else { continue }
        isCommitted[Int(item.revision)] = true
        committed[Int(item.revision)] = mutation.at
      }
    }
    firstState = [Int](repeating: 0, count: workload.catalog.objects.count + 1)
    for revision in revisions { firstState[Int(revision.object) + 1] += 1 }
    for object in firstState.indices.dropFirst() { firstState[object] += firstState[object - 1] }
    states = [UInt32](repeating: 0, count: revisions.count)
    var next = firstState
    for (index, revision) in revisions.enumerated() {
      states[next[Int(revision.object)]] = UInt32(index)
      next[Int(revision.object)] += 1
    }
  }

  /// The states of an object, in the order of their commits.
  func states(of object: UInt32) -> ArraySlice<UInt32> {
    states[firstState[Int(object)]..<firstState[Int(object) + 1]]
  }

  func committedAt(_ state: UInt32) -> Instant { committed[Int(state)] }

  /// When another state took its place, or the object was deleted; `nil`: never.
  func endedAt(_ state: UInt32) -> Instant? { ended[Int(state)] }
}
