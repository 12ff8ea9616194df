import CacheModel
import Workloads

extension NetworkFit {
  func write(for workload: Workload, to text: inout FittedText) {
    let asked = workload.network
    text.gap()
    text.add(0, "network:")
    func minute(_ nanoseconds: Double) -> String { FittedText.duration(min(nanoseconds, 60e9)) }
    text.add(2, "round-trip: \(minute(Double(asked.minimumRoundTrip)))")
    text.add(2, "round-trip-jitter: \(minute(Double(asked.meanExtra)))")
    if let bandwidth = asked.bytesPerSecond { text.add(2, "bandwidth: \(bandwidth) B/s") }
    guard workload.pushesEvents else {
      text.add(2, "events: none")
      return
    }
    text.add(2, "delay", delay, minute)
    text.add(2, "jitter", jitter, minute)
    text.add(2, "heartbeat", heartbeat) {
      FittedText.duration(min(max($0, 1e8), 86_400e9))
    }
    // A few events are on their way when a link goes down.
    for (name, share) in [
      ("loss", loss), ("duplicate", duplicate), ("reorder", reorder),
    ] where share.isMeasured && share.value > 0.005 {
      text.add(2, name, share) { FittedText.share(min($0, 0.99)) }
    }
  }
}
