import CacheModel
import CacheTestSupport
import Testing

@testable import WorkloadExplanation
@testable import Workloads

/// Draws an app, records it, and estimates it from the recording: each figure must come back.
@Suite("A scenario fitted to the recording of an app")
struct AppFitTests {
  /// A scenario, its recording read back, and the scenario fitted to that.
  struct RoundTrip: Sendable {
    let declared: Scenario
    let recorded: Workload
    let text: String
    let fitted: Scenario
    let drawn: Workload

    init(between: VisitSection.Between) throws {
      let yaml = AppFitTests.yaml(between: between)
      // One is as long as it takes for 10,000 reads; that suffices to see that they are enough.
      declared = try AppFitTests.scenario(
        between == .suspended ? yaml : yaml.replacing("duration: 60 h", with: "duration: 36 h"))
      recorded = try SessionRecording.read(
        SessionRecording.write(Workload.generate(declared, seed: 5)))
      var fit = AppFit(recorded)
      try fit.adjust()
      text = fit.text
      fitted = try fit.scenario()
      drawn = Workload.generate(fitted)
    }

    func deviations(of fitted: Scenario, drawn: Workload) -> [String] {
      AppFitTests.deviations(of: fitted, drawn, from: declared, recorded)
    }
  }

  static let suspended = Result { try RoundTrip(between: .suspended) }
  static let connected = Result { try RoundTrip(between: .connected) }

  static func yaml(between: VisitSection.Between) -> String {
    """
    name: talk
    duration: 60 h
    drain: 1 min
    data:
      entities:
        user: {count: 100 users, size: 300 B, has: {name: text}}
        room:
          count: 300 rooms
          size: {mean: 500 B, deviation: 60 B}
          has: {title: text, latest: {time: 20 d}, members: {many: user, mean: 4 users, zipf: 0.7}}
        message:
          count: 6_000 messages
          size: {median: 300 B, p99: 4 kB}
          has:
            room: {one: room, zipf: 0.9, cascade: yes}
            sent: {time: 60 d}
            body: text
            likes: {integer: 0..20, starts: 0}
            pinned: {flag: 5 %}
      queries:
        inbox:  {list: room, order: latest descending, first: 40 rows}
        thread: {list: message, where: room is subject, order: sent descending, page: 20 rows}
        pins:   {list: message, where: [room is subject, pinned], order: sent, first: 20 rows}
        liked:  {list: message, where: likes >= 3, order: [likes descending, sent], first: 20 rows}
        search: {list: message, where: body begins with typed, order: sent, first: 20 rows}
      operations:
        post:   {create: message, touch: room.latest}
        rename: {set: room.title, prefer: popular, zipf: 0.8}
        like:   {add: message.likes, prefer: newest, zipf: 0.9}
        pin:    {toggle: message.pinned}
        remove: {delete: message}
    writers:
      - {name: members, count: 3 devices, rate: 25/h,
         mix: {post: 50 %, rename: 20 %, like: 15 %, pin: 10 %, remove: 5 %}}
    users:
      - name: phone
        clients: 4 clients
        visits: {rate: 150/d, length: 100 s, between: \(between.rawValue)}
        think: 4 s
        watched: [liked]
        mix: {glance: 30 %, read: 55 %, look: 10 %, find: 5 %}
        activities:
          glance: [visit: inbox, {open: 0.3 rows}]
          read: [{visit: thread, zipf: 1.0, revisit: 40 %}, {page-on: 0.4 pages}, {open: 0.6 rows}]
          look: [{visit: pins, zipf: 0.7}, {open: 0.3 rows}]
          find: [{type: search, letters: 4 letters}, {open: 0.5 rows}]
    network: {heartbeat: 5 min}
    policies: [lru]
    """
  }

  static func scenario(_ text: String) throws -> Scenario {
    try Scenario.parse(Array(text.utf8), file: "talk.yaml", vocabulary: .unchecked)
  }

  /// The exponent by which an app's users visit a query.
  private static func exponent(_ scenario: Scenario, _ query: String) -> Double? {
    for step in scenario.users.flatMap(\.activities).flatMap(\.steps) {
      guard case .visit(let shape, .popular(let exponent), _) = step.action,
        scenario.model.shapes[shape].name == query
      else { continue }
      return exponent
    }
    return nil
  }

  /// The share of an operation among all that others do, by what it does.
  private static func mix(
    _ scenario: Scenario, _ isMeant: (OperationDeclaration.Effect) -> Bool
  ) -> Double {
    zip(scenario.model.operations, scenario.writers[0].mix).filter { isMeant($0.0.effect) }
      .reduce(0) { $0 + $1.1 }
  }

  /// The figures that are off: by more than a tenth, exponents by more than 0.1.
  static func deviations(
    of own: Scenario, _ drawn: Workload, from wanted: Scenario, _ recorded: Workload
  ) -> [String] {
    var names: [String] = []
    func compare(_ name: String, _ found: Double?, _ wanted: Double?, within tolerance: Double) {
      guard let found, let wanted, abs(found - wanted) <= tolerance else {
        names.append(
          "\(name): \(found.map { FittedText.number($0) } ?? "none")"
            + " for \(wanted.map { FittedText.number($0) } ?? "none")")
        return
      }
    }
    func compare(_ name: String, _ found: Double?, _ wanted: Double) {
      compare(name, found, wanted, within: 0.1 * wanted)
    }
    guard own.writers.count == wanted.writers.count, own.users.count == wanted.users.count
    else { return ["groups"] }
    func seconds(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds) / 1e9 }
    for (own, wanted) in zip(own.writers, wanted.writers) {
      compare("devices", Double(own.count), Double(wanted.count), within: 0)
      compare("rate", own.rate, wanted.rate)
    }
    compare(
      "creations", mix(own) { if case .create = $0 { true } else { false } },
      mix(wanted) { if case .create = $0 { true } else { false } })
    for (own, wanted) in zip(own.users, wanted.users) {
      compare("clients", Double(own.clients), Double(wanted.clients), within: 0)
      compare("think", seconds(own.think.mean), seconds(wanted.think.mean))
      compare("visits", own.visits?.rate, wanted.visits?.rate ?? 0)
      compare("visit length", own.visits.map { seconds($0.length) }, 100)
      if own.visits?.between != wanted.visits?.between { names.append("between") }
      if own.watched != wanted.watched { names.append("watched") }
    }
    for query in ["thread", "pins"] {
      compare(
        "exponent of \(query)", exponent(own, query), exponent(wanted, query), within: 0.1)
    }
    let (was, now) = (WorkloadSummary(of: recorded), WorkloadSummary(of: drawn))
    func share(_ part: Int, _ whole: Int) -> Double { Double(part) / Double(max(1, whole)) }
    compare(
      "seen before", share(now.seenBefore, now.queryReads), share(was.seenBefore, was.queryReads))
    compare("reads", Double(now.reads), Double(was.reads))
    compare(
      "mean size", share(now.bytesAtStart, now.objectsAtStart),
      share(was.bytesAtStart, was.objectsAtStart))
    let (before, after) = (SessionProfile(of: recorded), SessionProfile(of: drawn))
    compare("new commits", after.newCommitShare, before.newCommitShare ?? 0)
    compare("new content", after.newReadShare, before.newReadShare ?? 0)
    return names
  }

  @Test("An entity seen only in answers was never lost; one first seen there existed before")
  func seenInAnswers() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    workload.truth = .observed
    for number in workload.mutations.indices { workload.mutations[number].isPlaced = false }
    for client in workload.clients.indices { workload.clients[client].deliveries = [] }
    let initial = Set(
      workload.catalog.revisions[..<workload.catalog.initialCount].map(\.object))
    let created = workload.items.filter {
      $0.revision != MutationItem.deleted && !initial.contains($0.object)
    }
    #expect(created.count > 0)
    let completed = workload.completed()
    #expect(
      completed.catalog.initialCount == initial.count + Set(created.map(\.object)).count)
    #expect(completed.catalog.revisions.count == workload.catalog.revisions.count)
    let network = NetworkFit(completed)
    #expect(network.loss.value == 0)
  }

  @Test("What the users of a recording wrote is counted, and is no work of others")
  func ownWrites() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    workload.truth = .observed
    #expect(AppFit(workload).text.contains("writers:"))
    for number in workload.mutations.indices { workload.mutations[number].author = 0 }
    let text = AppFit(workload).text
    #expect(text.contains("# What users wrote, "))
    #expect(!text.contains("writers:"))
  }

  @Test("Lists as shown are fitted with an order by change, or else by number")
  func asShown() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    workload.truth = .observed
    for shape in workload.model.shapes.indices {
      workload.model.shapes[shape].order = []
      workload.model.shapes[shape].name = "shop.list-\(shape)"
    }
    workload.model.types[0].name = "Größe"
    let read = try #require(
      workload.clients[0].actions.firstIndex {
        if case .observe = $0.kind { true } else { false }
      })
    workload.observedResults[ObservedRead(client: 0, action: read)] = Array(0..<7)
    let fit = AppFit(workload)
    #expect(fit.lack == nil)
    // The references of a list are recorded here, and say that it is longer.
    #expect(fit.text.contains("# Rows of a list: recorded 7 on average; in this file about "))
    let model = try fit.scenario().model
    #expect(model.types[0].name == "type-1")
    // The name of a query may have points.
    #expect(model.shapes.allSatisfy { $0.name.hasPrefix("shop.list-") })
    #expect(model.shapes.allSatisfy { $0.order.map(\.member.name) == ["changed"] })
  }

  @Test("Lists for which no reference is recorded are as long as the recorded ones")
  func listsWithoutReason() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    workload.truth = .observed
    for shape in workload.model.shapes.indices { workload.model.shapes[shape].order = [] }
    let catalog = workload.catalog
    let shelf = try #require(workload.model.types[1].field(named: "shelf"))
    var products: [UInt32] = []
    for (state, revision) in catalog.revisions.enumerated()
    where catalog.objects[Int(revision.object)].type == DataModel.resourceType(ofType: 1) {
      let slot = Int(catalog.valueStarts[state]) + shelf.slot
      workload.catalog.values[slot] = UInt64(Revision.noObject)
      if state < catalog.initialCount { products.append(UInt32(state)) }
    }
    for (number, action) in workload.clients[0].actions.enumerated() {
      guard case .observe(let query) = action.kind,
        workload.queries[Int(query)].kind == DataModel.kind(ofShape: 1)
      else { continue }
      // Of 60 shelves with 3,000 products: each product is on two.
      workload.observedResults[ObservedRead(client: 0, action: number)] = Array(
        products.prefix(100))
    }
    let fit = AppFit(workload)
    #expect(fit.caution == nil)
    #expect(fit.text.contains("where: shelf includes subject"))
    let drawn = Workload.generate(try fit.scenario())
    let field = try #require(drawn.model.types[1].field(named: "shelf"))
    let lists = (0..<UInt32(drawn.catalog.initialCount)).filter {
      drawn.catalog.objects[Int(drawn.catalog.revisions[Int($0)].object)].type
        == DataModel.resourceType(ofType: 1)
    }.map { Double(LabelRange(word: drawn.catalog.word(field.slot, of: $0)).count) }
    #expect(abs(lists.reduce(0, +) / Double(lists.count) - 2) < 0.2)
  }

  @Test(
    "returns the values it was drawn from",
    arguments: [VisitSection.Between.suspended, .connected].prefix(Trials.count(1, of: 2)))
  func roundTrip(between: VisitSection.Between) throws {
    let trip = try (between == .suspended ? Self.suspended : Self.connected).get()
    let reads = WorkloadSummary(of: trip.recorded).queryReads
    #expect(reads >= (between == .suspended ? 10_000 : 6_000))
    #expect(trip.deviations(of: trip.fitted, drawn: trip.drawn) == [], "\(trip.text)")
  }

  @Test("A wrong estimate of any of them would be noticed")
  func noticesMistakes() throws {
    let trip = try Self.suspended.get()
    func deviations(_ change: (inout Scenario) -> Void, isDrawn: Bool = false) -> [String] {
      var wrong = trip.fitted
      change(&wrong)
      return trip.deviations(of: wrong, drawn: isDrawn ? Workload.generate(wrong) : trip.drawn)
        .map { String($0.prefix { $0 != ":" }) }
    }
    #expect(deviations { $0.writers[0].rate *= 1.2 } == ["rate"])
    #expect(deviations { $0.users[0].think.mean = .seconds(5) } == ["think"])
    #expect(deviations { $0.users[0].visits?.rate *= 0.8 } == ["visits"])
    #expect(deviations { $0.users[0].visits?.length = .seconds(150) } == ["visit length"])
    #expect(
      deviations { scenario in
        for index in scenario.users[0].activities.indices {
          guard
            case .visit(2, .popular(let exponent), let revisit) =
              scenario.users[0].activities[index].steps[0].action
          else { continue }
          scenario.users[0].activities[index].steps[0].action =
            .visit(shape: 2, .popular(exponent + 0.3), revisit: revisit)
        }
      } == ["exponent of pins"])
    let drawn = deviations(
      { scenario in
        for index in scenario.users[0].activities.indices {
          guard
            case .visit(1, let preference, _) =
              scenario.users[0].activities[index].steps[0].action
          else { continue }
          scenario.users[0].activities[index].steps[0].action =
            .visit(shape: 1, preference, revisit: 0.95)
        }
        for type in scenario.model.types.indices { scenario.model.types[type].size = .fixed(900) }
        scenario.writers[0].rate *= 2
      }, isDrawn: true)
    for name in ["rate", "seen before", "mean size", "new content"] {
      #expect(drawn.contains(name), "\(drawn)")
    }
  }

  @Test("has no name of a user or a device, no key and no text of the recording")
  func keepsSecrets() throws {
    let trip = try Self.suspended.get()
    #expect(!trip.text.contains("phone") && !trip.text.contains("talk"))
    for key in trip.recorded.catalog.objects.prefix(200) {
      #expect(!trip.text.contains(key.id.description))
    }
  }

  @Test("says how returns were chosen, and that the order of visits is not fitted")
  func returns() throws {
    let trip = try Self.suspended.get()
    let rest = "; their order is not fitted\n"
    #expect(trip.text.contains("# revisit: by the views seen before\(rest)"))
    #expect(AppFit(trip.recorded).text.contains("# revisit: the default\(rest)"))
  }

  @Test("of a recording in which little happens is a scenario nevertheless")
  func empty() throws {
    let short = Self.yaml(between: .suspended).replacing("duration: 60 h", with: "duration: 10 min")
    var fit = AppFit(Workload.generate(try Self.scenario(short)))
    try fit.adjust()
    #expect(try fit.scenario().users.count >= 1)
    #expect(fit.text.contains("# the default: "))
  }

  @Test("takes visits as they were observed if their pauses are too alike to be exponential")
  func alikePauses() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    let traits = QueryTraits(workload)
    let query = UInt32(try #require(traits.isTyped.firstIndex(of: false)))
    workload.clients[0].partitions = []
    workload.clients[0].actions = (0..<720).map { read in
      let at = Int64(read / 12) * 5_950_000_000 + Int64(read % 12) * 250_000_000
      return SessionAction(at: Instant(nanoseconds: at), kind: .read(query: query))
    }
    let client = workload.clients[0]
    let fit = PauseFit([UserSteps(client, traits)], [client], traits, end: 60 * 5_950_000_000)
    let visits = try #require(fit.visits)
    #expect(abs(visits.rate.value - 1 / 3.2) < 1e-9)
    #expect(abs(visits.length.value - 2.75e9) < 1)
  }

  @Test("has the summaries that lists show")
  func summaries() throws {
    let short = Self.yaml(between: .suspended).replacing("duration: 60 h", with: "duration: 1 h")
      .replacing("p99: 4 kB}", with: "p99: 4 kB}\n      summary: {has: [sent, likes], size: 80 B}")
      .replacing("page: 20 rows}", with: "page: 20 rows, shows: summary}")
    let declared = try Self.scenario(short)
    var fit = AppFit(
      try SessionRecording.read(SessionRecording.write(Workload.generate(declared))))
    try fit.adjust()
    let fitted = try fit.scenario()
    #expect(fitted.model.types.map(\.summary) == declared.model.types.map(\.summary))
    #expect(fitted.model.shapes == declared.model.shapes)
  }

  @Test("has the model, and the effects of its operations")
  func model() throws {
    let trip = try Self.suspended.get()
    let (own, wanted) = (trip.fitted, trip.declared)
    #expect(own.model.shapes == wanted.model.shapes)
    #expect(own.model.types.map(\.name) == wanted.model.types.map(\.name))
    #expect(trip.text.contains("likes: {integer: 0..20, starts: 0}"))
    for operation in wanted.model.operations {
      let same = own.model.operations.first { $0.effect == operation.effect }
      #expect(same?.touches == operation.touches, "\(operation.name)")
    }
  }

  @Test("knows where a user who went back is, and that it is gone back from there again")
  func stepsBack() throws {
    let steps = "visit: inbox, follow: thread, back: 100 %, follow: thread, back: 100 %"
    let yaml = Self.yaml(between: .suspended).replacing("duration: 60 h", with: "duration: 12 h")
      .replacing("glance: [visit: inbox, {open: 0.3 rows}]", with: "glance: [\(steps)]")
      .replacing("glance: 30 %, read: 55 %", with: "glance: 75 %, read: 10 %")
    let recorded = try SessionRecording.read(
      SessionRecording.write(Workload.generate(Self.scenario(yaml), seed: 5)))
    let fitted = try AppFit(recorded).scenario()
    let backs = fitted.users[0].activities.map { activity in
      activity.steps.count { if case .back = $0.action { true } else { false } }
    }
    #expect(backs.max() == 2)
  }
}
