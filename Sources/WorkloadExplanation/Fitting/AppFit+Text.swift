import CacheModel
import Text
import Workloads

/// The fitted scenario as text.
///
/// It has the names of the model, which are necessary for reading it. It has no other name, no key and no
/// text of the recording.
extension AppFit {
  /// The file's text in UTF-8.
  package var text: String {
    var text = FittedText()
    writeHead(to: &text)
    writeModel(to: &text)
    writeOthers(to: &text)
    writePeople(to: &text)
    network.write(for: workload, to: &text)
    text.gap()
    text.add(0, "server:")
    let retention = workload.retention
    text.add(2, "replay-events: \(min(max(retention.events, 0), 1_000_000)) events")
    text.add(
      2,
      "replay-age: \(FittedText.duration(min(Double(retention.age.wholeNanoseconds), 30 * 86_400e9)))"
    )
    text.gap()
    text.add(0, "cache:")
    text.comment(2, "Limits are none of a recording: set here what your client has.")
    text.add(2, "capacity-entities: 10_000 entities", "the default")
    text.add(2, "maximum-queries: 100 queries", "the default")
    text.add(2, "time-to-live: 300 s", "the default")
    text.gap()
    text.add(0, "policies: [lru, refcount, ttl, spacedrive, no-cache, unbounded]")
    return text.lines.joined(separator: "\n") + "\n"
  }

  /// How lists differ in length from the recorded ones; `nil`: they do not.
  package var caution: String? { lists.caution }

  private func writeHead(to text: inout FittedText) {
    text.add(0, "name: \(name)")
    text.add(0, "description: Resembles a recording, from estimates.")
    let reads = groups.reduce(0) { $0 + $1.seenBefore.count }
    text.comment(
      0,
      "Estimated from \(workload.truth == .observed ? "the log of an app" : "a recording"): "
        + "\(Words.count(workload.clients.count, "client")), \(Words.grouped(reads)) query reads, "
        + "\(Words.count(workload.mutations.count, "commit")). A comment says from how many "
        + "observations a value is, or that they were too few. Names are those of its model.")
    for (number, group) in groups.enumerated() {
      guard let drawn = group.drawnSeenBefore else { continue }
      text.comment(
        0,
        "Views seen before, \(name(ofGroup: number)): recorded \(FittedText.share(group.seenBefore.value)) "
          + "(\(group.seenBefore.origin)); drawn from this file \(FittedText.share(drawn)).")
    }
    if let caution { text.comment(0, caution) }
    let writes = workload.writes.count + workload.mutations.count { $0.author != nil }
    if writes > 0 {
      text.comment(0, "What users wrote, \(Words.count(writes, "write")), is not in this file.")
    }
    let second: Int64 = 1_000_000_000
    let length = min(
      max((workload.duration.wholeNanoseconds + second - 1) / second, 2), 30 * 86_400)
    let quiet = min(max(length - end / second, 1), length / 2)
    text.add(0, "seed: 1")
    text.add(0, "duration: \(Dimension.duration.text(of: Double(length * second)))")
    text.add(0, "drain: \(Dimension.duration.text(of: Double(quiet * second)))")
    let warmUp = Double(workload.warmUp.wholeNanoseconds) / Double(length * second)
    text.add(0, "warm-up: \(FittedText.share(min(warmUp, 0.4)))")
  }

  // MARK: The model

  private func writeModel(to text: inout FittedText) {
    text.gap()
    text.add(0, "data:")
    text.add(2, "entities:")
    for (type, fit) in zip(workload.model.types, types) {
      text.add(4, "\(type.name):")
      text.add(6, "count: \(FittedText.counted(min(fit.count, 1_000_000), type.name))", "counted")
      text.add(
        6, "size: \(fit.size)",
        fit.size.utf8.count < 60
          ? "\(Words.grouped(Int(fit.meanBytes.rounded()))) B on average" : nil)
      guard !fit.fields.isEmpty else { continue }
      text.add(6, "has:")
      for field in fit.fields { text.add(8, field) }
      if let summary = self.text(ofSummary: type, fit) { text.add(6, summary) }
    }
    text.add(2, "queries:")
    for shape in workload.model.shapes {
      text.add(4, "\(shape.name): \(self.text(shape, workload.model))")
    }
    guard !commits.operations.isEmpty else { return }
    text.add(2, "operations:")
    for operation in commits.operations { write(operation, to: &text) }
  }

  /// Returns the summary of a type in queries; `nil` if no query shows summaries.
  private func text(ofSummary type: EntityType, _ fit: TypeFit) -> String? {
    guard let summary = type.summary,
      workload.model.shapes.contains(where: { shape in
        shape.showsSummaries && shape.types.contains { workload.model.types[$0] == type }
      })
    else { return nil }
    let size =
      switch summary.size {
      // A summary is at most as large as the full entity, if that has one size.
      case .fixed(let bytes):
        "\(fit.size.hasPrefix("{") ? bytes : min(bytes, max(Int(fit.meanBytes), 1))) B"
      case .share(let millionths): FittedText.share(Double(millionths) / 1e6)
      }
    let fields = summary.fields.map { type.fields[$0].name }
    return "summary: {has: [\(fields.joined(separator: ", "))], size: \(size)}"
  }

  private func text(_ shape: QueryShape, _ model: DataModel) -> String {
    func list(_ words: [String]) -> String {
      words.count == 1 ? words[0] : "[" + words.joined(separator: ", ") + "]"
    }
    var parts = ["list: " + list(shape.types.map { model.types[$0].name })]
    let subject = shape.isAboutMe ? "me" : "subject"
    let conditions = shape.conditions.map { condition in
      switch condition {
      case .isSubject(let field):
        "\(field.name) \(lists.isReason(field.name) ? "includes" : "is") \(subject)"
      case .isSubjectItself: "id is \(subject)"
      case .includesSubject(let field): "\(field.name) includes \(subject)"
      case .beginsWithTyped(let field): "\(field.name) begins with typed"
      case .flag(let field, let isSet): (isSet ? "" : "not ") + field.name
      case .compares(let field, let comparison, let constant):
        "\"\(field.name) \(comparison.rawValue) \(constant)\""
      }
    }
    if !conditions.isEmpty { parts.append("where: " + list(conditions)) }
    parts.append(
      "order: " + list(shape.order.map { $0.member.name + ($0.isDescending ? " descending" : "") }))
    parts.append("\(shape.isPaged ? "page" : "first"): \(shape.rows) rows")
    if shape.showsSummaries { parts.append("shows: summary") }
    if shape.reportClass != shape.name { parts.append("class: \(shape.reportClass)") }
    if shape.typedField != nil { parts.append("cached-from: \(shape.cachedFrom) letters") }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  private func write(_ operation: CommitFit.Operation, to text: inout FittedText) {
    var parts = [operation.effect]
    if operation.batch >= 1.05 {
      parts.append(
        "batch: "
          + FittedText.count(operation.batch, Plural.of(workload.model.types[operation.type].name))
      )
    }
    parts += preference(of: operation)
    text.add(
      4, "\(operation.name): {\(parts.joined(separator: ", "))}",
      "from \(Words.count(operation.commits, "commit"))")
  }

  /// Returns a preference by age if most targets are among the newest, otherwise by popularity.
  private func preference(of operation: CommitFit.Operation) -> [String] {
    let count = types[operation.type].count
    guard operation.isChange, operation.commits >= 30, count >= 10 else { return [] }
    let ages = operation.ages.sorted()
    func zipf(_ exponent: Double) -> String {
      "zipf: \(FittedText.number(min(max(exponent, 0.01), 4)))"
    }
    if ages[ages.count / 2] * 5 < count {
      let most = max(count, (ages.last ?? 0) + 1)
      return ["prefer: newest", zipf(ZipfEstimate.exponent(ofRanks: operation.ages, among: most))]
    }
    guard operation.commits >= 300 else { return [] }
    let exponent = ZipfEstimate.exponent(ofRepeats: operation.targets, among: count)
    return exponent < 0.15 ? [] : ["prefer: popular", zipf(exponent)]
  }

  // MARK: Others and people

  private func writeOthers(to text: inout FittedText) {
    guard !commits.groups.isEmpty else { return }
    text.gap()
    text.add(0, "writers:")
    for (number, group) in commits.groups.enumerated() {
      text.add(2, "- name: others-\(number + 1)")
      text.add(4, "count: \(FittedText.counted(min(group.devices, 1_000), "device"))")
      text.add(4, "rate", group.rate) { FittedText.rate(min($0, 1_000)) }
      text.add(4, "mix: " + FittedText.mix(commits.operations.map(\.name), group.mix))
    }
  }

  func name(ofGroup number: Int) -> String { "users-\(number + 1)" }

  private func writePeople(to text: inout FittedText) {
    text.gap()
    text.add(0, "users:")
    for (number, group) in groups.enumerated() {
      text.add(2, "- name: \(name(ofGroup: number))")
      text.add(4, "clients: \(FittedText.counted(group.clients.count, "client"))")
      if let me = type(ofUsersIn: group) { text.add(4, "me: \(workload.model.types[me].name)") }
      let watched = group.watched.map { workload.model.shapes[$0].name }
      if !watched.isEmpty { text.add(4, "watched: [\(watched.joined(separator: ", "))]") }
      let mean = FittedText.duration(min(max(group.think, 1e6), 86_400e9))
      text.add(
        4,
        group.pauses.isExponential
          ? "think: {mean: \(mean), distribution: exponential}" : "think: \(mean)",
        group.pauses.think.origin)
      if let visits = group.pauses.visits, visits.rate.isMeasured {
        text.add(4, "visits:", visits.rate.origin)
        text.add(6, "rate: \(FittedText.rate(min(max(group.visitRate, 0.000_002), 1)))")
        text.add(6, "length: \(FittedText.duration(min(max(group.visitLength, 1e9), 86_400e9)))")
        text.add(6, "between: \(visits.isSuspended ? "suspended" : "connected")")
      }
      if let redraw = group.redraw {
        text.add(4, "redraw: \(FittedText.duration(min(max(Double(redraw), 1e8), 86_400e9)))")
      }
      if group.reaction != .none { text.add(4, "reaction: \(group.reaction.rawValue)") }
      write(group.activities, of: group, to: &text)
    }
  }

  private func type(ofUsersIn group: Group) -> Int? {
    let shapes = group.watched + group.activities.activities.flatMap(\.views).map(\.shape)
    return shapes.lazy.map { workload.model.shapes[$0] }.first { $0.isAboutMe }?.subjectType
  }

  private func write(_ fit: ActivityFit, of group: Group, to text: inout FittedText) {
    let all = fit.activities.reduce(0) { $0 + $1.begun }
    guard all > 0 else {
      let shape = workload.model.shapes.firstIndex { $0.isAskedByItself } ?? 0
      text.add(4, "mix: {look: 100 %}", "the default: nothing was looked at")
      text.add(4, "activities:")
      text.add(6, "look: [visit: \(workload.model.shapes[shape].name)]")
      return
    }
    let names = fit.activities.indices.map { "way-\($0 + 1)" }
    text.add(
      4, "mix: " + FittedText.mix(names, fit.activities.map { Double($0.begun) / Double(all) }),
      "of \(Words.grouped(fit.begun)) activities")
    let returns = fit.activities.contains { $0.views.contains { mayReturn($0, of: group) } }
    text.add(4, "activities:", returns ? origin(ofRevisitIn: group) : nil)
    for (name, activity) in zip(names, fit.activities) {
      // A share below 0.1% is omitted.
      guard (Double(activity.begun) / Double(all) * 1_000).rounded() >= 1 else { continue }
      text.add(6, "\(name):", "from \(Words.grouped(activity.begun))")
      for view in activity.views {
        text.add(8, "- " + step(view, of: group))
        let begun = Double(activity.begun)
        if view.pages > 0 {
          text.add(8, "- {page-on: \(FittedText.count(Double(view.pages) / begun, "pages"))}")
        }
        if view.opens > 0 {
          text.add(8, "- {open: \(FittedText.count(Double(view.opens) / begun, "rows"))}")
        }
      }
    }
  }

  /// The kind of a step: a list as shown can only be visited.
  private func way(_ view: ActivityFit.View) -> ActivityFit.View.Way {
    view.way != .type && lists.isShown(workload.model.shapes[view.shape]) ? .visit : view.way
  }

  /// Whether a step is a visit with an argument that a user chooses, and may choose again.
  private func mayReturn(_ view: ActivityFit.View, of group: Group) -> Bool {
    let shape = workload.model.shapes[view.shape]
    return way(view) == .visit && shape.hasSubject && !shape.isAboutMe && group.revisit >= 0.001
  }

  private func origin(ofRevisitIn group: Group) -> String {
    let adjusted = group.drawnSeenBefore == nil ? "the default" : "by the views seen before"
    let origin = group.seenBefore.isMeasured ? adjusted : group.seenBefore.origin
    return "revisit: \(origin); their order is not fitted"
  }

  private func step(_ view: ActivityFit.View, of group: Group) -> String {
    let shape = workload.model.shapes[view.shape]
    let zipf =
      exponents[view.shape].map { ", zipf: \(FittedText.number(min(max($0, 0.01), 4)))" } ?? ""
    switch way(view) {
    case .visit:
      let revisit =
        mayReturn(view, of: group) ? ", revisit: \(FittedText.share(group.revisit))" : ""
      return "{visit: \(shape.name)\(zipf)\(revisit)}"
    case .follow(let field):
      return "{follow: \(shape.name)" + (field.map { ", of: \($0)" } ?? "") + "\(zipf)}"
    case .back: return "{back: 100 %}"
    case .type:
      let typed = group.activities.typed
      let mean = Double(typed.reduce(0, +)) / Double(max(1, typed.count))
      let key = FittedText.duration(min(max(group.pauses.keystroke.value, 1e6), 60e9))
      return
        "{type: \(shape.name), letters: \(FittedText.count(min(max(mean, 1), 12), "letters")), "
        + "keystroke: \(key), ask-from: \(min(max(group.activities.leastAsked ?? 1, 1), 12)) letters}"
    }
  }
}
