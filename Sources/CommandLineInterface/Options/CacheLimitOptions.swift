package import ArgumentParser
package import CacheProcesses
import Text

/// What a cache in a process may take, where that is not as usual.
package struct CacheLimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long a cache in a process may take to say hello; default: 30s.", valueName: "TIME"))
  package var cacheStart: String?

  @Option(
    help: ArgumentHelp("How long it may take for a turn; default: 10s.", valueName: "TIME"))
  package var cacheTurn: String?

  @Option(
    help: ArgumentHelp(
      "The memory it may take, in resident bytes; default: 4GiB.", valueName: "SIZE"))
  package var cacheMemory: String?

  package init() {}

  /// - Throws: `QuantityError` for what is no such quantity.
  package func limits() throws -> CacheLimits {
    var limits = CacheLimits()
    if let cacheStart {
      limits.startSeconds = try Self.seconds(cacheStart, of: "--cache-start")
    }
    if let cacheTurn { limits.turnSeconds = try Self.seconds(cacheTurn, of: "--cache-turn") }
    if let cacheMemory {
      limits.memoryBytes = Int(
        try Dimension.size.whole(cacheMemory, of: "--cache-memory", in: 1 << 20...1 << 50))
    }
    return limits
  }

  private static func seconds(_ text: String, of option: String) throws -> Double {
    let day: Int64 = 86_400_000_000_000
    return Double(try Dimension.duration.whole(text, of: option, in: 1_000_000...day)) / 1e9
  }
}
