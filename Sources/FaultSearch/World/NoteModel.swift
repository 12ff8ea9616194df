import CacheModel
import CacheSimulation
import NormalizedCache
import Workloads

/// Declared shapes as the cache under test knows them: through the schema that simulated caches have.
package final class NoteModel: Sendable {
  private let schema: SimulationSchema
  /// By shape, then variant.
  private let plans: [QueryPlan<QueryPredicate>]

  init(_ declaration: NoteDeclaration) {
    let schema = SimulationSchema(of: declaration.workload)
    self.schema = schema
    plans = declaration.queries.map { query in
      schema.plan(
        for: QueryKey(
          library: .test, method: query.kind.method, input: QueryInput.encode(query)))
    }
  }

  private func plan(_ shape: Int, _ variant: Int) -> QueryPlan<QueryPredicate> {
    plans[shape * NoteShape.variants + variant]
  }

  /// - Precondition: the state is one that declared notes have; a generator has drawn it, or a reader has
  ///   checked it.
  private func handle(_ note: Note, _ key: EntityKey) -> Handle {
    guard let state = NoteDeclaration.state(of: note, at: key) else {
      preconditionFailure("a note that no declared query knows")
    }
    return Handle(object: NoteDeclaration.object(of: key), revision: state)
  }

  func plan(for query: NoteQuery, shape: Int, variant: Int) -> QueryPlan<NoteQuery> {
    let plan = plan(shape, variant)
    return QueryPlan(
      predicate: query, scope: plan.scope, limit: plan.limit, resourceTypes: plan.resourceTypes,
      isCacheable: plan.isCacheable, showsSummaries: plan.showsSummaries)
  }

  func forEachScope(of note: Note, key: EntityKey, _ body: (QueryScope) -> Void) {
    schema.forEachScope(of: handle(note, key), key: key, body)
  }

  func belongs(_ note: Note, key: EntityKey, shape: Int, variant: Int) -> MatchResult {
    schema.belongs(handle(note, key), key: key, in: plan(shape, variant).predicate)
  }

  func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey, shape: Int, variant: Int
  ) -> Bool {
    schema.precedes(
      handle(lhs, lhsKey), key: lhsKey, handle(rhs, rhsKey), key: rhsKey,
      in: plan(shape, variant).predicate)
  }
}

/// A slip in how the cache under test reads a declared model; each is what somebody might write by
/// mistake.
package enum ModelSlip: String, Hashable, Sendable, CaseIterable {
  case secondOrderForgotten
  case descendingForgotten
  case boundShifted
  case flagForgotten
  case cursorForgotten
  case otherTypesListed

  func plant(in declaration: inout NoteDeclaration) {
    for place in declaration.model.shapes.indices {
      switch self {
      case .secondOrderForgotten: declaration.model.shapes[place].order.removeSubrange(1...)
      case .descendingForgotten:
        declaration.model.shapes[place].order[0].isDescending = false
      case .boundShifted:
        let conditions = declaration.model.shapes[place].conditions
        declaration.model.shapes[place].conditions = conditions.map { condition in
          guard case .compares(let member, let comparison, let number) = condition else {
            return condition
          }
          switch comparison {
          case .less: return .compares(member, .atMost, number)
          case .greater: return .compares(member, .atLeast, number)
          default: return condition
          }
        }
      case .flagForgotten:
        declaration.model.shapes[place].conditions.removeAll {
          if case .flag = $0 { true } else { false }
        }
      case .otherTypesListed: declaration.model.shapes[place].types = [0, 1]
      case .cursorForgotten: break
      }
    }
    guard self == .cursorForgotten else { return }
    for place in declaration.queries.indices {
      declaration.queries[place].after = .max
    }
  }
}
