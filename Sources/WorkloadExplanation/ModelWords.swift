import CacheModel
import Text
import Workloads

/// An app in sentences.
struct ModelWords {
  let model: DataModel

  init(_ model: DataModel) {
    self.model = model
  }

  // MARK: What there is

  func type(_ place: Int) -> String {
    let type = model.types[place]
    let fields = type.fields.map { "\($0.name) (\(content($0)))" }
    let has = fields.isEmpty ? "" : " Each has \(Words.list(fields))."
    let summary = type.summary.map { " \(self.summary($0, of: type))" } ?? ""
    let count = made(type: place) ?? Words.count(type.count, type.name)
    return "\(count), \(size(type.size)).\(has)\(summary)"
  }

  /// How many entities of a type a tree makes; `nil` where they are counted.
  private func made(type place: Int) -> String? {
    for type in model.types {
      guard let field = type.fields.first(where: { $0.tree != nil }), field.target == place,
        let tree = field.tree
      else { continue }
      let count = tree.expectedCount(for: type.count).rounded()
      return
        "About \(Words.count(count, model.types[place].name)) as \(Plural.of(type.name)) need them"
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
      "\(Words.size(Int(mean))) on average, give or take \(Words.size(Int(deviation)))"
    case .logNormal(let median, let p99):
      "half of them under \(Words.size(Int(median))), one in a hundred over "
        + Words.size(Int(p99))
    case .table(let sizes):
      "from \(Words.size(sizes[0])) to \(Words.size(sizes[sizes.count - 1])) by a table of "
        + "\(sizes.count) sizes"
    case .pareto(let least, let most, let exponent):
      "from \(Words.size(least)) to \(Words.size(most)) each for good, larger than x in proportion to x "
        + "to the power of −\(Words.number(exponent))"
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
      return "a number from \(Words.grouped(Int(bounds.lowerBound))) to "
        + Words.grouped(Int(bounds.upperBound)) + (starts ?? "")
    case .time(let age): return "a time, \(Words.duration(age)) ago on average at the beginning"
    case .text: return "a text"
    case .flag(let share): return "a flag, set in \(Words.share(share))"
    case .one(let type, _, let cascades) where field.tree != nil:
      guard let tree = field.tree else { return "" }
      let name = model.types[type].name
      let below = tree.below.map {
        ", the first level divided among the \(Plural.of(model.types[$0].name))"
      }
      return "one \(name) of a tree of \(Words.count(tree.depth, "level")) with "
        + "\(Words.count(tree.fanOut, name)) in each, on any level alike\(below ?? "")"
        + (cascades ? ", with which it goes when that is deleted" : "")
    case .one(let type, let choice, let cascades):
      return "one \(model.types[type].name), \(self.choice(choice))"
        + (cascades ? ", with which it goes when that is deleted" : "")
    case .many(let type, let choice, .mean(let mean)):
      let kept = ZipfEstimate.distinct(
        ofDraws: mean, choice, among: model.types[type].count)
      // Each is held once, so that some draws add nothing.
      let repeats = kept < 0.995 * mean ? ", of which \(Words.about(kept)) differ and are held" : ""
      return "\(Words.count(mean, model.types[type].name)) on average, \(self.choice(choice))"
        + repeats + (field.starts == nil ? "" : ", none when new")
    case .many(let type, let choice, .copied(let through, let list)):
      let owner = model.types.first { $0.fields.contains(field) }
      let reference = owner?.fields[through]
      let other = reference?.target.map { model.types[$0].fields[list].name } ?? ""
      return
        "the \(Plural.of(model.types[type].name)) that `\(reference?.name ?? "").\(other)` has "
        + "when it is created; what is linked later, \(self.choice(choice))"
    }
  }

  private func choice(_ choice: Choice) -> String {
    switch choice {
    case .uniform: "any alike"
    case .zipf(let exponent): "by popularity (Zipf \(Words.number(exponent)))"
    }
  }

  // MARK: What is asked

  func shape(_ shape: QueryShape) -> String {
    let types = Words.list(shape.types.map { Plural.of(model.types[$0].name) })
    let conditions = shape.conditions.map { condition($0, shape) }
    let filter =
      conditions.isEmpty
      ? "all \(types)"
      : shape.conditions == [.isSubjectItself]
        ? "\(conditions[0]) itself" : "\(types) whose \(Words.list(conditions))"
    let order = shape.order.map { ordering in
      "\(ordering.member.name)\(ordering.isDescending ? ", the highest or latest first" : "")"
    }
    let rows = "\(Words.count(shape.rows, "row"))\(shape.isPaged ? " a page" : " at most")"
    let kept =
      shape.typedField == nil
      ? "" : "; kept from \(Words.count(shape.cachedFrom, "letter")) on"
    let shown = shape.showsSummaries ? ", a summary of each" : ""
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
    case .isSubjectItself: shape.conditions.count == 1 ? subject : "key is that of \(subject)"
    case .beginsWithTyped(let member): "\(member.name) begins with what was typed"
    case .flag(let member, let isSet): "\(member.name) is \(isSet ? "set" : "not set")"
    case .compares(let member, let comparison, let constant):
      "\(member.name) \(comparison.rawValue) \(constant)"
    }
  }
}
