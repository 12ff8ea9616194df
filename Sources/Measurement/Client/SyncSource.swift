import CacheModel
import FoundationEssentials
import NormalizedCache
import Synchronization

/// The server behind a cache, at the other end of a socket.
struct SyncSource: CacheSource {
  let client: SyncClient
  /// Listings that the cache has asked for.
  let fetches = FetchCount()
  private let directoryOfQuery: [QueryKey: UUID]

  init(client: SyncClient, library: FileLibrary) {
    self.client = client
    directoryOfQuery = Dictionary(
      zip(library.queryKeys, library.directoryIDs), uniquingKeysWith: { first, _ in first })
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    guard case .query(let key) = request.target, let directory = directoryOfQuery[key] else {
      throw MeasurementError.unexpectedRequest("\(request.target)")
    }
    fetches.increment()
    return try await files(ofDirectory: directory, library: key.library)
  }

  /// A directory's files as the server has them.
  func files(
    ofDirectory directory: UUID, library: LibraryID
  ) async throws -> FetchResponse<FilePayload> {
    let answer = try await client.request { .query(.init(id: $0, directory: directory)) }
    guard case .rows(let rows) = answer else {
      throw SyncProtocolError.unexpected("a \(answer.name) as the answer to a query")
    }
    return FetchResponse(
      entities: rows.resources.map(\.entity), hasMore: false,
      place: EventPlace(
        stream: StreamID(library: library),
        position: StreamPosition(epoch: rows.epoch, sequence: rows.sequence)))
  }

  /// Asks page after page, so that no line is long however much was missed.
  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    var events: [EventEnvelope<FilePayload>] = []
    var position = position
    while true {
      let answer = try await client.request { [position] id in
        .resume(.init(id: id, epoch: position.epoch, after: position.sequence))
      }
      switch answer {
      case .replay(let page):
        events += try page.events.map { event in try event.envelope() }
        position = StreamPosition(epoch: page.epoch, sequence: page.through)
        guard page.hasMore, !page.events.isEmpty else {
          return form == .events
            ? .events(events, through: position)
            : .outline([InvalidationTag(library: stream.library)], through: position)
        }
      case .refetch(let refetch):
        return .tooOld(
          now: StreamPosition(epoch: refetch.epoch, sequence: refetch.sequence))
      default:
        throw SyncProtocolError.unexpected("a \(answer.name) as the answer to a resume")
      }
    }
  }
}

extension SyncSource {
  /// Compares listings of a cache with what the server holds: rows, order, versions and values.
  ///
  /// - Throws: ``PipelineError/divergent(directories:first:)``, or what a request throws.
  func compare(
    _ cache: NormalizedCache<MeasurementSchema>, _ library: FileLibrary, directories: Range<Int>
  ) async throws {
    var divergent: [Int] = []
    for directory in directories {
      let held = try await files(
        ofDirectory: library.directoryIDs[directory], library: library.library)
      let shown = await cache.rows(of: library.queryKey(ofDirectory: directory))
      if shown != held.entities { divergent.append(directory) }
    }
    if let first = divergent.first {
      throw PipelineError.divergent(directories: divergent.count, first: first)
    }
  }
}

/// How often something was asked for, by whichever task.
final class FetchCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func increment() { count.add(1, ordering: .relaxed) }
}
