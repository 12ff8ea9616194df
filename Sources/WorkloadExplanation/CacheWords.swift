import CacheModel
import ResultModel
import Text
import Workloads

/// The caches under test, and what is asked of them, in sentences.
struct CacheWords {
  private let scenario: Scenario
  private var cache: CacheSection { scenario.cache }

  init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  // MARK: What all policies share

  /// Limits and times, then what replaces the presets' own choices.
  var shared: [String] {
    let ofMethods = scenario.queryNames.enumerated().compactMap { place, name in
      cache.timeToLivePerMethod[DataModel.kind(ofShape: place)].map {
        "  time-to-live.\(name) \(Words.duration($0)), how long a result of this method is fresh."
      }
    }
    let choices = lines(of: { !$0.isShared })
    return ["Each policy takes what its preset has a use for:"] + lines(of: \.isShared) + ofMethods
      + (choices.isEmpty ? [] : ["Of every policy but the bounds:"] + choices)
  }

  private func lines(of kind: (PolicyAxis) -> Bool) -> [String] {
    PolicyAxis.all.filter(kind).compactMap { axis in
      cache[axis.name].map { "  \(axis.name) \(text($0, axis.field.form)), \(axis.field.summary)." }
    }
  }

  private func text(_ value: PolicyValue, _ form: FieldForm) -> String {
    switch (value, form) {
    case (.duration(let duration), _): Words.duration(duration)
    case (.number(let number), .quantity(.size, _)): Words.size(Int(number))
    case (.number(let number), _): Words.grouped(Int(number))
    case (.share(let share), _): Words.share(share)
    case (.unlimited, _): "unlimited"
    case (.word(let word), _): word
    case (.methods(let methods), _):
      methods.isEmpty
        ? "nothing" : Words.list(methods.map { scenario.queryNames[Int($0.rawValue) - 1] })
    }
  }

  // MARK: What is compared

  var policies: [String] {
    guard !scenario.policies.isEmpty else { return ["Nothing, until --policies names policies."] }
    return scenario.policies.map { entry in
      guard let preset = entry.preset else {
        return "\(entry.name): a cache in a process of its own, `\((entry.command ?? "").legible)`."
      }
      let summary = Preset.named(preset)?.summary ?? entry.design?.summary ?? ""
      guard !entry.overrides.isEmpty || entry.name != preset else {
        return "\(entry.name): \(summary)"
      }
      let own = entry.overrides.map { "\($0.field) \(Self.text($0.value))" }
      return "\(entry.name): \(preset)" + (own.isEmpty ? "." : " with \(Words.list(own)).")
    }
  }

  private static func text(_ node: SourceNode) -> String {
    switch node.content {
    case .scalar(let text): text.legible
    case .sequence(let nodes): nodes.isEmpty ? "nothing" : Words.list(nodes.map(text))
    case .mapping: ""
    }
  }

  // MARK: What is asked of them

  var aims: [String] {
    let ship = scenario.goal
    var text =
      "To be shipped: the \(ship.seeks == .highest ? "highest" : "lowest") \(ship.metric.name)"
    if ship.staleWeight > 0 {
      text += ", less \(Words.number(ship.staleWeight)) for each read that was served stale"
    }
    if !ship.constraints.isEmpty {
      text += ", where \(Words.list(ship.constraints.map(\.text)))"
    }
    switch ship.zone {
    case .points(let points)?:
      text += "; differences up to \(Words.number(points * 100)) points do not matter"
    case .share(let share)?:
      text += "; differences up to \(Words.share(share)) of the best do not matter"
    case nil: break
    }
    return ["\(text)."] + scenario.targets.compactMap { target($0) }
  }

  private func target(_ target: TargetSection) -> String? {
    guard let metric = target.metric else { return nil }
    let sign = target.comparison == .atLeast ? "at least" : "at most"
    let limit =
      switch target.unit {
      case .ratio: Words.share(target.limit)
      case .nanoseconds: Words.duration(.nanoseconds(Int64(target.limit)))
      case .bytes, .bytesPerEntity: Words.size(Int(target.limit))
      case .perSecond: Words.rate(target.limit)
      case .count, .factor: Words.number(target.limit)
      }
    let part = target.metricClass == "total" ? "" : " of \(target.metricClass)"
    let statistic =
      target.statistic == Statistic.value.rawValue ? "" : " (\(target.statistic))"
    let names = target.policyNames
    let bound = names.isEmpty ? "every policy but the bounds" : Words.list(names)
    return "Target: \(metric.name)\(part)\(statistic) \(sign) \(limit), of \(bound)."
  }
}
