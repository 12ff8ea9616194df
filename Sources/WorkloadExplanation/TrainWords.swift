import CacheModel
import Workloads

/// How often others act, and when people are there, in words.
enum TrainWords {
  /// How often one device does something; empty: never.
  static func operations(_ rate: Double, _ burst: BurstSection?) -> String {
    var parts: [String] = []
    if rate > 0 { parts.append("\(Words.rate(rate)) at random") }
    if let burst {
      parts.append(
        "\(Words.count(burst.operations, "operation")) in a burst every "
          + "\(Words.duration(burst.every)), \(Words.rate(burst.rate)) within it")
    }
    return Words.list(parts)
  }

  /// The mean number of operations of a group in a while.
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

  /// Who they are, when they are there, and how fast they go.
  static func people(
    _ name: String, _ clients: Int, _ visits: VisitSection?, _ active: [ActiveWindow],
    _ think: ThinkTime, _ reaction: ClientScript.Reaction
  ) -> String {
    var text = "\(name): \(Words.count(clients, "client"))"
    if let visits {
      text +=
        "; visits \(Words.rate(visits.rate)) of \(Words.duration(visits.length)) on average, "
        + (visits.between == .suspended ? "nothing is heard" : "connected") + " between them"
    }
    if !active.isEmpty {
      let windows = active.map { "at \(Words.duration($0.at)) for \(Words.duration($0.length))" }
      text += "; there \(Words.list(windows))"
    }
    text += "; \(Words.duration(think.mean)) between two steps"
    text += think.distribution == .exponential ? ", exponential" : ", at least a tenth of it"
    text += reaction == .waits ? "; waits for what is asked" : ""
    return text + "."
  }
}
