import CacheModel
import Foundation
import NormalizedCache
import Synchronization
import Workloads

/// A server whose answers are controlled by the replay.
actor ReplayServer: CacheSource {
  private typealias Answer<Value> = CheckedContinuation<Value, any Error>

  private var fetches: [FetchTarget: [Answer<FetchResponse<AppValue>>]] = [:]
  private var reconciles: [Answer<ReconcileResponse<AppValue>>] = []
  private var isClosed = false

  /// The reason for a missing answer.
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

  /// Returns the number of pending requests for a target.
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

  /// Answers a reconcile request in the same way.
  func answer(_ response: ReconcileResponse<AppValue>?) -> Bool {
    guard !reconciles.isEmpty else { return false }
    reconciles.removeFirst()
      .resume(with: response.map { .success($0) } ?? .failure(Failure.failed))
    return true
  }

  /// Fails all pending and future requests.
  func close() {
    isClosed = true
    for request in fetches.values.joined() { request.resume(throwing: Failure.failed) }
    for request in reconciles { request.resume(throwing: Failure.failed) }
    fetches = [:]
    reconciles = []
  }
}

/// The virtual time of the replay; it never wakes a task, since the replay performs what is due.
final class ReplayClock: CacheClock {
  private let nanoseconds = Atomic<Int64>(0)

  var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .acquiring)) }
  var wallClock: Instant { now }

  func set(_ instant: Instant) {
    nanoseconds.store(instant.nanoseconds, ordering: .releasing)
  }

  func sleep(until instant: Instant) async throws {
    // Until it is cancelled: no run takes a day.
    try await Task.sleep(for: .seconds(86_400))
  }
}

/// The first line of an event's bytes, followed by the items, one per line.
struct EventFrame: Codable, Sendable {
  var library: [UInt64]
  var epoch: UInt32?
  var sequence: UInt64?
  /// The resource types of the items.
  var types: [UInt16] = []
  var deleted: [Key]?
  var version: [UInt64]?
  var notice: Notice?
  /// The origin of a batch.
  var origin: String?

  struct Key: Codable, Sendable {
    var type: UInt16
    var high: UInt64
    var low: UInt64

    init(_ key: EntityKey) {
      type = key.type.rawValue
      high = key.id.high
      low = key.id.low
    }
  }

  struct Notice: Codable, Sendable {
    var type: UInt16?
    var location: [UInt64]?
    var count: Int
    var token: UInt64
  }

  init(place: EventPlace?) {
    let id = place?.stream.library.rawValue
    library = id.map { [$0.high, $0.low] } ?? []
    epoch = place?.position.epoch
    sequence = place?.position.sequence
  }

  /// Returns an event from its bytes, with the items still encoded.
  ///
  /// - Throws: `DecodingError` if the first line is no frame.
  static func event(in bytes: Data, decoder: JSONDecoder) throws -> WireEvent {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
    let frame = try decoder.decode(EventFrame.self, from: lines.popFirst() ?? Data())
    let content: WireEvent.Content
    if let notice = frame.notice {
      content = .bulkNotice(
        WireScope(
          library: frame.libraryID, location: notice.location.map(Self.id),
          type: notice.type.map(Self.name)),
        count: notice.count, token: notice.token)
    } else if let deleted = frame.deleted {
      content = .deleted(
        deleted.map {
          WireKey(type: Self.name($0.type), id: UniqueID(high: $0.high, low: $0.low))
        },
        version: Version(clock: frame.version?.first ?? 0, device: frame.version?.last ?? 0))
    } else if frame.types.isEmpty {
      content = .infrastructure
    } else {
      content = .changed(
        zip(frame.types, lines).map { WireItem(type: Self.name($0), bytes: Array($1)) })
    }
    return WireEvent(
      place: frame.place, content: content,
      origin: frame.origin.flatMap { EventOrigin(rawValue: $0) })
  }

  private var libraryID: LibraryID { LibraryID(rawValue: Self.id(library)) }

  private var place: EventPlace? {
    guard let epoch, let sequence else { return nil }
    return EventPlace(
      stream: StreamID(library: libraryID),
      position: StreamPosition(epoch: epoch, sequence: sequence))
  }

  private static func id(_ words: [UInt64]) -> UniqueID {
    UniqueID(high: words.first ?? 0, low: words.last ?? 0)
  }

  private static func name(_ type: UInt16) -> String { "\(type)" }

  /// Returns the decoders for the items of a model.
  ///
  /// - Throws: never, as each type is registered once.
  static func registry(of model: DataModel) throws -> ResourceTypeRegistry<AppValue> {
    var registry = ResourceTypeRegistry<AppValue>()
    for place in model.types.indices {
      let type = DataModel.resourceType(ofType: place)
      let decoder = JSONDecoder()
      try registry.register(name(type.rawValue), as: type) { bytes in
        try decoder.decode(AppValue.self, from: Data(bytes)).entity
      }
    }
    return registry
  }
}

/// The same bytes on the same path without a cache: an actor that receives the decoded event and calls one
/// observer.
struct ReplayControl: Subject, Sendable {
  /// Encoded events, the next one first.
  private var messages: ArraySlice<Data>
  private let notifier: Notifier
  private let stamps: ObserverStamps
  private let committed: @Sendable () -> Void
  private let registry: ResourceTypeRegistry<AppValue>
  private let decoder = JSONDecoder()
  private let clock: ContinuousCacheClock

  init(messages: [Data], of model: DataModel, clock: ContinuousCacheClock) throws {
    self.messages = messages[...]
    self.clock = clock
    registry = try EventFrame.registry(of: model)
    let stamps = ObserverStamps()
    self.stamps = stamps
    committed = { stamps.commit(at: clock.now) }
    notifier = Notifier([[{ stamps.notify(at: clock.now) }]])
  }

  /// Decodes one event and passes it to the actor.
  mutating func perform(_ count: Int) async throws -> Handover {
    guard count == 1, let bytes = messages.popFirst() else {
      preconditionFailure("no event is left")
    }
    let decoded = registry.decode(try EventFrame.event(in: bytes, decoder: decoder))
    let decodedAt = clock.now
    await notifier.receive(decoded, of: 0, committed: committed)
    let (committed, notified, _) = stamps.take()
    return Handover(began: decodedAt, committed: committed, notified: notified)
  }
}
