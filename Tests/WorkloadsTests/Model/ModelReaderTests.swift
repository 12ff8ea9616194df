import CacheModel
import Testing

@testable import WorkloadExplanation
@testable import Workloads

@Suite("Reading a declared model")
struct ModelReaderTests {
  @Test("Fields of one name have one slot, and those of one type slots of their own")
  func slots() throws {
    let model = try ShopTests.scenario([
      ("has: {name: text}}", "has: {added: time, color: integer, name: text}}")
    ]).model
    for name in ["name", "added"] {
      let slots = model.types.compactMap { $0.field(named: name)?.slot }
      #expect(slots.count == 2)
      #expect(Set(slots).count == 1)
    }
    for type in model.types {
      #expect(Set(type.fields.map(\.slot)).count == type.fields.count)
    }
  }

  @Test("A time to live may be given for a query of the model, and none is there by default")
  func timesToLive() throws {
    let yaml =
      ShopTests.text.replacing("60 shelves", with: "60 shelfs")
      + "\ncache: {time-to-live: {default: 60 s, products: 9 s}}\npolicies: [ttl]\n"
    let scenario = try Scenario.parse(
      Array(yaml.utf8), file: "f.yaml", vocabulary: .unchecked)
    let composition = try #require(scenario.composition(for: "ttl"))
    let kinds = (0..<8).map { DataModel.kind(ofShape: $0).method }
    let lifetimes = kinds.map { composition.freshness.lifetimeNanoseconds(of: $0) }
    #expect(lifetimes[1] == 9_000_000_000)
    #expect(lifetimes.enumerated().allSatisfy { $0.offset == 1 || $0.element == 60_000_000_000 })
  }
}

@Suite("An app")
struct ShopTests {
  static let text = """
    name: shop
    description: Few products are looked at by many.
    duration: 10 h
    data:
      entities:
        shelf: {count: 60 shelves, size: 300 B, has: {name: text}}
        product:
          count: 3_000 products
          size: {median: 600 B, p99: 4 kB}
          has: {shelf: {one: shelf, zipf: 0.8}, price: {integer: 100..9_999}, added: {time: 60 d},
                name: text, sale: {flag: 10 %}}
      queries:
        shelves:  {list: shelf, order: name, first: 60 rows}
        products: {list: product, where: shelf is subject, order: [price, added descending], page: 20 rows}
      operations:
        price:  {set: product.price, prefer: popular, zipf: 0.9}
        sale:   {toggle: product.sale, prefer: newest, zipf: 1.1}
        arrive: {create: product}
        leave:  {delete: product}
    writers:
      - {name: staff, count: 4 devices, rate: 200/h, mix: {price: 50 %, sale: 30 %, arrive: 12 %, leave: 8 %}}
    users:
      - name: buyer
        clients: 2 clients
        visits: {rate: 20/h, length: 60 s, between: suspended}
        think: 2 s
        mix: {stroll: 100 %}
        activities:
          stroll: [visit: shelves, follow: products, page-on: 0.5 pages, open: 1 rows]
    """

  static func scenario(_ changes: [(String, String)] = []) throws -> Scenario {
    let text = changes.reduce(text.replacing("60 shelves", with: "60 shelfs")) {
      $0.replacing($1.0, with: $1.1)
    }
    return try Scenario.parse(Array(text.utf8), file: "shop.yaml", vocabulary: .unchecked)
  }

  @Test("draws a workload that keeps every invariant", arguments: 1...3 as ClosedRange<UInt64>)
  func isSound(seed: UInt64) throws {
    let scenario = try Self.scenario()
    let workload = Workload.generate(scenario, seed: seed)
    #expect(violations(of: workload) == [])
    #expect(workload.clients.allSatisfy { $0.actions.count > 100 })
    #expect(workload.mutations.count > 5_000)
    #expect(Workload.generate(scenario, seed: seed) == workload)
    #expect(workload.catalog.valueStarts.count == workload.catalog.revisions.count)
  }

  @Test("is as large as was expected before it was drawn")
  func size() throws {
    let scenario = try Self.scenario()
    let size = WorkloadSize(of: scenario)
    let workload = Workload.generate(scenario)
    func isNear(_ estimate: Double, _ count: Int) -> Bool {
      (0.5...2).contains(estimate / Double(max(1, count)))
    }
    #expect(isNear(size.devices.reduce(0) { $0 + $1.operations }, workload.mutations.count))
    let actions = zip(scenario.users, size.sessions).reduce(0) {
      $0 + Double($1.0.clients) * $1.1.actions
    }
    #expect(isNear(actions, workload.clients.reduce(0) { $0 + $1.actions.count }))
    #expect(isNear(size.deliveries, workload.clients.reduce(0) { $0 + $1.deliveries.count }))
  }

  @Test("A page begins with the row after its cursor, whose row may have left the list")
  func pages() throws {
    var history = ServerHistory(
      try Self.scenario(), random: RandomSource(seed: 3).substream("history"))
    history.generate()
    var replay = HistoryReplay(history)
    func rows(_ shelf: Int, after cursor: UInt32 = Revision.noObject) -> [UInt32] {
      replay.rows(
        of: QuerySpec(
          kind: DataModel.kind(ofShape: 1), subject: UInt64(shelf), limit: 3_000, after: cursor))
    }
    let shelf = try #require((0..<60).max { rows($0).count < rows($1).count })
    var (former, left) = (rows(shelf), 0)
    for mutation in history.mutations {
      replay.advance(to: mutation.at.nanoseconds)
      let present = rows(shelf)
      defer { former = present }
      guard present.count < former.count,
        let place = zip(former, present).enumerated().first(where: { $1.0 != $1.1 })?.offset
      else { continue }
      left += 1
      #expect(rows(shelf, after: former[place]) == Array(former[(place + 1)...]))
      #expect(rows(shelf, after: present[place]) == Array(present[(place + 1)...]))
    }
    #expect(left > 20)
  }

  @Test("A step back that is made sometimes leaves a view to go back from")
  func stepsBack() throws {
    let steps = "back: 50 %, back: 100 %]"
    let scenario = try Self.scenario([("page-on: 0.5 pages, open: 1 rows]", steps)])
    #expect(violations(of: Workload.generate(scenario)) == [])
  }

  @Test("A stream that is drawn as declared agrees", arguments: 1...4 as ClosedRange<UInt64>)
  func agrees(seed: UInt64) throws {
    let scenario = try Self.scenario()
    let check = StreamCheck(Workload.generate(scenario, seed: seed), against: scenario)
    #expect(check.deviations.map(\.name) == [])
    #expect(check.figures.count { $0.verdict == .agrees } > 10)
  }

  @Test(
    "A stream of another exponent, rate, mix, size or share is refused",
    arguments: [
      ("shelf, zipf: 0.8", "shelf, zipf: 0.5", "product.shelf: exponent"),
      ("prefer: popular, zipf: 0.9", "prefer: popular, zipf: 1.2", "price: exponent of its choice"),
      (
        "prefer: newest, zipf: 1.1", "prefer: newest, zipf: 0.8",
        "sale: exponent of its preference for the newest"
      ),
      ("rate: 200/h", "rate: 230/h", "staff: operations of each"),
      ("price: 50 %, sale: 30 %", "price: 45 %, sale: 35 %", "staff: share of price"),
      ("median: 600 B", "median: 800 B", "product: share of at most 600 B"),
      ("p99: 4 kB", "p99: 9 kB", "product: share of at most 4 kB"),
      ("size: 300 B", "size: 301 B", "shelf: size"),
      ("flag: 10 %", "flag: 15 %", "product.sale: share set"),
      ("rate: 20/h", "rate: 30/h", "buyer: visits"),
      ("length: 60 s", "length: 90 s", "buyer: length of a visit"),
    ])
  func refuses(declared: String, drawn: String, figure: String) throws {
    let wrong = Workload.generate(try Self.scenario([(declared, drawn)]))
    let check = StreamCheck(wrong, against: try Self.scenario())
    #expect(check.deviations.map(\.name).contains(figure), "\(check.deviations.map(\.name))")
  }

  @Test("A list has as many different references as stated, however steep the choice")
  func references() throws {
    let steep = (
      "sale: {flag: 10 %}", "sale: {flag: 10 %}, seen: {many: shelf, mean: 4 shelfs, zipf: 0.9}"
    )
    let other = (
      "sale: {flag: 10 %}", "sale: {flag: 10 %}, seen: {many: shelf, mean: 4.6 shelfs, zipf: 0.9}"
    )
    let scenario = try Self.scenario([steep])
    func figure(_ drawn: Scenario) throws -> StreamCheck.Figure {
      let check = StreamCheck(Workload.generate(drawn), against: scenario)
      return try #require(check.figures.first { $0.name.hasPrefix("product.seen: references") })
    }
    let sound = try figure(scenario)
    #expect(sound.verdict == .agrees)
    // Some of the four are the same shelf.
    #expect(sound.declared < 3.9 && sound.declared > 3)
    #expect(try figure(Self.scenario([other])).verdict == .deviates)
    let text = ExplanationSection.declared(in: scenario).flatMap(\.lines).joined()
    #expect(text.contains("\(Words.about(sound.declared)) without repeats"))
  }

  @Test("A counter of a new entity begins where it is said to, and may leave its range")
  func counters() throws {
    let scenario = try Self.scenario([
      ("sale: {flag: 10 %}", "sale: {flag: 10 %}, sold: {integer: 5..9, starts: 0}"),
      (
        "price:  {set: product.price, prefer: popular, zipf: 0.9}",
        "price:  {add: product.sold, prefer: newest}"
      ),
    ])
    let workload = Workload.generate(scenario)
    let model = workload.model
    let place = try #require(model.types.firstIndex { $0.name == "product" })
    let slot = try #require(model.types[place].field(named: "sold")).slot
    func sold(_ revision: Int) -> Int64 {
      OrderedWord.number(
        workload.catalog.values[Int(workload.catalog.valueStarts[revision]) + slot])
    }
    var isKnown = Set<UInt32>()
    var (initial, new) = (0, 0)
    for (revision, state) in workload.catalog.revisions.enumerated()
    where Int(workload.catalog.objects[Int(state.object)].type.rawValue) - 1 == place
      && isKnown.insert(state.object).inserted
    {
      if revision < workload.catalog.initialCount {
        initial += 1
        #expect((5...9).contains(sold(revision)))
      } else {
        new += 1
        #expect(sold(revision) == 0)
      }
    }
    #expect(initial == 3_000 && new > 100)
    let text = Explanation(scenario, workload).lines(width: 100)
      .flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(text.contains("number from 5 to 9, 0 when new"))
    #expect(text.contains("product.sold leaves its declared range in "))
  }

  @Test("explain prints it in words, with rows, events and measured figures")
  func words() throws {
    let scenario = try Self.scenario()
    let lines = Explanation(scenario, Workload.generate(scenario)).lines(width: 100)
    // Long lines are broken.
    let text = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(text.contains("3,000 products, half of them under 600 B, 1 % over 4 kB."))
    #expect(text.contains("4 devices, each 200/h at random. Together 800 an hour"))
    #expect(text.contains("price: changes the price of a product, mostly popular ones (Zipf 0.9)."))
    #expect(text.contains("product.shelf: exponent"))
    #expect(lines.allSatisfy { $0.count <= 140 })
  }

  @Test("Entities are deleted with what they refer to under cascade")
  func cascade() throws {
    let scenario = try Self.scenario([
      ("shelf, zipf: 0.8", "shelf, zipf: 0.8, cascade: yes"),
      ("leave:  {delete: product}", "leave:  {delete: shelf}"),
    ])
    let workload = Workload.generate(scenario)
    #expect(violations(of: workload) == [])
    let deletions = workload.mutations.filter { $0.kind == .deleted }
    #expect(deletions.contains { $0.items.count > 10 })
  }
}
