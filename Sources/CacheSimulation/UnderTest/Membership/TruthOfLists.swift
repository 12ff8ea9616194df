import CacheModel
import Workloads

/// What each change of a workload makes of the lists that a client has asked for.
struct TruthOfLists: Sendable {
  /// By query: whether the client has asked for it.
  private var isAsked: [Bool]
  /// Looked up by the place of a mutation, never iterated.
  private var steps: [Int: [ListStep]] = [:]

  init(_ input: Simulation) {
    isAsked = Array(repeating: false, count: input.workload.queries.count)
  }

  /// Why the changes of lists cannot be told on a workload; `nil`: they can.
  static func obstacle(_ workload: Workload) -> String? {
    if workload.truth == .observed { return "only what an app showed is known of its lists" }
    if !workload.writes.isEmpty { return "its users write" }
    let besides = workload.mutations.contains { !$0.isPlaced && !$0.items.isEmpty }
    return besides ? "some of its changes come beside the stream" : nil
  }

  /// The client asks for a query: from now on it is told of its changes.
  ///
  /// O(changes of the query's section × its limit), once for each query.
  mutating func ask(for query: Int, _ input: Simulation) {
    guard !isAsked[query] else { return }
    isAsked[query] = true
    let spec = input.workload.queries[query]
    guard let section = input.order.section(of: spec) else { return }
    let range = input.order.range(of: spec, inSection: section)
    let limit = Int(spec.limit)
    var isCurrent = EntryBits(count: input.order.entries.count)
    var listed: [UInt32] = []
    var next = input.history.starts[section]
    let end = input.history.starts[section + 1]
    while next < end {
      let applied = input.history.changes[next].applied
      var changed: Set<UInt32> = []
      while next < end, case let change = input.history.changes[next], change.applied == applied {
        isCurrent.set(Int(change.entry), to: change.isCurrent)
        if range.contains(Int(change.entry)) {
          changed.insert(input.order.entries[Int(change.entry)].row.object)
        }
        next += 1
      }
      guard !changed.isEmpty else { continue }
      let before = listed
      listed = Self.objects(in: range, limit: limit, isCurrent, input)
      guard applied > 0,
        let step = ListStep(query, from: before, to: listed, changed: { changed.contains($0) })
      else { continue }
      steps[Int(applied) - 1, default: []].append(step)
    }
  }

  private static func objects(
    in range: Range<Int>, limit: Int, _ isCurrent: EntryBits, _ input: Simulation
  ) -> [UInt32] {
    var objects: [UInt32] = []
    var next = isCurrent.next(from: range.lowerBound, below: range.upperBound)
    while let entry = next, objects.count < limit {
      objects.append(input.order.entries[entry].row.object)
      next = isCurrent.next(from: entry + 1, below: range.upperBound)
    }
    return objects
  }

  /// What the event at a position makes of the lists that were asked for, in the order of queries, where
  /// it brings the rows of some objects.
  ///
  /// O(log(mutations)), and what it concerns.
  func changes(
    at position: StreamPosition, with objects: Set<UInt32>, _ input: Simulation
  ) -> [ListChange] {
    let mutations = input.workload.mutations
    var (low, high) = (0, input.mutationsByPosition.count)
    while low < high {
      let middle = (low + high) / 2
      let its = mutations[input.mutationsByPosition[middle]].position
      if its < position { low = middle + 1 } else { high = middle }
    }
    guard low < input.mutationsByPosition.count,
      case let mutation = input.mutationsByPosition[low], mutations[mutation].position == position
    else { return [] }
    return (steps[mutation] ?? []).compactMap { $0.told(with: objects) }
      .sorted { $0.query < $1.query }
  }
}
