import CacheModel
import Dispatch
public import GRDB
import Synchronization

/// The rows that a view shows, and the new ones whenever they differ.
///
/// Each iterator observes the file for itself, and has the newest rows only: a view that is slow skips some. It ends
/// when the repository goes, and does not keep it alive.
public struct RepositoryUpdates<Row: RepositoryRow>: AsyncSequence, Sendable {
  public typealias Element = [Row]
  public typealias Failure = RepositoryError

  let begin: @Sendable () -> AsyncStream<Result<[Row], RepositoryError>>

  public func makeAsyncIterator() -> Iterator {
    Iterator(base: begin().makeAsyncIterator())
  }

  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Result<[Row], RepositoryError>>.Iterator

    /// The next rows; `nil`: the repository has gone, or the task was cancelled.
    ///
    /// - Throws: what is wrong with the file; the sequence is over then.
    public mutating func next() async throws(RepositoryError) -> [Row]? {
      try await next(isolation: nil)
    }

    /// The same for a caller that is isolated.
    ///
    /// - Parameter actor: where the caller is.
    /// - Returns: the next rows; `nil`: the repository has gone, or the task was cancelled.
    /// - Throws: what is wrong with the file; the sequence is over then.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RepositoryError) -> [Row]? {
      try await base.next(isolation: actor)?.get()
    }
  }
}

extension StreamingRepository {
  /// The rows of a table that the account at hand has, now, from the file: the network is never waited for.
  ///
  /// A first view; see ``RepositoryTrigger/firstView``. Without a user there are no rows.
  ///
  /// - Parameters:
  ///   - type: which table.
  ///   - query: narrows and orders.
  /// - Returns: the rows.
  /// - Throws: what is wrong with the file, or ``RepositoryError/unknownCollection(_:)``.
  public nonisolated func rows<Row: RepositoryRow>(
    of type: Row.Type = Row.self,
    _ query: @escaping @Sendable (QueryInterfaceRequest<Row>) -> QueryInterfaceRequest<Row> = { $0 }
  ) async throws(RepositoryError) -> [Row] {
    try await view(TextKey(Row.databaseTableName))
    do {
      return try await file.pool.read { try query(RowTable.shown(Row.self)).fetchAll($0) }
    } catch {
      throw RepositoryError(error, path: file.path)
    }
  }

  /// The rows of a table that the account at hand has, and the new ones whenever they differ.
  ///
  /// A view for as long as it is iterated. It follows logins and logouts.
  ///
  /// - Parameters:
  ///   - type: which table.
  ///   - query: narrows and orders.
  /// - Returns: a sequence of rows.
  public nonisolated func updates<Row: RepositoryRow>(
    of type: Row.Type = Row.self,
    _ query: @escaping @Sendable (QueryInterfaceRequest<Row>) -> QueryInterfaceRequest<Row> = { $0 }
  ) -> RepositoryUpdates<Row> {
    let (file, views, now) = (file, views, now)
    let name = TextKey(Row.databaseTableName)
    let beginView = { @Sendable [weak self] () async -> Void in await self?.beginView(name) }
    let endView = { @Sendable [weak self] () async -> Void in await self?.endView(name) }
    return RepositoryUpdates {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Result<[Row], RepositoryError>.self, bufferingPolicy: .bufferingNewest(1))
      guard let view = views.add({ continuation.finish() }), file.tables[name] != nil else {
        if file.tables[name] == nil { continuation.yield(.failure(.unknownCollection(name.text))) }
        continuation.finish()
        return stream
      }
      let latest = Mutex<(hasFirst: Bool, write: Instant?)>((false, nil))
      // Whose rows are shown stands in the file, so a login is seen like any other write.
      let observation = ValueObservation.trackingConstantRegion {
        try query(RowTable.shown(Row.self)).fetchAll($0)
      }.removeDuplicates {
        // Equal texts may differ in bytes, and an app hands the identifiers that it is shown back.
        $0 == $1 && zip($0, $1).allSatisfy { StoredID($0.id) == StoredID($1.id) }
      }
      let observing = observation.start(
        in: file.pool, scheduling: .async(onQueue: views.queue),
        onError: { error in
          continuation.yield(.failure(RepositoryError(error, path: file.path)))
          continuation.finish()
        },
        onChange: { rows in
          latest.withLock { latest in
            if latest.hasFirst {
              latest.write = views.delivered(name, since: latest.write, at: now())
            }
            latest.hasFirst = true
          }
          continuation.yield(.success(rows))
        })
      let begun = Task { await beginView() }
      continuation.onTermination = { _ in
        observing.cancel()
        views.remove(view)
        Task {
          await begun.value
          await endView()
        }
      }
      return stream
    }
  }
}
