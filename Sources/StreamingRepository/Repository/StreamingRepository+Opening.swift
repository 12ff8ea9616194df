package import CacheModel
import Dispatch

extension StreamingRepository {
  /// Opens or creates a file, and starts.
  ///
  /// The account of the last launch is logged in again. A damaged file is renamed (``keptAside``) and a new
  /// one created, since the server has its contents. Opening takes time proportional to the file's size,
  /// outside the caller's threads.
  ///
  /// - Parameters:
  ///   - path: the file, in an existing folder.
  ///   - sources: one for each table; tables without a source are deleted.
  ///   - options: triggers, ways to write, and limits.
  ///   - onFailure: called on any thread with failures that no call waits for.
  /// - Returns: the repository, which has started.
  /// - Throws: ``RepositoryError/invalidOption(_:)``, or an error of the file.
  public static func open(
    path: String, sources: [any RepositorySource], options: RepositoryOptions = RepositoryOptions(),
    onFailure: @escaping @Sendable (RepositoryFailure) -> Void = { _ in }
  ) async throws(RepositoryError) -> StreamingRepository {
    let clock = ContinuousClock()
    let start = clock.now
    return try await open(
      path: path, sources: sources, options: options,
      now: { .zero.advanced(by: start.duration(to: clock.now)) }, onFailure: onFailure)
  }

  /// Opens a file under a test's clock.
  package static func open(
    path: String, sources: [any RepositorySource], options: RepositoryOptions,
    now: @escaping @Sendable () -> Instant,
    onFailure: @escaping @Sendable (RepositoryFailure) -> Void
  ) async throws(RepositoryError) -> StreamingRepository {
    try options.check()
    guard !path.utf8.contains(0) else {
      throw .invalidOption("path: it contains a NUL character, where the system ends it; remove it")
    }
    let named = sources.map { AnySource($0) }
    try check(named.map(\.name))
    let views = ViewRegistry()
    let opened = try await opened(path, named, options) { views.committed($0, at: now()) }
    let repository = try StreamingRepository(
      opened.file, sources: named, options: options, account: opened.account, views: views,
      keptAside: opened.keptAside, now: now, onFailure: onFailure)
    await repository.start()
    return repository
  }

  private static func check(_ names: [TextKey]) throws(RepositoryError) {
    // SQLite and GRDB treat names as one that are equal in Swift or differ only in case.
    var known: Set<String> = []
    for name in names.map(\.text) {
      guard !name.utf8.contains(0) else {
        throw .invalidOption("sources: the name of a table contains a NUL character; remove it")
      }
      guard known.insert(name.lowercased()).inserted else {
        throw .invalidOption("sources: two of them fill \(name); give one for each table")
      }
      guard !name.lowercased().hasPrefix("tidemark"), !name.lowercased().hasPrefix("sqlite") else {
        throw .invalidOption("sources: no table can be called \(name); give it another name")
      }
    }
  }

  private struct Opened: Sendable {
    var file: RepositoryFile
    var account: TextKey?
    var keptAside: String?
  }

  /// Runs on a thread that may wait for the disk.
  private static func opened(
    _ path: String, _ sources: [AnySource], _ options: RepositoryOptions,
    committed: @escaping @Sendable (TextKey) -> Void
  ) async throws(RepositoryError) -> Opened {
    let result: Result<Opened, RepositoryError> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { () throws(RepositoryError) in
            try openNow(path, sources, options, committed: committed)
          })
      }
    }
    return try result.get()
  }

  private static func openNow(
    _ path: String, _ sources: [AnySource], _ options: RepositoryOptions,
    committed: @escaping @Sendable (TextKey) -> Void
  ) throws(RepositoryError) -> Opened {
    let open = { () throws(RepositoryError) -> Opened in
      do {
        let file = try RepositoryFile(
          path: path, sources: sources, options: options, committed: committed)
        return Opened(file: file, account: try file.shownAccount())
      } catch {
        throw RepositoryError(error, path: path)
      }
    }
    do throws(RepositoryError) {
      return try open()
    } catch {
      guard case .damaged = error else { throw error }
      var keptAside: String
      do {
        keptAside = try DamagedFile.keepAside(path)
      } catch {
        throw .file(path: path, "it is damaged, and cannot be put aside: \(error); move it away")
      }
      var opened = try open()
      opened.keptAside = keptAside
      return opened
    }
  }
}
