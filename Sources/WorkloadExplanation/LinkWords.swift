import CacheModel
import ResultModel
import Text
import Workloads

/// The network, the server and faults, in sentences.
struct LinkWords {
  private let scenario: Scenario
  private let absence: Absence

  init(_ scenario: Scenario) {
    self.scenario = scenario
    absence = Absence(scenario)
  }

  // MARK: The network

  var network: [String] {
    let network = scenario.network
    let requests =
      "A round trip takes \(Words.duration(network.roundTrip))\(rest(network.roundTripJitter)); "
      + (network.bandwidth.map { "each direction carries \(Words.size($0))/s." }
        ?? "bandwidth is unlimited.")
    guard network.events == .push else {
      return [
        "Nothing is pushed, neither events nor heartbeats: a cache learns of changes by asking.",
        requests,
      ]
    }
    return [
      "Events are pushed and take \(Words.duration(network.delay))"
        + "\(rest(network.jitter)). A heartbeat every \(Words.duration(network.heartbeat)) "
        + "gives the server's position in the stream."
    ] + contents + [requests, failures(network)]
  }

  /// The content of events, if it is not complete.
  private var contents: [String] {
    switch scenario.events.carry {
    case .whole: []
    case .changes:
      ["An event carries changed fields, and new entities whole."]
    case .ids:
      [
        "An event carries only ids: a read of an entity that it names is a fetch, and so is one of a "
          + "list that may have it now."
      ]
    }
  }

  private func rest(_ mean: Duration) -> String {
    mean == .zero ? "" : ", plus \(Words.duration(mean)) on average"
  }

  private func failures(_ network: NetworkSection) -> String {
    var parts: [String] = []
    if network.loss > 0 { parts.append("\(Words.share(network.loss)) are lost") }
    if network.reorder > 0 {
      parts.append(
        "\(Words.share(network.reorder)) are delayed behind later ones, by "
          + "\(Words.duration(network.reorderDelay)) on average")
    }
    if network.duplicate > 0 { parts.append("\(Words.share(network.duplicate)) arrive twice") }
    if network.stall > 0 {
      parts.append(
        "\(Words.share(network.stall)) stop the link for \(Words.duration(network.stallFor))")
    }
    return parts.isEmpty
      ? "No event is lost, duplicated or reordered." : "Of the events \(Words.list(parts))."
  }

  // MARK: The server

  var server: [String] {
    let server = scenario.server
    let usual = ServerSection()
    let isUsual =
      server.replayEvents == usual.replayEvents && server.replayAge == usual.replayAge
    return [
      "It replays missed events of the last \(Words.duration(server.replayAge)), at most "
        + "\(Words.grouped(server.replayEvents))\(isUsual ? " (the default)" : ""). A client that "
        + "missed more is notified, and all its cached rows become stale.",
      "An answer that the client already has is "
        + (server.notModified ? "only confirmed." : "sent again."),
    ] + absence.lines
  }

  // MARK: Faults

  var faults: [String] {
    var groups: [(fault: FaultSection, times: [Duration])] = []
    for fault in scenario.faults {
      let index = groups.firstIndex {
        $0.fault.kind == fault.kind && $0.fault.length == fault.length
          && $0.fault.every == fault.every && $0.fault.error == fault.error
          && $0.fault.client == fault.client
      }
      if let index {
        groups[index].times.append(fault.at)
      } else {
        groups.append((fault, [fault.at]))
      }
    }
    return groups.map { fault, times in
      "At \(Words.list(times.map { Words.duration($0) })): \(text(fault))."
    }
  }

  private func text(_ fault: FaultSection) -> String {
    let whose = fault.client.map { "of \($0)" } ?? "of every client"
    let length = Words.duration(fault.length)
    return switch fault.kind {
    case .partition:
      "the link \(whose) is down for \(length)" + absence.missed(during: fault.length)
    case .stall: "the link \(whose) delivers nothing for \(length), then all at once"
    case .serverRestart: "the server restarts, and cannot replay earlier events"
    case .errors: "every request \(whose) is answered with an error for \(length)"
    case .appRestart:
      "the process \(whose) ends, and another begins"
        + (fault.every.map { ", then again every \(Words.duration($0))" } ?? "")
    case .storage:
      "the storage \(whose) refuses to write for \(length) "
        + "(\(fault.error?.rawValue ?? ""))"
    case .unanswered:
      "for \(length) the server executes the writes \(whose) and never answers"
    }
  }
}

/// Rates of changes and visits of users in words.
enum TrainWords {
  /// Returns the rate of one device's operations; empty: never.
  static func operations(_ rate: Double, _ burst: BurstSection?) -> String {
    var parts: [String] = []
    if rate > 0 { parts.append("\(Words.rate(rate)) at random") }
    if let burst {
      parts.append(
        "bursts of \(Words.count(burst.operations, "operation")) at \(Words.rate(burst.rate)), one "
          + "every \(Words.duration(burst.every))")
    }
    return Words.list(parts)
  }

  /// Returns the mean number of operations of a group in an interval.
  static func count(
    _ devices: Int, _ rate: Double, _ burst: BurstSection?, in length: Duration
  ) -> Double {
    let bursts = burst.map { Double($0.operations) / $0.every.inSeconds } ?? 0
    return Double(devices) * (rate + bursts) * length.inSeconds
  }

  static func total(
    count devices: Int, _ rate: Double, _ burst: BurstSection?, in length: Duration
  ) -> String {
    let total = count(devices, rate, burst, in: length)
    let hours = length.inSeconds / 3_600
    return "Together \(Words.about(total / hours)) an hour, \(Words.about(total)) in the run."
  }

  /// Returns the number of users, their visits and their pace.
  static func people(
    _ name: String, _ clients: Int, _ visits: VisitSection?, _ active: [ActiveWindow],
    _ think: ThinkTime, _ reaction: ClientScript.Reaction
  ) -> String {
    var text = "\(name): \(Words.count(clients, "client"))"
    if let visits {
      text +=
        "; visits at \(Words.rate(visits.rate)) of \(Words.duration(visits.length)) on average, "
        + (visits.between == .suspended ? "disconnected" : "connected") + " between them"
    }
    if !active.isEmpty {
      let windows = active.map { "at \(Words.duration($0.at)) for \(Words.duration($0.length))" }
      text += "; active \(Words.list(windows))"
    }
    text += "; \(Words.duration(think.mean)) on average between two steps"
    text += think.distribution == .exponential ? " (exponential)" : " (at least a tenth of that)"
    text += reaction == .waits ? "; waits for answers" : ""
    return text + "."
  }
}

/// The caches under test and their goal, in sentences.
struct CacheWords {
  private let scenario: Scenario
  private var cache: CacheSection { scenario.cache }

  init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  // MARK: Shared settings

  /// Limits and times, then replacements for the presets' own values.
  var shared: [String] {
    let ofMethods = scenario.queryNames.enumerated().compactMap { place, name in
      cache.timeToLivePerMethod[DataModel.kind(ofShape: place)].map {
        "  time-to-live.\(name) \(Words.duration($0)), how long a result of this query is fresh."
      }
    }
    let choices = lines(of: { !$0.isShared })
    return ["Each policy takes the settings that its preset uses:"] + lines(of: \.isShared)
      + ofMethods + (choices.isEmpty ? [] : ["Every policy but the bounds takes:"] + choices)
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

  // MARK: Compared policies

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

  // MARK: Goals

  var aims: [String] {
    let ship = scenario.goal
    var text =
      "Recommend the policy with the \(ship.seeks == .highest ? "highest" : "lowest") \(ship.metric.name)"
    if ship.staleWeight > 0 {
      text += ", less \(Words.number(ship.staleWeight)) for each stale read"
    }
    if !ship.constraints.isEmpty {
      text += ", subject to \(Words.list(ship.constraints.map(\.text)))"
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
    return "Target: \(metric.name)\(part)\(statistic) \(sign) \(limit), for \(bound)."
  }
}
