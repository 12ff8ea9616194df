import CacheModel
import NormalizedCache
import Synchronization

/// An observer that does not keep up with its cache.
package enum StalledObserver: String, Sendable, CaseIterable {
  /// Its callback blocks the cache for 200 ms, at most once a second: what it must not do.
  case callback
  /// A stream of each listing, whose reader takes one element and never comes back.
  case stream

  /// For how long a callback blocks, and how often at most.
  static let block = Duration.milliseconds(200)
  static let interval = Duration.seconds(1)
}

/// Those of one run.
struct StalledObservers: Sendable {
  var callback: BlockingCallback?
  var streams: AbandonedStreams?

  /// How often a callback has blocked; `nil` where there is none.
  var blocks: Int? { callback?.blocks }
}

/// A callback that blocks whoever calls it, now and then.
final class BlockingCallback: Sendable {
  private let clock = MonotonicClock()
  private let state = Mutex((blocks: 0, next: Instant?.none))
  private let isArmed = Atomic(false)

  /// How often it has blocked.
  var blocks: Int { state.withLock { $0.blocks } }

  /// From now on it blocks.
  func arm() { isArmed.store(true, ordering: .releasing) }

  func call() {
    guard isArmed.load(ordering: .acquiring) else { return }
    let now = clock.now
    let isTime = state.withLock { state in
      guard now >= state.next ?? now else { return false }
      state.next = now.advanced(by: StalledObserver.interval)
      state.blocks += 1
      return true
    }
    guard isTime else { return }
    // On the caller's thread, as a callback that decodes an image would.
    let end = now.advanced(by: StalledObserver.block)
    while clock.now < end { Pause.thread(forNanoseconds: 1_000_000) }
  }
}

/// Readers of streams that took what there was at first, and have not come back.
struct AbandonedStreams: Sendable {
  private let streams: [AsyncStream<QuerySnapshot<FilePayload>>]

  /// Subscribes to each query, which must have been fetched.
  init(of keys: [QueryKey], in cache: NormalizedCache<MeasurementSchema>) async {
    var streams: [AsyncStream<QuerySnapshot<FilePayload>>] = []
    for key in keys {
      let stream = await cache.updates(of: key)
      var reader = stream.makeAsyncIterator()
      _ = await reader.next()
      streams.append(stream)
    }
    self.streams = streams
  }
}
