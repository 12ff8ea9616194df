package import CacheModel
import Text

/// A group of similar devices that change the data of an app: their writes arrive as events.
package struct WritersSection: Sendable {
  package var name = "others"
  package var count = 1
  /// The mean rate of operations of each device; arrivals are a Poisson process.
  package var rate = 0.0
  /// The shares of the model's operations, with a sum of one.
  package var mix: [Double] = []
  package var burst: BurstSection?
  /// The share of changes to existing entities that hits rows of lists opened by users, the others hitting
  /// none of those; `nil`: by each operation's preference.
  package var nearViews: Double?
  package var jobs: [JobSection] = []
  /// The origin of its batches.
  package var origin = EventOrigin.user
  var place: SourcePlace?
  /// The place of `batches-of`.
  private var originPlace: SourcePlace?
  private var nearViewsPlace: SourcePlace?

  package init() {}
}

extension WritersSection: ScenarioSection {
  static let fields: [Field<WritersSection>] = [
    .identifier("name", \.name, "name of the group"),
    .count("count", of: "devices", \.count, 1...1_000, "devices in the group"),
    .rate("rate", \.rate, 0...1_000, "mean rate of operations of each device"),
    Field(
      name: "mix", form: .shares("operation"), summary: "share of each operation"
    ) {
      let names = $2.model?.operations.map(\.name) ?? []
      $0.mix = $2.shares($1, of: names, what: "operation")
    },
    .section("burst", \.burst, startingFrom: BurstSection(), "trains of operations"),
    Field(
      name: "near-views", form: .share,
      summary: "share of changes to rows that users have opened"
    ) {
      $0.nearViewsPlace = $1.place
      $0.nearViews = $2.real($1, .share, in: 0...1)
    },
    .list(
      "jobs", \.jobs, startingFrom: JobSection(), limit: 20, "jobs that find new entities, and when"
    ),
    Field(
      name: "batches-of", form: .choice(EventOrigin.allCases.map(\.rawValue)),
      summary: "origin of its changes of several entities",
      initial: { $0.origin.rawValue }
    ) {
      $0.originPlace = $1.place
      let names = EventOrigin.allCases.map(\.rawValue)
      guard let name = $2.word($1, ofKey: "batches-of", among: names) else { return }
      $0.origin = EventOrigin(rawValue: name) ?? $0.origin
    },
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
    let hasMix = mix.contains { $0 > 0 }
    if rate == 0, burst == nil, hasMix || jobs.isEmpty {
      reader.report(
        place, jobs.isEmpty ? "the group does nothing" : "the group has a `mix` and no `rate`",
        "add `rate`, such as `40/h`, or `burst`")
    } else if rate > 0 || burst != nil, !hasMix {
      reader.report(
        place, "`mix` is missing", "add it: how often each operation, 100 % together")
    }
    if let nearViewsPlace, let model = reader.model {
      let changes = zip(model.operations, mix).contains { operation, share in
        if case .create = operation.effect { false } else { share > 0 }
      }
      if !changes {
        reader.report(
          nearViewsPlace, "`near-views` concerns changes of what exists, and the mix has none",
          "remove it")
      }
    }
    guard let originPlace, let model = reader.model, mix.contains(where: { $0 > 0 }) else { return }
    let hasBatches = zip(model.operations, mix).contains { $1 > 0 && $0.mayChangeSeveral }
    if !hasBatches {
      reader.report(
        originPlace, "`batches-of` concerns changes of several entities, and the group makes none",
        "remove it, or give an operation of its mix a `batch` or a `touch`")
    }
  }
}

extension ScenarioReader {
  /// Reads shares by name, in the order of the names; they must sum to 100 %.
  mutating func shares(_ node: SourceNode, of names: [String], what: String) -> [Double] {
    var shares = [Double](repeating: 0, count: names.count)
    guard case .mapping(let entries) = node.content else {
      report(
        node.place, "shares by \(what) are expected here, not \(node.kindName)",
        "write `{\(names.first ?? "name"): 100 %}`")
      return shares
    }
    let before = mistakes
    for entry in entries {
      guard let place = place(of: entry.key, at: entry.keyPlace, what: what, among: names)
      else { return shares }
      shares[place] = real(entry.value, .share, in: 0...1) ?? 0
    }
    // Shares that could not be read are missing from the sum.
    guard mistakes == before else { return shares }
    if shares.reduce(0, +) == 0 {
      report(node.place, "the shares add up to 0 %", "let them add up to 100 %")
    }
    checkSum(of: shares, at: node.place)
    return shares
  }
}

/// A job of a device: it finds entities, and revisits each of them in waves.
package struct JobSection: Sendable {
  package var at = Duration.minutes(1)
  /// The operation by which found entities are created.
  package var operation = 0
  /// The number of found entities.
  package var count = 1
  /// The number found per batch.
  package var batch = 1
  package var rate = 1.0
  /// The share next to existing entities; the rest is in a new tree.
  package var beside = 0.0
  package var waves: [WaveSection] = []
  /// The interval of progress notices, which concern no entity; `nil`: none.
  package var progress: Duration?
  package var announce = Announcement.items
  private var countNode: SourceNode?
  private var batchNode: SourceNode?
  private var besidePlace: SourcePlace?

  package init() {}

  package enum Announcement: String, CaseIterable, Sendable {
    case items
    /// A large batch becomes one notice of its location, without its items.
    case whole
  }

  /// The minimum number of items of a large batch.
  static let largeBatch = 1_000
}

extension JobSection: ScenarioSection {
  static let fields: [Field<JobSection>] = [
    .duration("at", \.at, .zero ... .days(30), "when the job begins"),
    Field(
      name: "do", form: .named("operation"),
      summary: "the operation that creates the entities that it finds"
    ) {
      guard let place = $2.operation($1) else { return }
      $0.operation = place
      guard case .create? = $2.model?.operations[place].effect else {
        return $2.report(
          $1.place, "a job finds what is new, and this operation changes what exists",
          "name one that creates; put later operations into `then`")
      }
    }.required(),
    .node(
      "count", \.countNode, "how many it finds", form: .count("", 1...1_000_000)
    ).required(),
    .node(
      "batch", \.batchNode, "how many it finds in one commit; 1 if absent",
      form: .count("", 1...10_000)),
    .rate("rate", \.rate, 0.001...1_000, "rate of those batches").required(),
    Field(
      name: "beside", form: .share,
      summary: "share found next to existing entities; the rest is in a new tree",
      initial: { Dimension.share.inWords($0.beside) }
    ) {
      $0.besidePlace = $1.place
      $0.beside = $2.real($1, .share, in: 0...1) ?? 0
    },
    .list(
      "then", \.waves, startingFrom: WaveSection(), limit: 8,
      "later operations on each of them, wave by wave"),
    .duration(
      "progress", \.progress, .milliseconds(100)...(.hours(1)),
      "time between notices of progress"),
    .choice(
      "announce", \.announce, "whether batches of 1,000 or more come without their items"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    guard let model = reader.model else { return }
    let type = model.operations[operation].effect.type
    let plural = Plural.of(model.types[type].name)
    if let countNode, let value = reader.whole(countNode, .count(plural), in: 1...1_000_000) {
      count = Int(value)
    }
    if let batchNode, let value = reader.whole(batchNode, .count(plural), in: 1...10_000) {
      batch = Int(value)
    }
    if let besidePlace, !model.types[type].fields.contains(where: { $0.tree != nil }) {
      reader.report(
        besidePlace, "`\(model.types[type].name)` lies in no tree", "remove `beside`")
    }
    for wave in waves {
      let own = model.operations[wave.operation].effect.type
      guard own != type else { continue }
      reader.report(
        wave.place,
        "the job finds `\(model.types[type].name)`, and this operation changes "
          + "`\(model.types[own].name)`", "name one that changes what the job finds")
    }
  }
}

/// One wave after a job: each found entity is changed in its turn.
package struct WaveSection: Sendable {
  package var operation = 0
  /// The rate of its batches, from the beginning of the job; `nil`: following the previous wave.
  package var rate: Double?
  package var batch = 1
  /// The flag that selects its entities, as a field; `nil`: all.
  package var when: Int?
  /// The delay after the previous wave.
  package var after = Duration.zero
  private(set) var place: SourcePlace?
  private var batchNode: SourceNode?
  private var whenNode: SourceNode?

  package init() {}
}

extension WaveSection: ScenarioSection {
  static let fields: [Field<WaveSection>] = [
    Field(name: "do", form: .named("operation"), summary: "the operation that changes each") {
      guard let place = $2.operation($1) else { return }
      $0.operation = place
      switch $2.model?.operations[place].effect {
      case .create, .delete:
        $2.report(
          $1.place, "a wave changes what the job found, and this operation does not",
          "name one with `set`, `add`, `toggle`, `link` or `unlink`")
      default: break
      }
    }.required(),
    .real(
      "rate", .rate, \.rate, 0.001...10_000, "rate of its batches, from the job's beginning on"),
    .node(
      "batch", \.batchNode, "how many it changes in one commit; 1 if absent",
      form: .count("", 1...10_000)),
    .node("when", \.whenNode, "the flag of those that it concerns", form: .named("field")),
    .duration("after", \.after, .zero ... .days(1), "time after the wave before it"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
    guard let model = reader.model else { return }
    let type = model.types[model.operations[operation].effect.type]
    if let batchNode,
      let value = reader.whole(batchNode, .count(Plural.of(type.name)), in: 1...10_000)
    {
      batch = Int(value)
    }
    guard let whenNode, let name = reader.scalar(whenNode),
      let field = reader.place(
        of: name, at: whenNode.place, what: "field of `\(type.name)`",
        among: type.fields.map(\.name))
    else { return }
    guard case .flag = type.fields[field].content else {
      return reader.report(
        whenNode.place, "`\(name)` is \(type.fields[field].content.word), and no flag",
        "name a flag of `\(type.name)`")
    }
    when = field
  }
}

extension ScenarioReader {
  /// Returns the index of an operation of the model by its name.
  fileprivate mutating func operation(_ node: SourceNode) -> Int? {
    scalar(node).flatMap {
      place(
        of: $0, at: node.place, what: "operation", among: model?.operations.map(\.name) ?? [])
    }
  }
}
