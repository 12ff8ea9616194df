import CacheModel
import Workloads

/// The network, the server and what breaks, in sentences.
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
      "A request takes \(Words.duration(network.roundTrip)) there and back"
      + "\(rest(network.roundTripJitter)); "
      + (network.bandwidth.map { "each direction carries \(Words.size($0))/s." }
        ?? "no bandwidth limits what is carried.")
    guard network.events == .push else {
      return [
        "Nothing is pushed, neither events nor heartbeats: a cache knows what it asks for.",
        requests,
      ]
    }
    return [
      "Events are pushed, and are \(Words.duration(network.delay)) under way"
        + "\(rest(network.jitter)). A heartbeat tells every \(Words.duration(network.heartbeat)) "
        + "where the server stands.", requests, failures(network),
    ]
  }

  private func rest(_ mean: Duration) -> String {
    mean == .zero ? "" : ", and \(Words.duration(mean)) longer on average"
  }

  private func failures(_ network: NetworkSection) -> String {
    var parts: [String] = []
    if network.loss > 0 { parts.append("\(Words.share(network.loss)) never arrive") }
    if network.reorder > 0 {
      parts.append(
        "\(Words.share(network.reorder)) fall behind later ones, by "
          + "\(Words.duration(network.reorderDelay)) on average")
    }
    if network.duplicate > 0 { parts.append("\(Words.share(network.duplicate)) arrive twice") }
    if network.hold > 0 {
      parts.append(
        "at \(Words.share(network.hold)) the link stops for \(Words.duration(network.holdFor))")
    }
    return parts.isEmpty
      ? "No event is lost, doubled or overtaken." : "Of events \(Words.list(parts))."
  }

  // MARK: The server

  var server: [String] {
    let server = scenario.server
    let usual = ServerSection()
    let isUsual =
      server.replayEvents == usual.replayEvents && server.replayAge == usual.replayAge
    return [
      "To a client that missed events it replays those of the last "
        + "\(Words.duration(server.replayAge)), and at most \(Words.grouped(server.replayEvents))"
        + "\(isUsual ? ", which is the default" : ""). Who missed more is told so, and what is held "
        + "counts as stale.",
      "An answer that the client has already is "
        + (server.notModified ? "only confirmed." : "sent again."),
    ] + absence.lines
  }

  // MARK: What breaks

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
    case .serverRestart: "the server begins again, and can replay nothing from before"
    case .errors: "every request \(whose) is answered with an error for \(length)"
    case .appRestart:
      "the process \(whose) ends, and another begins"
        + (fault.every.map { ", and so again every \(Words.duration($0))" } ?? "")
    case .storage:
      "the storage \(whose) refuses what is to be written for \(length) "
        + "(\(fault.error?.rawValue ?? ""))"
    case .unanswered:
      "for \(length) the server carries out what users \(whose) write, and never answers"
    }
  }
}
