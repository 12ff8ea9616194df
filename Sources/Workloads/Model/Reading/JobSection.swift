import Text

/// A job of a device: it finds entities, and comes back to each of them in waves.
package struct JobSection: Sendable {
  package var at = Duration.minutes(1)
  /// The operation by which what it finds appears.
  package var operation = 0
  /// How many it finds.
  package var count = 1
  /// How many it finds at a time.
  package var batch = 1
  /// The rate of those batches.
  package var rate = 1.0
  /// The share that lies where others do; the rest lies in a tree of its own.
  package var beside = 0.0
  package var waves: [WaveSection] = []
  /// The time between notices of progress, which concern no entity; `nil`: there are none.
  package var progress: Duration?
  package var announce = Announcement.items
  private var countNode: SourceNode?
  private var batchNode: SourceNode?
  private var besidePlace: SourcePlace?

  package init() {}

  package enum Announcement: String, CaseIterable, Sendable {
    case items
    /// A large batch comes as one notice of where it lies, without its items.
    case whole
  }

  /// From so many items on a batch is large.
  static let largeBatch = 1_000
}

extension JobSection: ScenarioSection {
  static let fields: [Field<JobSection>] = [
    .duration("at", \.at, .zero ... .days(30), "when the job begins"),
    Field(name: "do", form: .text, summary: "the operation by which what it finds appears") {
      guard let place = $2.operation($1) else { return }
      $0.operation = place
      guard case .create? = $2.model?.operations[place].effect else {
        return $2.report(
          $1.place, "a job finds what is new, and this operation changes what exists",
          "name one that creates; what follows it stands in `then`")
      }
    }.required(),
    .node("count", \.countNode, "how many it finds").required(),
    .node("batch", \.batchNode, "how many it finds at a time, 1 if absent"),
    .rate("rate", \.rate, 0.001...1_000, "rate of those batches").required(),
    Field(
      name: "beside", form: .quantity(.share, 0...1),
      summary: "share that lies where others do; the rest lies in a tree of its own"
    ) {
      $0.besidePlace = $1.place
      $0.beside = $2.real($1, .share, in: 0...1) ?? 0
    },
    .list(
      "then", \.waves, startingFrom: WaveSection(), limit: 8,
      "what follows for each of them, wave by wave"),
    .duration(
      "progress", \.progress, .milliseconds(100)...(.hours(1)),
      "time between notices of progress, which concern no entity"),
    .choice(
      "announce", \.announce, "items, or whole: batches of 1,000 or more come without their items"),
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

/// One wave behind what a job found: each entity is changed when its turn comes.
package struct WaveSection: Sendable {
  package var operation = 0
  /// The rate of its batches, counted from the beginning of the job; `nil`: as the wave before it comes.
  package var rate: Double?
  package var batch = 1
  /// The flag of what it concerns, as a field; `nil`: everything.
  package var when: Int?
  /// How long after the wave before it.
  package var after = Duration.zero
  private(set) var place: SourcePlace?
  private var batchNode: SourceNode?
  private var whenNode: SourceNode?

  package init() {}
}

extension WaveSection: ScenarioSection {
  static let fields: [Field<WaveSection>] = [
    Field(name: "do", form: .text, summary: "the operation that changes each") {
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
    .node("batch", \.batchNode, "how many it changes at a time, 1 if absent"),
    .node("when", \.whenNode, "the flag of those that it concerns"),
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
  /// The place of an operation of the model by its name.
  fileprivate mutating func operation(_ node: SourceNode) -> Int? {
    scalar(node).flatMap {
      place(
        of: $0, at: node.place, what: "operation", among: model?.operations.map(\.name) ?? [])
    }
  }
}
