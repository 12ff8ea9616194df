import CacheModel
import ResultModel
import Text

/// The caches under test, and what is asked of them, in sentences.
struct CacheWords {
  private let scenario: Scenario
  private var cache: CacheSection { scenario.cache }

  init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  // MARK: What all policies share

  var shared: [String] { [limits, lifetimes, gaps] + choices }

  private var limits: String {
    let usual = CacheSection()
    var limits = [
      cache.capacityEntities.map { Words.count($0, "entity") } ?? "any number of entities"
    ]
    if let bytes = cache.capacityBytes { limits.append("\(Words.size(bytes)) of values") }
    if let memory = cache.capacityMemory { limits.append("\(Words.size(memory)) of memory") }
    limits.append(cache.maximumQueries.map { Words.count($0, "query") } ?? "any number of queries")
    let isUsual =
      cache.capacity == usual.capacity && cache.maximumQueries == usual.maximumQueries
    return "At most \(Words.list(limits)) are held\(isUsual ? ", which is the default" : ""). "
      + "Eviction begins above \(Words.share(cache.highWatermark)) of a limit, and ends at "
      + "\(Words.share(cache.lowWatermark))."
  }

  private var lifetimes: String {
    let names = scenario.queryNames
    let own = names.enumerated().compactMap { place, name in
      cache.timeToLivePerMethod[DataModel.kind(ofShape: place)]
        .map { "that of \(name) for \(time($0))" }
    }
    var text =
      "Where answers expire, one is fresh for \(cache.timeToLive.map(time) ?? "ever")"
      + (own.isEmpty ? "" : ", \(Words.list(own))")
    if cache.staleWhileRevalidate > .zero {
      text +=
        "; for \(time(cache.staleWhileRevalidate)) more it is served while it is fetched again"
    }
    if cache.staleIfError > .zero {
      text += "; for \(time(cache.staleIfError)) more it is served when that fails"
    }
    return text + "."
  }

  private var gaps: String {
    "What arrives out of order is waited for \(Words.duration(cache.reorderWindow))."
  }

  private func time(_ duration: Duration) -> String {
    duration >= .unending ? "ever" : Words.duration(duration)
  }

  /// What replaces the presets' own choices.
  private var choices: [String] {
    var choices: [(name: String, value: String?)] = [
      ("eviction-order", cache.evictionOrder), ("admission", cache.admission),
      ("limit", cache.limit?.rawValue), ("retention", cache.retention?.rawValue),
      (
        "release-buffer-queries",
        cache.releaseBufferQueries.map { $0.value.map(Words.grouped) ?? "unlimited" }
      ),
      (
        "release-buffer-age",
        cache.releaseBufferAge.map { $0.value.map(Words.duration) ?? "unlimited" }
      ),
      ("release-buffer-reads", cache.releaseBufferReads?.rawValue),
      ("time-to-live-from", cache.timeToLiveFrom?.rawValue),
      ("drops-expired", cache.dropsExpired.map { $0 ? "yes" : "no" }),
      ("event-admission", cache.eventAdmission?.rawValue),
      ("membership", cache.membership?.rawValue), ("gap-response", cache.gapResponse?.rawValue),
      ("coalescing-window", cache.coalescingWindow.map(Words.duration)),
      ("poll-interval", cache.pollInterval.map { $0.value.map(Words.duration) ?? "unlimited" }),
      ("storage", cache.storage.map { $0 ? "yes" : "no" }),
      ("disk-bytes", cache.diskBytes.map { $0.value.map(Words.size) ?? "unlimited" }),
      ("flush-window", cache.flushWindow.map(Words.duration)),
      ("events", cache.events?.rawValue),
    ]
    for origin in EventOrigin.allCases {
      guard let batch = cache.batches[origin] else { continue }
      choices += [
        ("event-admission.\(origin.rawValue)", batch.admission?.rawValue),
        ("membership.\(origin.rawValue)", batch.membership?.rawValue),
        (
          "marks-stale.\(origin.rawValue)",
          batch.staleKinds.map { kinds in
            kinds.isEmpty
              ? "nothing" : Words.list(kinds.map { scenario.queryNames[Int($0.rawValue) - 1] })
          }
        ),
      ]
    }
    let given = choices.compactMap { choice in
      choice.value.map { "\(choice.name) \($0), \(meaning(of: choice.name))" }
    }
    guard !given.isEmpty else { return [] }
    return ["Of every policy but the bounds:"] + given.map { "  \($0)." }
  }

  private func meaning(of field: String) -> String {
    CacheSection.fields(of: scenario.app?.model).first { $0.name == field }?.summary ?? ""
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
