import CacheModel

/// What changes the data of a declared app, and how often, in sentences.
extension ModelWords {
  /// What each operation does.
  var operations: [String] {
    model.operations.map { "\($0.name): \(effect($0))." }
  }

  private func effect(_ operation: OperationDeclaration) -> String {
    let type = model.types[operation.effect.type]
    func field(_ place: Int) -> String { type.fields[place].name }
    let one = Words.a(type.name)
    let what =
      switch operation.effect {
      case .create: "\(one) appears"
      case .set(_, let place): "the \(field(place)) of \(one) changes"
      case .add(_, let place, let amount):
        "the \(field(place)) of \(one) \(amount < 0 ? "falls" : "grows") by "
          + Words.grouped(Int(amount.magnitude))
      case .toggle(_, let place) where type.fields[place].isList:
        "the \(field(place)) of \(one) gain one that they lack, or lose one that they have"
      case .toggle(_, let place): "\(field(place)) of \(one) is set, or is no longer"
      case .link(_, let place): "the \(field(place)) of \(one) gain one"
      case .unlink(_, let place): "the \(field(place)) of \(one) lose one"
      case .delete: "\(one) goes, with what belongs to it"
      }
    var parts = [what]
    switch operation.preference {
    case .any: break
    case .popular(let exponent):
      parts.append("popular ones rather (Zipf \(Words.number(exponent)))")
    case .newest(let exponent):
      parts.append("new ones rather (Zipf \(Words.number(exponent)) by age)")
    }
    if operation.batch > 1 {
      let common = operation.beside.map { " with the same \(field($0))" } ?? ""
      parts.append("\(Words.number(operation.batch)) at a time on average\(common)")
    }
    if operation.growth > 0 {
      parts.append("\(Words.size(operation.growth)) more of it from then on")
    }
    for touch in operation.touches {
      let touched = model.types[touch.type].fields[touch.field]
      let owner = touch.through.map { "\(field($0))." } ?? ""
      let isTime = if case .time = touched.content { true } else { false }
      parts.append("\(owner)\(touched.name) \(isTime ? "becomes now" : "grows by one") with it")
    }
    return parts.joined(separator: ", ")
  }

  func others(_ group: WritersSection, _ scenario: Scenario) -> [String] {
    let length = scenario.activeDuration
    let total = TrainWords.count(group.count, group.rate, group.burst, in: length)
    var text =
      "\(group.name): \(Words.count(group.count, "device")), each "
      + "\(TrainWords.operations(group.rate, group.burst)). "
      + TrainWords.total(count: group.count, group.rate, group.burst, in: length)
    if zip(model.operations, group.mix).contains(where: { $1 > 0 && $0.mayChangeSeveral }) {
      text +=
        " Changes of several entities at once say that they come from the "
        + "\(group.origin.rawValue)."
    }
    let mix = zip(model.operations, group.mix).filter { $0.1 > 0 }.map { operation, share in
      "\(Words.share(share)) \(operation.name) (\(Words.about(total * share)))"
    }
    return [text, "  \(Words.list(mix))."]
  }
}
