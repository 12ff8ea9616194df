import CacheModel
import Workloads

/// The appearance of states in lists of summaries: states that look alike there are equally current.
///
/// Part of the server, the ground truth: it reads states independently of the cache's schema. Empty if no
/// query of the model shows summaries.
struct SeenStates: Sendable {
  /// Whether each query lists summaries.
  private let isOfSummaries: [Bool]
  /// For each state, the first state of its object with an equal summary.
  private let first: [UInt32]
  /// The bytes of each state's summary.
  private let bytes: [Int32]

  /// O(states).
  init(of workload: Workload) {
    let model = workload.model
    guard model.hasSummaries else {
      isOfSummaries = []
      first = []
      bytes = []
      return
    }
    isOfSummaries = workload.queries.map { model.showsSummaries($0.kind) }
    let columns = StateColumns(workload.catalog)
    var firstOfLook: [[UInt64]: UInt32] = [:]
    var first: [UInt32] = []
    var bytes: [Int32] = []
    for (state, revision) in workload.catalog.revisions.enumerated() {
      let type = model.types[Int(columns.type(of: state).rawValue) - 1]
      let whole = Int(revision.bytes)
      bytes.append(Int32(type.summary?.bytes(ofWhole: whole) ?? whole))
      guard let summary = type.summary else {
        first.append(UInt32(state))
        continue
      }
      var look = [UInt64(revision.object)]
      for field in summary.fields {
        columns.appendLook(of: type.fields[field], of: state, to: &look)
      }
      let known = firstOfLook[look] ?? UInt32(state)
      firstOfLook[look] = known
      first.append(known)
    }
    self.first = first
    self.bytes = bytes
  }

  var isEmpty: Bool { isOfSummaries.isEmpty }

  /// Returns whether a query lists summaries.
  @inline(__always) func areSummaries(_ query: Int) -> Bool {
    !isOfSummaries.isEmpty && isOfSummaries[query]
  }

  /// Returns what a query can show of a value; `nil`: the query needs more.
  @inline(__always) func shown(_ value: Handle?, in query: Int) -> Handle? {
    guard let value, value.isSummary, !areSummaries(query) else { return value }
    return nil
  }

  func bytes(ofSummary state: UInt32) -> Int { Int(bytes[Int(state)]) }

  /// Returns the appearance of rows in a query: equal if the user sees no difference.
  func look(of rows: [Handle], in query: Int) -> [Handle] {
    areSummaries(query) ? rows.map { look(of: $0) } : rows
  }

  /// Returns whether two rows look alike in a query.
  func areAlike(_ lhs: Handle, _ rhs: Handle, in query: Int) -> Bool {
    areSummaries(query) ? look(of: lhs) == look(of: rhs) : lhs == rhs
  }

  /// Returns the first state of its object with an equal summary.
  func look(ofState state: UInt32) -> UInt32 { isEmpty ? state : first[Int(state)] }

  /// Returns whether two states of an object have equal summaries.
  func areAlike(_ lhs: UInt32, _ rhs: UInt32) -> Bool { first[Int(lhs)] == first[Int(rhs)] }

  private func look(of row: Handle) -> Handle {
    row.hasValue ? Handle(object: row.object, revision: first[Int(row.revision)]) : row
  }
}

extension StateColumns {
  /// Appends the appearance of a field, so that equal numbers mean an equal appearance.
  func appendLook(of field: ModelField, of state: Int, to look: inout [UInt64]) {
    let member = QueryShape.Member(field)
    switch field.content {
    case .one: look.append(UInt64(reference(member, of: state) ?? Revision.noObject))
    case .many:
      let range = references(member, of: state)
      look.append(UInt64(range.count))
      for index in range { look.append(UInt64(label(index))) }
    default: look.append(number(member, of: state))
    }
  }
}
