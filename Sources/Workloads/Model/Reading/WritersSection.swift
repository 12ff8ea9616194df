package import CacheModel
import Text

/// A group of like devices that change the data of an app: what they write arrives as events.
package struct WritersSection: Sendable {
  package var name = "others"
  package var count = 1
  /// The mean rate of operations of each device; arrivals are a Poisson process.
  package var rate = 0.0
  /// By operation of the model, shares that add up to one.
  package var mix: [Double] = []
  package var burst: BurstSection?
  /// The share of the changes of what exists that fall on rows of lists that users have opened, the others
  /// on what none of those lists; `nil`: as each operation prefers.
  package var nearViews: Double?
  package var jobs: [JobSection] = []
  /// What its commits of several entities say that they come from.
  package var origin = EventOrigin.user
  var place: SourcePlace?
  /// Where `batches-of` stands.
  private var originPlace: SourcePlace?
  private var nearViewsPlace: SourcePlace?

  package init() {}
}

extension WritersSection: ScenarioSection {
  static let fields: [Field<WritersSection>] = [
    .identifier("name", \.name, "what the group is called"),
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
    .list("jobs", \.jobs, startingFrom: JobSection(), limit: 20, "what its jobs find, and when"),
    Field(
      name: "batches-of", form: .choice(EventOrigin.allCases.map(\.rawValue)),
      summary: "origin of its changes of several entities",
      initial: { $0.origin.rawValue }
    ) {
      $0.originPlace = $1.place
      let names = EventOrigin.allCases.map(\.rawValue)
      guard let name = $2.name($1, what: "batches-of", among: names) else { return }
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
  /// Shares by name, in the order of the names; they add up to 100 %.
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
    // What could not be read is missing from the sum.
    guard mistakes == before else { return shares }
    if shares.reduce(0, +) == 0 {
      report(node.place, "the shares add up to 0 %", "let them add up to 100 %")
    }
    checkSum(of: shares, at: node.place)
    return shares
  }
}
