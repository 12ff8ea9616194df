package import CacheModel

/// Who starts and stops the other participants of a run: processes in a measurement, tasks in a test.
package protocol PipelinePeers: Sendable {
  /// Starts the server.
  ///
  /// - Returns: where it listens.
  func startServer() async throws -> SyncEndpoint
  /// Starts all devices; they are connected when this returns.
  func startDevices(at endpoint: SyncEndpoint) async throws
  /// Lets every device begin, counted from an instant.
  func begin(at start: Instant) async throws
  /// Returns when all devices have had all mutations accepted; throws where a participant ends before.
  func finish() async throws
  /// The participant that has ended already: what else failed is what came of that.
  func casualty() async -> PipelineError?
  /// Ends all in order and leaves nothing behind.
  func stop() async
}
