import CacheModel
import CacheSimulation
package import Workloads

/// What the clients of a workload have in common, looked up by numbers.
package struct DesignInput: Sendable {
  package let workload: Workload
  /// The mean size of what exists at the beginning, in bytes.
  let meanEntityBytes: Int
  private let isKept: [Bool]
  /// By query: the types that it lists.
  private let listed: [[ResourceType]]

  package init(_ workload: Workload) {
    self.workload = workload
    let model = workload.model
    isKept = workload.queries.map { model.isCacheable($0) }
    listed = workload.queries.map { query in
      (model.shape(of: query.kind)?.types ?? []).map { DataModel.resourceType(ofType: $0) }
    }
    let initial = workload.catalog.revisions.prefix(workload.catalog.initialCount)
    let bytes = initial.reduce(0) { $0 + Int($1.bytes) }
    meanEntityBytes = initial.isEmpty ? 0 : bytes / initial.count
  }

  /// Whether an app keeps the answer to a request at all: not what the server answers every time, as a search
  /// for one letter.
  func isKept(_ target: CacheReply.Target) -> Bool {
    guard case .query(let query) = target else { return true }
    return isKept[query]
  }

  /// Whether a query may list something of these types.
  func lists(_ query: Int, any types: Set<ResourceType>) -> Bool {
    listed[query].contains { types.contains($0) }
  }

  func object(of state: UInt32) -> UInt32 { workload.catalog.revisions[Int(state)].object }

  func type(of object: UInt32) -> ResourceType? {
    let objects = workload.catalog.objects
    return objects.indices.contains(Int(object)) ? objects[Int(object)].type : nil
  }

  /// The bytes of rows as JSON.
  func bytes(of states: [UInt32]) -> Int {
    states.reduce(0) { $0 + Int(workload.catalog.revisions[Int($1)].bytes) }
  }

  func rows(_ states: [UInt32]) -> [ServedRow] {
    states.map { ServedRow(object: Int(object(of: $0)), version: Int($0)) }
  }
}
