import CacheModel
import Workloads

/// An app in sentences.
struct ModelWords {
  let model: DataModel

  init(_ model: DataModel) {
    self.model = model
  }

  // MARK: Data

  func type(_ place: Int) -> String {
    let type = model.types[place]
    let fields = type.fields.map { "\($0.name) (\(content($0)))" }
    let has = fields.isEmpty ? "" : " Fields: \(Words.list(fields))."
    let summary = type.summary.map { " \(self.summary($0, of: type))" } ?? ""
    let count = made(type: place) ?? Words.count(type.count, type.name)
    let size = size(type.size)
    let bytes = type.count == 1 && size.hasSuffix(" each") ? String(size.dropLast(5)) : size
    return "\(count), \(bytes).\(has)\(summary)"
  }

  /// Returns the number of entities in a tree; `nil` if they are counted.
  private func made(type place: Int) -> String? {
    for type in model.types {
      guard let field = type.fields.first(where: { $0.tree != nil }), field.target == place,
        let tree = field.tree
      else { continue }
      let count = tree.expectedCount(for: type.count).rounded()
      return
        "About \(Words.count(count, model.types[place].name)), as many as \(Plural.of(type.name)) need"
    }
    return nil
  }

  private func summary(_ summary: EntitySummary, of type: EntityType) -> String {
    let size =
      switch summary.size {
      case .fixed(let bytes): "\(Words.size(bytes)) of it"
      case .share(let millionths): "\(Words.share(Double(millionths) / 1e6)) of its bytes"
      }
    let fields = summary.fields.map { type.fields[$0].name }
    return "A summary is \(size) and shows \(Words.list(fields))."
  }

  private func size(_ size: SizeDistribution) -> String {
    switch size {
    case .fixed(let bytes): "\(Words.size(bytes)) each"
    case .normal(let mean, let deviation):
      "\(Words.size(Int(mean))) on average, standard deviation \(Words.size(Int(deviation)))"
    case .logNormal(let median, let p99):
      "half of them under \(Words.size(Int(median))), 1 % over \(Words.size(Int(p99)))"
    case .table(let sizes):
      "from \(Words.size(sizes[0])) to \(Words.size(sizes[sizes.count - 1])) (a table of "
        + "\(sizes.count) sizes)"
    case .pareto(let least, let most, let exponent):
      "from \(Words.size(least)) to \(Words.size(most)) (Pareto, exponent \(Words.number(exponent))), "
        + "drawn once for each"
    }
  }

  private func content(_ field: ModelField) -> String {
    switch field.content {
    case .integer(let bounds):
      let starts = field.starts.map { starts in
        let least = Words.grouped(Int(starts.lowerBound))
        return starts.count == 1
          ? ", \(least) when new"
          : ", \(least) to \(Words.grouped(Int(starts.upperBound))) when new"
      }
      return "number from \(Words.grouped(Int(bounds.lowerBound))) to "
        + Words.grouped(Int(bounds.upperBound)) + (starts ?? "")
    case .time(let age): return "time, on average \(Words.duration(age)) before the run"
    case .text: return "text"
    case .flag(let share): return "flag, set in \(Words.share(share))"
    case .one(let type, _, let cascades) where field.tree != nil:
      guard let tree = field.tree else { return "" }
      let name = model.types[type].name
      let below = tree.below.map {
        ", the first level divided among the \(Plural.of(model.types[$0].name))"
      }
      return "one \(name) of a tree of \(Words.count(tree.depth, "level")) with "
        + "\(Words.count(tree.fanOut, name)) in each, all levels equally likely\(below ?? "")"
        + (cascades ? "; deleted with it" : "")
    case .one(let type, let choice, let cascades):
      return "one \(model.types[type].name), \(self.choice(choice))"
        + (cascades ? "; deleted with it" : "")
    case .many(let type, let choice, .mean(let mean)):
      let kept = ZipfEstimate.distinct(
        ofDraws: mean, choice, among: model.types[type].count)
      // Each is stored once, so some random references have no effect.
      let repeats = kept < 0.995 * mean ? ", \(Words.about(kept)) without repeats" : ""
      return "\(Words.count(mean, model.types[type].name)) on average, \(self.choice(choice))"
        + repeats + (field.starts == nil ? "" : ", none when new")
    case .many(let type, let choice, .copied(let through, let list)):
      let owner = model.types.first { $0.fields.contains(field) }
      let reference = owner?.fields[through]
      let other = reference?.target.map { model.types[$0].fields[list].name } ?? ""
      return
        "the \(Plural.of(model.types[type].name)) in `\(reference?.name ?? "").\(other)` at its "
        + "creation; later ones \(self.choice(choice))"
    }
  }

  private func choice(_ choice: Choice) -> String {
    switch choice {
    case .uniform: "all equally likely"
    case .zipf(let exponent): "by popularity (Zipf \(Words.number(exponent)))"
    }
  }

  // MARK: Queries

  func shape(_ shape: QueryShape) -> String {
    let types = Words.list(shape.types.map { Plural.of(model.types[$0].name) })
    let conditions = shape.conditions.map { condition($0, shape) }
    let filter =
      conditions.isEmpty
      ? "all \(types)"
      : shape.conditions == [.isSubjectItself]
        ? conditions[0] : "\(types) whose \(Words.list(conditions))"
    let order = shape.order.map { ordering in
      "\(ordering.member.name)\(ordering.isDescending ? " descending" : "")"
    }
    let count = Words.count(shape.rows, "row")
    let rows = shape.isPaged ? "\(count) a page" : "at most \(count)"
    let kept =
      shape.typedField == nil
      ? "" : "; cached from \(Words.count(shape.cachedFrom, "letter")) on"
    let shown = shape.showsSummaries ? ", as summaries" : ""
    let name = shape.reportClass == shape.name ? "" : " Reports call it \(shape.reportClass)."
    return
      "\(shape.name): \(filter), by \(order.joined(separator: ", then ")), \(rows)\(shown)\(kept)."
      + name
  }

  private func condition(_ condition: QueryShape.Condition, _ shape: QueryShape) -> String {
    let subject =
      shape.isAboutMe
      ? "the user" : "the \(shape.subjectType.map { model.types[$0].name } ?? "") asked about"
    return switch condition {
    case .isSubject(let member): "\(member.name) is \(subject)"
    case .includesSubject(let member): "\(member.name) include \(subject)"
    case .isSubjectItself: shape.conditions.count == 1 ? subject : "id is that of \(subject)"
    case .beginsWithTyped(let member): "\(member.name) begins with what was typed"
    case .flag(let member, let isSet): "\(member.name) is \(isSet ? "set" : "not set")"
    case .compares(let member, let comparison, let constant):
      "\(member.name) \(comparison.rawValue) \(constant)"
    }
  }
}

/// The changes of an app's data and their rates, in sentences.
extension ModelWords {
  var operations: [String] {
    model.operations.map { "\($0.name): \(effect($0))." }
  }

  private func effect(_ operation: OperationDeclaration) -> String {
    let type = model.types[operation.effect.type]
    func field(_ place: Int) -> String { type.fields[place].name }
    let one = Words.a(type.name)
    let what =
      switch operation.effect {
      case .create: "creates \(one)"
      case .set(_, let place): "changes the \(field(place)) of \(one)"
      case .add(_, let place, let amount):
        "\(amount < 0 ? "lowers" : "raises") the \(field(place)) of \(one) by "
          + Words.grouped(Int(amount.magnitude))
      case .toggle(_, let place) where type.fields[place].isList:
        "adds or removes one of the \(field(place)) of \(one)"
      case .toggle(_, let place): "sets or clears \(field(place)) of \(one)"
      case .link(_, let place): "adds one to the \(field(place)) of \(one)"
      case .unlink(_, let place): "removes one of the \(field(place)) of \(one)"
      case .delete: "deletes \(one) and what belongs to it"
      }
    var parts = [what]
    switch operation.preference {
    case .any: break
    case .popular(let exponent):
      parts.append("mostly popular ones (Zipf \(Words.number(exponent)))")
    case .newest(let exponent):
      parts.append("mostly new ones (Zipf \(Words.number(exponent)) by age)")
    }
    if operation.batch > 1 {
      let common = operation.beside.map { " with the same \(field($0))" } ?? ""
      parts.append("\(Words.number(operation.batch)) at a time on average\(common)")
    }
    if operation.growth > 0 {
      parts.append("makes it \(Words.size(operation.growth)) larger")
    }
    for touch in operation.touches {
      let touched = model.types[touch.type].fields[touch.field]
      let owner = touch.through.map { "\(field($0))." } ?? ""
      let isTime = if case .time = touched.content { true } else { false }
      let name = "\(owner)\(touched.name)"
      parts.append(isTime ? "sets \(name) to now" : "raises \(name) by one")
    }
    return parts.joined(separator: ", ")
  }

  func others(_ group: WritersSection, _ scenario: Scenario) -> [String] {
    let length = scenario.activeDuration
    let total = TrainWords.count(group.count, group.rate, group.burst, in: length)
    let jobs = group.jobs.flatMap { job($0) }
    guard group.rate > 0 || group.burst != nil else {
      return ["\(group.name): \(Words.count(group.count, "device"))."] + jobs
    }
    var text =
      "\(group.name): \(Words.count(group.count, "device")), each "
      + "\(TrainWords.operations(group.rate, group.burst)). "
      + TrainWords.total(count: group.count, group.rate, group.burst, in: length)
    if let share = group.nearViews {
      text +=
        " \(Words.share(share)) of changes to existing entities are to rows of lists that users opened "
        + "lately, the others to other rows."
    }
    if zip(model.operations, group.mix).contains(where: { $1 > 0 && $0.mayChangeSeveral }) {
      text +=
        " Changes of several entities at once have the origin \(group.origin.rawValue)."
    }
    let mix = zip(model.operations, group.mix).filter { $0.1 > 0 }.map { operation, share in
      "\(Words.share(share)) \(operation.name) (\(Words.about(total * share)))"
    }
    return [text, "  \(Words.list(mix))."] + jobs
  }

  /// Returns the selection of a job, and its waves.
  private func job(_ job: JobSection) -> [String] {
    let operation = model.operations[job.operation]
    let type = model.types[operation.effect.type]
    var text =
      "  From \(Words.duration(job.at)) on, each finds \(Words.count(job.count, type.name)) "
      + "(\(operation.name)), \(Words.grouped(job.batch)) at a time, \(Words.rate(job.rate))"
    if type.fields.contains(where: { $0.tree != nil }) {
      text +=
        "; \(Words.share(job.beside)) of them in existing places, the others in a new tree"
    }
    var lines = [text + "."]
    for wave in job.waves {
      let flag = wave.when.map { " where \(type.fields[$0].name) is set" } ?? ""
      let rate = wave.rate.map { ", \(Words.rate($0))" } ?? ""
      let after = wave.after > .zero ? ", \(Words.duration(wave.after)) later" : ""
      lines.append(
        "  Then \(model.operations[wave.operation].name)\(flag), \(Words.grouped(wave.batch)) at a time"
          + "\(rate)\(after).")
    }
    if let progress = job.progress {
      lines.append(
        "  Every \(Words.duration(progress)) it sends a progress notice, which concerns no entity.")
    }
    if job.announce == .notice {
      lines.append("  A batch of 1,000 or more is one event without its items.")
    }
    return lines
  }
}
