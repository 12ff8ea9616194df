package import CacheModel
package import EvictionPolicies
package import ResultModel
package import Workloads

/// What became of one read of a user's.
package struct ReadRecord: Hashable, Sendable {
  /// The client's place in the workload.
  package var client: Int
  /// The action of the client's script that made it.
  package var action: Int
  /// When it was made, in nanoseconds of virtual time.
  package var at: Int64
  package var subject: Subject
  /// The metric that counts such reads.
  package var outcome: Metric
  /// For how long it waited, in nanoseconds; `nil` where no answer came.
  package var waited: Int64?
  /// For how long what it was served had not been the truth, in nanoseconds; `nil` where it was.
  package var age: Int64?
  /// How what it was served differs from the truth; `nil` where it does not, and after a wait.
  package var difference: RowDifference?

  package enum Subject: Hashable, Sendable {
    case query(QuerySpec)
    /// A place in `Catalog.objects`.
    case entity(UInt32)
  }

  init(_ read: Read, _ outcome: Outcome, client: Int, at now: Int64, queries: [QuerySpec]) {
    self.client = client
    action = read.action
    at = read.since
    subject = read.query.map { .query(queries[$0]) } ?? .entity(read.object)
    self.outcome = outcome.metric
    waited = outcome == .failed ? nil : now - read.since
    age = read.age
    difference = read.difference
  }
}

extension Simulation {
  /// What became of each read of a policy's users that counts, client by client, in the order of their
  /// scripts.
  ///
  /// - Throws: what ``run(policy:composition:order:timelineParts:)`` throws.
  package func reads(
    policy: String, composition: CachePolicy, order: EvictionPolicyDescriptor? = nil
  ) throws -> [ReadRecord] {
    try run(policy: policy, composition: composition, order: order, notesReads: true).reads
  }

  /// A read's subject as the model has it: the query with what it is about, or the entity.
  package func name(of subject: ReadRecord.Subject) -> String {
    switch subject {
    case .entity(let object): return name(ofObject: object)
    case .query(let spec):
      guard let shape = workload.model.shape(of: spec.kind) else { return "" }
      var name = shape.name
      if spec.prefixLength > 0 {
        let letters = LetterCode.decode(spec.subject).prefix(Int(spec.prefixLength))
        name += "(\(letters))"
      } else if shape.subjectType != nil {
        name += "(\(spec.subject))"
      }
      if spec.after != Revision.noObject { name += " after \(spec.after)" }
      return name
    }
  }

  private func name(ofObject object: UInt32) -> String {
    let type = Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
    let types = workload.model.types
    return types.indices.contains(type) ? "\(types[type].name) \(object)" : "\(object)"
  }
}
