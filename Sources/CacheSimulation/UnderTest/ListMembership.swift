import CacheModel
import Workloads

/// Whether a cache computes list membership itself.
package enum ListMembership: String, Sendable {
  /// The cache computes which lists a change enters and leaves.
  case own
  /// The harness provides it, from the ground truth.
  ///
  /// Such a cache is never ranked together with one that computes it.
  case given

  private static let mark = "@given"

  /// Returns the list membership of a cache by its name: `mine@given`, or the cache's own.
  package init(ofCache name: String) { self = name.hasSuffix(Self.mark) ? .given : .own }

  /// Returns the name of a cache without that suffix.
  package static func plainName(ofCache name: String) -> String {
    ListMembership(ofCache: name) == .given ? String(name.dropLast(mark.count)) : name
  }
}

/// The effect of one event on one list, for a cache that is given list membership.
package struct ListChange: Hashable, Sendable {
  package var query: Int
  package var content: Content

  package enum Content: Hashable, Sendable {
    /// First remove the objects that left, then insert those that entered or moved, each at its position from
    /// 0, in this order.
    case moved(left: [UInt32], entered: [Entry])
    /// Only the server knows the list's rows now.
    case unknown
  }

  package struct Entry: Hashable, Sendable {
    package var object: UInt32
    package var place: Int
  }
}

/// The effect of a server's change on one list, whether or not it is sent.
package struct ListStep: Sendable {
  var query: Int
  var left: [UInt32] = []
  var entered: [ListChange.Entry] = []
  /// The changes that a cache needs to show the current list.
  private var needed: [UInt32] = []

  /// `nil` if the change does not affect the list.
  ///
  /// - Parameters:
  ///   - query: the list's number.
  ///   - before: its objects in order.
  ///   - after: its objects after the change.
  ///   - changed: whether the change gave an object another state.
  package init?(_ query: Int, from before: [UInt32], to after: [UInt32], changed: (UInt32) -> Bool)
  {
    self.query = query
    let wasThere = Set(before)
    let isThere = Set(after)
    let stayed = after.filter { wasThere.contains($0) }
    let hasMoved = before.filter { isThere.contains($0) } != stayed
    left = before.filter { !isThere.contains($0) || hasMoved && changed($0) }
    for (place, object) in after.enumerated() {
      let isNew = !wasThere.contains(object)
      if isNew || hasMoved && changed(object) {
        entered.append(ListChange.Entry(object: object, place: place))
      }
      if isNew || changed(object) { needed.append(object) }
    }
    if left.isEmpty, entered.isEmpty, needed.isEmpty { return nil }
  }

  /// Returns the change to send with an event that contains the rows of some objects; `nil` if there is none.
  package func told(with objects: Set<UInt32>) -> ListChange? {
    guard needed.allSatisfy({ objects.contains($0) }) else {
      return ListChange(query: query, content: .unknown)
    }
    if left.isEmpty, entered.isEmpty { return nil }
    return ListChange(query: query, content: .moved(left: left, entered: entered))
  }
}

/// The effect of each change of a workload on the lists that a client has requested.
struct TruthOfLists: Sendable {
  private var isAsked: [Bool]
  /// Looked up by the index of a mutation, never iterated.
  private var steps: [Int: [ListStep]] = [:]

  init(_ input: Simulation) {
    isAsked = Array(repeating: false, count: input.workload.queries.count)
  }

  /// Returns why a workload cannot provide list membership; `nil` if it can.
  static func obstacle(_ workload: Workload) -> String? {
    if workload.truth == .observed { return "only what an app showed is known of its lists" }
    if !workload.writes.isEmpty { return "its users write" }
    let besides = workload.mutations.contains { !$0.isPlaced && !$0.items.isEmpty }
    return besides ? "some of its changes are not in the stream of events" : nil
  }

  /// Notes that the client requests a query: it receives the query's changes from now on.
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

  /// Returns the effect of an event with the rows of some objects on the requested lists, in the order of
  /// queries.
  ///
  /// O(log(mutations)), plus the affected lists.
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
