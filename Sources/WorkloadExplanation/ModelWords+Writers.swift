import CacheModel
import Workloads

/// What changes the data of an app, and how often, in sentences.
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
        " \(Words.share(share)) of the changes of what exists fall on rows of lists that users have "
        + "opened lately, the others on what none of those lists."
    }
    if zip(model.operations, group.mix).contains(where: { $1 > 0 && $0.mayChangeSeveral }) {
      text +=
        " Changes of several entities at once say that they come from the "
        + "\(group.origin.rawValue)."
    }
    let mix = zip(model.operations, group.mix).filter { $0.1 > 0 }.map { operation, share in
      "\(Words.share(share)) \(operation.name) (\(Words.about(total * share)))"
    }
    return [text, "  \(Words.list(mix))."] + jobs
  }

  /// What a job finds, and its waves.
  private func job(_ job: JobSection) -> [String] {
    let operation = model.operations[job.operation]
    let type = model.types[operation.effect.type]
    var text =
      "  From \(Words.duration(job.at)) on each finds \(Words.count(job.count, type.name)) "
      + "(\(operation.name)), \(Words.grouped(job.batch)) at a time, \(Words.rate(job.rate))"
    if type.fields.contains(where: { $0.tree != nil }) {
      text +=
        "; \(Words.share(job.beside)) of them lie where others do, the rest in a tree of their own"
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
        "  Every \(Words.duration(progress)) it says how far it is, which concerns no entity.")
    }
    if job.announce == .whole {
      lines.append("  Batches of 1,000 or more are announced whole: without their items.")
    }
    return lines
  }
}
