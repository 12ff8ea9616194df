/// Why a pipeline run has no result.
package enum PipelineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A process ended that should not have.
  case processDied(name: String, detail: String)
  /// A process did not do what it was asked.
  case processFailed(name: String, detail: String)
  /// Not everything that the devices sent has come to the screen.
  case incomplete(seconds: Double, sent: Int, reached: UInt64, control: Int)
  /// A client lost its connection: what it would have been told next has no latency, and would be
  /// missing among the slowest.
  case disconnected(isControl: Bool)
  /// Something that a run waits for has not come about.
  case neverCame(String)
  /// After the cache was filled nothing is in it.
  case keepsNothing
  /// Observers were not told of events that changed what they observe.
  case notificationsMissing(count: Int)
  /// The cache shows something else than the server holds.
  case divergent(directories: Int, first: Int)
  case stampsOutOfOrder(sequence: UInt64)
  /// The path of the socket does not fit into an address.
  case pathTooLong(String)

  package var description: String {
    switch self {
    case .processDied(let name, let detail): "the \(name) ended while it was needed: \(detail)"
    case .processFailed(let name, let detail): "the \(name) failed: \(detail)"
    case .incomplete(let seconds, let sent, let reached, let control):
      "\(seconds) s after the last of \(sent) events was due, the cache stands at \(reached) and "
        + "the control has seen \(control); lower --rate to what this machine can carry"
    case .disconnected(let isControl):
      "the \(isControl ? "control" : "client") lost its connection; lower --rate to what this machine "
        + "can carry"
    case .neverCame(let what):
      "gave up waiting until \(what); the machine may be too slow for this run"
    case .keepsNothing:
      "the cache keeps nothing of what it fetched; use a composition that keeps observed queries"
    case .notificationsMissing(let count):
      "\(count) events changed an observed query without notifying its observers; use a composition "
        + "that keeps observed queries, or report a fault of the cache"
    case .divergent(let directories, let first):
      "\(directories) listings differ from what the server holds, the first is that of directory "
        + "\(first); this is a fault of the cache or of the pipeline"
    case .stampsOutOfOrder(let sequence):
      "the stamps of event \(sequence) are not in order; the clock is not the same in all processes"
    case .pathTooLong(let path):
      "the socket's path \"\(path)\" has more than \(SyncEndpoint.longestPath) bytes; set TMPDIR to "
        + "a shorter folder"
    }
  }
}
