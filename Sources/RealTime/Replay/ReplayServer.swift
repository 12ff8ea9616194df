import CacheModel
import NormalizedCache
import Synchronization

/// A server whose answers come when the replay says.
actor ReplayServer: CacheSource {
  private typealias Answer<Value> = CheckedContinuation<Value, any Error>

  private var fetches: [FetchTarget: [Answer<FetchResponse<AppValue>>]] = [:]
  private var reconciles: [Answer<ReconcileResponse<AppValue>>] = []
  private var isClosed = false

  /// Why there is no answer.
  enum Failure: Error {
    case failed
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<AppValue> {
    if isClosed { throw Failure.failed }
    return try await withCheckedThrowingContinuation {
      fetches[request.target, default: []].append($0)
    }
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<AppValue> {
    if isClosed { throw Failure.failed }
    return try await withCheckedThrowingContinuation { reconciles.append($0) }
  }

  /// How many requests for a target are under way.
  func requests(for target: FetchTarget) -> Int { fetches[target]?.count ?? 0 }

  /// Answers one of the requests for a target, counted from the oldest; `nil`: it fails.
  ///
  /// - Returns: whether there was one.
  func answer(
    _ target: FetchTarget, request place: Int, _ response: FetchResponse<AppValue>?
  ) -> Bool {
    guard place < requests(for: target), let request = fetches[target]?.remove(at: place) else {
      return false
    }
    if fetches[target]?.isEmpty == true { fetches[target] = nil }
    request.resume(with: response.map { .success($0) } ?? .failure(Failure.failed))
    return true
  }

  /// The same for a reconcile.
  func answer(_ response: ReconcileResponse<AppValue>?) -> Bool {
    guard !reconciles.isEmpty else { return false }
    reconciles.removeFirst()
      .resume(with: response.map { .success($0) } ?? .failure(Failure.failed))
    return true
  }

  /// Fails what is still asked, and whatever will be.
  func close() {
    isClosed = true
    for request in fetches.values.joined() { request.resume(throwing: Failure.failed) }
    for request in reconciles { request.resume(throwing: Failure.failed) }
    fetches = [:]
    reconciles = []
  }
}

/// Shows the virtual time of the replay, and wakes no one: what is due is done when the replay says.
final class ReplayClock: CacheClock {
  private let nanoseconds = Atomic<Int64>(0)

  var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .acquiring)) }
  var wallClock: Instant { now }

  func set(_ instant: Instant) {
    nanoseconds.store(instant.nanoseconds, ordering: .releasing)
  }

  func sleep(until instant: Instant) async throws {
    // Until it is cancelled: no run lasts a day.
    try await Task.sleep(for: .seconds(86_400))
  }
}
