import ArgumentParser
import EvictionPolicies
import TraceReplay

/// How operations are replayed.
struct ReplayRuleOptions: ParsableArguments {
  @Option(help: "What an update does to a copy: invalidate, or unseen (it is served, stale).")
  var updates: ReplayRules.Updates = .invalidate

  @Option(
    help: ArgumentHelp(
      "How long a copy lives, where the trace gives it no lifetime; default: for ever.",
      valueName: "300s"))
  var timeToLive: String?

  @Option(
    help: ArgumentHelp(
      "The time from request to request in a trace without times, for lifetimes.",
      valueName: "1ms"))
  var requestInterval: String?

  /// - Throws: ``CommandFailure`` for what is no duration.
  func options() throws -> Replay.Options {
    Replay.Options(
      updates: updates,
      timeToLive: try timeToLive.map {
        try DurationText.nanoseconds($0, option: "--time-to-live")
      },
      interval: try requestInterval.map {
        try DurationText.nanoseconds($0, option: "--request-interval")
      })
  }
}

extension ReplayRules.Updates: ExpressibleByArgument {}
