import CacheModel
import NormalizedCache
import Testing
import Workloads

@testable import CacheSimulation

/// The schema of the cache and the simulated server read a model each in its own way.
@Suite("The two interpreters of a model")
struct InterpreterTests {
  /// The rows of a query by the schema alone: every current state is tested, the members are sorted.
  private static func rows(
    of query: Int, _ simulation: Simulation, _ current: [UInt32?]
  ) -> [UInt32] {
    let schema = simulation.schema
    let plan = schema.plan(for: simulation.keys[query])
    let objects = simulation.workload.catalog.objects
    let members = current.enumerated().compactMap { object, revision -> Handle? in
      guard let revision else { return nil }
      let handle = Handle(object: UInt32(object), revision: revision)
      let belongs = schema.belongs(handle, key: objects[object], in: plan.predicate)
      return belongs == .member ? handle : nil
    }
    let sorted = members.sorted {
      schema.precedes(
        $0, key: objects[Int($0.object)], $1, key: objects[Int($1.object)], in: plan.predicate)
    }
    return sorted.prefix(plan.limit ?? .max).map(\.revision)
  }

  /// How many answers of a schema and a server differ, over the time of a workload.
  private static func disagreements(
    schema: Simulation, server: Simulation
  ) -> (compared: Int, found: [String]) {
    let workload = server.workload
    var truth = SimulatedServer(workload, order: server.order)
    var current = [UInt32?](repeating: nil, count: workload.catalog.objects.count)
    for revision in 0..<workload.catalog.initialCount {
      current[Int(workload.catalog.revisions[revision].object)] = UInt32(revision)
    }
    var found: [String] = []
    var compared = 0
    for (index, mutation) in workload.mutations.enumerated() {
      truth.advance(to: mutation.at)
      for item in workload.items[mutation.items] {
        current[Int(item.object)] = item.revision == MutationItem.deleted ? nil : item.revision
      }
      for query in workload.queries.indices where (query + index) % 3 == 0 {
        let answer = truth.answer(query)
        let own = rows(of: query, schema, current)
        compared += 1
        if answer.rows.map(\.revision) != own {
          found.append("\(workload.queries[query]) at \(index)")
        }
      }
    }
    return (compared, found)
  }

  @Test("agree on every list of random models, states and queries", arguments: 0..<60)
  func agree(seed: Int) {
    var random = RandomModel(seed: UInt64(seed))
    let simulation = Simulation(of: random.workload(commits: 40))
    let (compared, found) = Self.disagreements(schema: simulation, server: simulation)
    #expect(compared > 100)
    #expect(found == [], "\(random.model)")
  }

  /// How often a schema and a server differ on states seen in summaries.
  private static func differencesInSummaries(
    schema: Simulation, server: Simulation
  ) -> (compared: Int, found: Int) {
    let revisions = server.workload.catalog.revisions
    guard !server.seen.isEmpty, !schema.seen.isEmpty else { return (0, 0) }
    var compared = 0
    var found = 0
    let truth = SimulatedServer(server.workload, order: server.order)
    for query in server.workload.queries.indices {
      let plan = schema.schema.plan(for: schema.keys[query])
      compared += 1
      if plan.showsSummaries != truth.row(0, of: query).payload.isSummary { found += 1 }
    }
    for (state, revision) in revisions.enumerated() {
      let handle = Handle(object: revision.object, revision: UInt32(state))
      if schema.schema.weight(of: handle.summary) != server.seen.bytes(ofSummary: UInt32(state)) {
        found += 1
      }
      for (other, next) in revisions.enumerated() where next.object == revision.object {
        let latter = Handle(object: revision.object, revision: UInt32(other))
        compared += 1
        let areEqual = schema.schema.areEqual(handle.summary, latter)
        if areEqual != server.seen.areAlike(UInt32(state), UInt32(other)) { found += 1 }
      }
    }
    return (compared, found)
  }

  @Test("agree on states seen in summaries", arguments: 0..<30 as Range<UInt64>)
  func agreeOnSummaries(seed: UInt64) {
    var random = RandomModel(seed: seed)
    let simulation = Simulation(of: random.workload(commits: 60))
    let (compared, found) = Self.differencesInSummaries(schema: simulation, server: simulation)
    #expect(found == 0, "\(random.model)")
    #expect(simulation.seen.isEmpty || compared > 50)
  }

  /// A slip in how one of the two reads summaries.
  enum SummarySlip: CaseIterable {
    case field, size, level

    func plant(in model: inout DataModel) {
      switch self {
      case .field:
        for type in model.types.indices { model.types[type].summary?.fields.removeLast() }
      case .size:
        for type in model.types.indices {
          model.types[type].summary?.size = .share(millionths: 500_000)
        }
      case .level:
        for shape in model.shapes.indices { model.shapes[shape].showsSummaries.toggle() }
      }
    }
  }

  @Test(
    "a slip in how either reads summaries is found", arguments: SummarySlip.allCases, [true, false])
  func findsSummarySlip(slip: SummarySlip, inSchema: Bool) {
    let isFound = (0..<20 as Range<UInt64>).contains { seed in
      var random = RandomModel(seed: seed)
      let workload = random.workload(commits: 60)
      var other = workload
      slip.plant(in: &other.model)
      let (right, wrong) = (Simulation(of: workload), Simulation(of: other))
      let result =
        inSchema
        ? Self.differencesInSummaries(schema: wrong, server: right)
        : Self.differencesInSummaries(schema: right, server: wrong)
      return result.found > 0
    }
    #expect(isFound)
  }

  /// A mistake in the data that one of the two reads.
  enum Slip: CaseIterable {
    case order, comparison, flag, secondField, missingCondition

    /// The model with the mistake; `nil` if it has no place for it.
    func planted(in model: DataModel) -> DataModel? {
      var slipped = model
      for place in slipped.shapes.indices { apply(&slipped.shapes[place]) }
      return slipped == model ? nil : slipped
    }

    private func apply(_ shape: inout QueryShape) {
      switch self {
      case .order: shape.order[0].isDescending.toggle()
      case .secondField: if shape.order.count > 1 { shape.order.removeLast() }
      case .missingCondition: if shape.conditions.count > 1 { shape.conditions.removeLast() }
      case .comparison:
        shape.conditions = shape.conditions.map {
          guard case .compares(let member, .less, let constant) = $0 else { return $0 }
          return .compares(member, .atMost, constant)
        }
      case .flag:
        shape.conditions = shape.conditions.map {
          guard case .flag(let member, let isSet) = $0 else { return $0 }
          return .flag(member, !isSet)
        }
      }
    }
  }

  @Test("a slip in either is found", arguments: Slip.allCases, [true, false])
  func findsSlip(slip: Slip, inSchema: Bool) {
    var isFound = false
    for seed in 0..<60 as Range<UInt64> where !isFound {
      var random = RandomModel(seed: seed)
      let workload = random.workload(commits: 40)
      guard let model = slip.planted(in: workload.model) else { continue }
      var other = workload
      other.model = model
      let right = Simulation(of: workload)
      let wrong = Simulation(of: other)
      let result =
        inSchema
        ? Self.disagreements(schema: wrong, server: right)
        : Self.disagreements(schema: right, server: wrong)
      isFound = !result.found.isEmpty
    }
    #expect(isFound)
  }

  @Test("An entity that belongs in a query is in the query's scope", arguments: 0..<20)
  func scopes(seed: Int) {
    var random = RandomModel(seed: UInt64(seed))
    let workload = random.workload(commits: 30)
    let schema = Simulation(of: workload).schema
    let keys = Simulation(of: workload).keys
    for (revision, state) in workload.catalog.revisions.enumerated() {
      let key = workload.catalog.objects[Int(state.object)]
      let handle = Handle(object: state.object, revision: UInt32(revision))
      var scopes: [QueryScope] = []
      schema.forEachScope(of: handle, key: key) { scopes.append($0) }
      #expect(Set(scopes).count == scopes.count)
      for query in workload.queries.indices {
        let plan = schema.plan(for: keys[query])
        guard schema.belongs(handle, key: key, in: plan.predicate) == .member else { continue }
        #expect(scopes.contains(plan.scope), "\(workload.queries[query])")
      }
    }
  }
}
