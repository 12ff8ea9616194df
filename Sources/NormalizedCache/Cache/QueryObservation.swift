/// A subscription to a query.
///
/// It lasts until ``cancel()`` returns; letting go of this value does not end it, which is what an
/// ``ObservationToken`` is for.
public struct QueryObservation: Sendable {
  @usableFromInline let cancellation: @Sendable () async -> Void

  @inlinable init(cancellation: @escaping @Sendable () async -> Void) {
    self.cancellation = cancellation
  }

  /// Ends the subscription.
  ///
  /// After it returns, no callback comes.
  public func cancel() async {
    await cancellation()
  }
}

/// A subscription that ends when the last reference to it goes.
///
/// ```swift
/// let token = ObservationToken(await cache.observe(open) { cache, key in count(cache.rows(of: key)) })
/// ```
public final class ObservationToken: Sendable {
  private let observation: QueryObservation

  /// Takes a subscription over.
  public init(_ observation: QueryObservation) {
    self.observation = observation
  }

  /// Ends the subscription.
  ///
  /// After it returns, no callback comes; after the last reference has gone, one that is under way may.
  public func cancel() async { await observation.cancel() }

  deinit {
    Task { [observation] in await observation.cancel() }
  }
}
