public import CacheModel

/// Keeps a cache up to date from any sequence of events: the app's web socket, pipe or test script.
///
/// It takes one event at a time, decodes it here (never on the cache's actor), applies it there in one
/// commit, and only then asks for the next: it holds no queue of its own, so a sequence that bounds
/// its buffer is bounded altogether. Events of one sequence are applied in its order. An updater may
/// consume several sequences at once, one for each stream.
///
/// ```swift
/// let updater = EventCacheUpdater(cache: cache, registry: registry)
/// let following = Task { try await updater.consume(socket.events) }
/// ```
///
/// After a lost connection consume the events of the new one: what came between is a gap, which the
/// cache closes by itself. It keeps its cache alive; cancel the task that consumes to let both go.
public final actor EventCacheUpdater<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload

  @usableFromInline let cache: NormalizedCache<Schema>
  @usableFromInline let registry: ResourceTypeRegistry<Payload>
  @usableFromInline let library: LibraryID?
  @usableFromInline let onFailure: (@Sendable (DecodingFailure) -> Void)?

  @usableFromInline var counted = EventTally()

  /// What has been counted so far.
  public var tally: EventTally { counted }

  /// Makes an updater.
  ///
  /// - Parameters:
  ///   - cache: what is kept up to date.
  ///   - registry: decodes wire events; not needed for ready envelopes.
  ///   - library: whose events they are that have no place in a stream; `nil`: not known, so that any
  ///     library may be concerned.
  ///   - onFailure: told of each item that cannot be decoded, before the rest of its event is applied.
  public init(
    cache: NormalizedCache<Schema>,
    registry: ResourceTypeRegistry<Payload> = ResourceTypeRegistry(), library: LibraryID? = nil,
    onFailure: (@Sendable (DecodingFailure) -> Void)? = nil
  ) {
    self.cache = cache
    self.registry = registry
    self.library = library
    self.onFailure = onFailure
  }

  /// Decodes and applies events until the sequence ends or the task is cancelled.
  ///
  /// What the sequence has handed over is applied, also when it fails or the task is cancelled
  /// afterwards.
  ///
  /// - Throws: the sequence's error.
  @inlinable public func consume<Events: AsyncSequence>(
    _ events: sending Events
  ) async throws(Events.Failure) where Events.Element == WireEvent {
    var iterator = events.makeAsyncIterator()
    while !Task.isCancelled, let event = try await iterator.next(isolation: self) {
      await apply(event)
    }
  }

  /// Applies ready envelopes until the sequence ends or the task is cancelled.
  ///
  /// What the sequence has handed over is applied, also when it fails or the task is cancelled
  /// afterwards.
  ///
  /// - Throws: the sequence's error.
  @inlinable public func consume<Events: AsyncSequence>(
    _ events: sending Events
  ) async throws(Events.Failure) where Events.Element == EventEnvelope<Payload> {
    var iterator = events.makeAsyncIterator()
    while !Task.isCancelled, let envelope = try await iterator.next(isolation: self) {
      await apply(.event(envelope))
    }
  }

  /// Decodes and applies one event; it is committed when this returns.
  @inlinable public func apply(_ event: WireEvent) async {
    let decoded = registry.decode(event)
    counted.countItems(undecodable: decoded.failures.count, unknown: decoded.unknownTypes)
    if let onFailure { for failure in decoded.failures { onFailure(failure) } }
    if let message = decoded.message { await apply(message) }
  }

  /// Applies one message; it is committed when this returns.
  @inlinable public func apply(_ message: ServerMessage<Payload>) async {
    switch message {
    case .event(let envelope):
      await cache.receive(envelope, library: library)
      counted.countEvent()
    case .heartbeat(let place):
      await cache.receiveHeartbeat(place)
      counted.countHeartbeat()
    }
  }
}
