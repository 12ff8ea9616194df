import CacheModel
import Workloads

/// What is seen of a state in lists of summaries: two that look alike there are the same truth.
///
/// Part of the server, which is the truth: it reads states in its own way, and not by the cache's schema.
/// Empty where no query of the model shows summaries.
struct SeenStates: Sendable {
  /// By query: whether it lists summaries.
  private let isOfSummaries: [Bool]
  /// By state: the first state of its object that looks the same in a summary.
  private let first: [UInt32]
  /// By state: the bytes of its summary.
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

  /// Whether a query lists summaries.
  @inline(__always) func areSummaries(_ query: Int) -> Bool {
    !isOfSummaries.isEmpty && isOfSummaries[query]
  }

  /// What of a value a query can show; `nil`: it is less than the query shows.
  @inline(__always) func shown(_ value: Handle?, in query: Int) -> Handle? {
    guard let value, value.isSummary, !areSummaries(query) else { return value }
    return nil
  }

  /// The bytes of a state's summary.
  func bytes(ofSummary state: UInt32) -> Int { Int(bytes[Int(state)]) }

  /// Rows as they look in a query: equal where the user sees no difference.
  func look(of rows: [Handle], in query: Int) -> [Handle] {
    areSummaries(query) ? rows.map { look(of: $0) } : rows
  }

  /// Whether two rows look alike in a query.
  func areAlike(_ lhs: Handle, _ rhs: Handle, in query: Int) -> Bool {
    areSummaries(query) ? look(of: lhs) == look(of: rhs) : lhs == rhs
  }

  /// The first state of its object that looks like a state in a summary.
  func look(ofState state: UInt32) -> UInt32 { isEmpty ? state : first[Int(state)] }

  /// Whether two states of an object look alike in a summary.
  func areAlike(_ lhs: UInt32, _ rhs: UInt32) -> Bool { first[Int(lhs)] == first[Int(rhs)] }

  private func look(of row: Handle) -> Handle {
    row.hasValue ? Handle(object: row.object, revision: first[Int(row.revision)]) : row
  }
}

extension StateColumns {
  /// Adds what is seen of a field, so that equal numbers are an equal look.
  fileprivate func appendLook(of field: ModelField, of state: Int, to look: inout [UInt64]) {
    let member = QueryShape.Member(field)
    switch field.content {
    case .integer, .time, .text, .flag: look.append(number(member, of: state))
    case .one: look.append(UInt64(reference(member, of: state) ?? Revision.noObject))
    case .many:
      let range = references(member, of: state)
      look.append(UInt64(range.count))
      for index in range { look.append(UInt64(label(index))) }
    }
  }
}
