import ArgumentParser
import CommandLineInterface
import EvictionPolicies
import Text
import TraceReplay

/// How operations are replayed.
struct ReplayRuleOptions: ParsableArguments {
  @Option(help: "What an update does to a copy: invalidate, or unseen (it is served, stale).")
  var updates: ReplayRules.Updates = .invalidate

  @Option(
    help: ArgumentHelp(
      "How long a copy lives, where the trace gives it no lifetime; default: forever.",
      valueName: "300s"))
  var timeToLive: String?

  @Option(
    help: ArgumentHelp(
      "The time from request to request in a trace without times, for lifetimes.",
      valueName: "1ms"))
  var requestInterval: String?

  /// - Throws: `QuantityError` for what is no duration.
  func options() throws -> Replay.Options {
    Replay.Options(
      updates: updates,
      timeToLive: try timeToLive.map { try Self.nanoseconds($0, of: "--time-to-live") },
      interval: try requestInterval.map { try Self.nanoseconds($0, of: "--request-interval") })
  }

  /// No lifetime is longer.
  private static let century: Int64 = 36_500 * 86_400 * 1_000_000_000

  private static func nanoseconds(_ text: String, of option: String) throws -> Int64 {
    try Dimension.duration.whole(text, of: option, in: 1...century)
  }
}

extension ReplayRules.Updates: ExpressibleByArgument {}
