import CacheModel
import Dispatch
public import GRDB
import Synchronization

/// A sequence of a view's rows: the current ones, and new ones whenever they change.
///
/// Each iterator observes the file separately and returns only the newest rows: a slow view skips some. The
/// sequence ends when the repository is released, and does not keep it alive.
public struct RepositoryUpdates<Row: RepositoryRow>: AsyncSequence, Sendable {
  public typealias Element = [Row]
  public typealias Failure = RepositoryError

  let begin: @Sendable () -> AsyncStream<Result<[Row], RepositoryError>>

  public func makeAsyncIterator() -> Iterator {
    Iterator(base: begin().makeAsyncIterator())
  }

  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Result<[Row], RepositoryError>>.Iterator

    /// Returns the next rows; `nil`: the repository was released, or the task was cancelled.
    ///
    /// - Throws: an error of the file; the sequence then ends.
    public mutating func next() async throws(RepositoryError) -> [Row]? {
      try await next(isolation: nil)
    }

    /// Returns the next rows to an isolated caller.
    ///
    /// - Parameter actor: the caller's actor.
    /// - Returns: the next rows; `nil`: the repository was released, or the task was cancelled.
    /// - Throws: an error of the file; the sequence then ends.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RepositoryError) -> [Row]? {
      try await base.next(isolation: actor)?.get()
    }
  }
}

extension StreamingRepository {
  /// Returns the current account's rows of a table from the file, without waiting for the network.
  ///
  /// Counts as a view; see ``RepositoryTrigger/firstView``. Without a user there are no rows.
  ///
  /// - Parameters:
  ///   - type: the row type of the table.
  ///   - query: filters and sorts.
  /// - Returns: the rows.
  /// - Throws: an error of the file, or ``RepositoryError/unknownCollection(_:)``.
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

  /// Returns a sequence of the current account's rows of a table, now and after each change.
  ///
  /// Counts as a view while it is iterated. It follows logins and logouts.
  ///
  /// - Parameters:
  ///   - type: the row type of the table.
  ///   - query: filters and sorts.
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
      // The account is stored in the file, so a login is observed like any other write.
      let observation = ValueObservation.trackingConstantRegion {
        try query(RowTable.shown(Row.self)).fetchAll($0)
      }.removeDuplicates {
        // Equal strings may differ in bytes, and an app passes shown identifiers back.
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
