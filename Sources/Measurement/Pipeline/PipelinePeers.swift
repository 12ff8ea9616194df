package import CacheModel
package import NormalizedCache

/// Who starts and stops the other participants of a run: processes in a measurement, tasks in a test.
package protocol PipelinePeers: Sendable {
  /// Starts the server, or starts it again after it was killed, with the state it had.
  ///
  /// - Returns: where it listens, the same each time.
  func startServer() async throws -> SyncEndpoint
  /// Starts all devices, or those again that were killed; they are connected when this returns.
  func startDevices(at endpoint: SyncEndpoint) async throws
  /// Lets every device begin, counted from an instant; those that were started again, at once.
  func begin(at start: Instant) async throws
  /// Starts the client with a storage of its own, or starts it again after it was killed.
  ///
  /// - Returns: where it went on, when it has caught up.
  func startClient(at endpoint: SyncEndpoint) async throws -> Resumption
  /// Has that client wait for an event and compare itself with the server; it ends then.
  func finishClient(through sequence: UInt64) async throws
  /// Ends the server, one process of devices, or that client, without a warning.
  func kill(_ fault: PipelinePlan.Fault) async throws
  /// Returns when all devices have had all mutations accepted; throws where a participant ends that
  /// nobody killed.
  func finish() async throws
  /// An empty storage for the cache under test; it is gone when everybody has been stopped.
  func makeStorage() async throws -> any CacheStorage
  /// The participant that has ended though nobody killed it: what else failed is what came of that.
  func casualty() async -> PipelineError?
  /// Ends everybody in order and leaves nothing behind.
  func stop() async
}
