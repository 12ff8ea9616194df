import Foundation
import GRDB
import NormalizedCache

/// The file behind a storage; synchronous.
///
/// Sendable without being checked: whoever has it calls it on one serial queue only.
final class SQLiteFile: @unchecked Sendable {
  private let configuration: SQLiteStorage.Configuration
  private var connection: DatabaseQueue?
  /// Whether the file was read, or begun again: only then is it written to.
  private var mayWrite = false
  private(set) var writtenRows = 0

  init(_ configuration: SQLiteStorage.Configuration) {
    self.configuration = configuration
  }

  func load() throws(StorageError) -> CacheStorage.State {
    do {
      let connection = try open()
      let state = try connection.read { db in
        try FileSchema.checkIntegrity(db)
        return try StateReader.read(db)
      }
      mayWrite = true
      return state
    } catch {
      throw settle(error)
    }
  }

  func write(_ batch: CacheStorage.Batch) throws(StorageError) {
    guard mayWrite else { throw .closed }
    do {
      let connection = try open()
      let batch = batch.replacesAll ? Trimming.fitting(batch, into: trimmedBytes) : batch
      do {
        try connection.write { try BatchWriter.write(batch, to: $0) }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
        // Space may be had from what was used longest ago.
        try trim(connection)
        try connection.write { try BatchWriter.write(batch, to: $0) }
      }
      writtenRows += batch.entities.count + batch.queries.count
      if try connection.read({ try FileSchema.usedBytes($0) }) > highMark { try trim(connection) }
    } catch {
      throw settle(error)
    }
  }

  func close() {
    mayWrite = false
    disconnect()
  }

  // MARK: Space

  private var highMark: Int { TrimMarks.high(of: configuration.maximumBytes) }
  private var trimmedBytes: Int { TrimMarks.low(of: configuration.maximumBytes) }

  /// Drops what was used longest ago, and gives the space back to be used again.
  private func trim(_ connection: DatabaseQueue) throws {
    try connection.write { try Trimming.trim($0, to: trimmedBytes) }
    // Rows dropped here and there leave holes that new rows do not fill.
    try connection.vacuum()
  }

  // MARK: Opening

  private func open() throws -> DatabaseQueue {
    if let connection { return connection }
    guard !configuration.path.utf8.contains(0) else {
      throw StorageError.failed(
        "the path of the file contains a NUL character, where the system ends it; remove it")
    }
    try FileHeader.check(configuration.path)
    let opened = try DatabaseQueue(path: configuration.path, configuration: options)
    do {
      if configuration.isReadOnly {
        try opened.read { try FileSchema.check($0, path: configuration.path) }
      } else {
        try opened.writeWithoutTransaction {
          try FileSchema.prepare(
            $0, path: configuration.path, maximumBytes: configuration.maximumBytes)
        }
      }
    } catch {
      try? opened.close()
      throw error
    }
    connection = opened
    return opened
  }

  private var options: Configuration {
    var options = Configuration()
    options.label = "tidemark"
    options.readonly = configuration.isReadOnly
    options.busyMode = .timeout(
      TimeInterval(configuration.busyTimeout.components.seconds)
        + TimeInterval(configuration.busyTimeout.components.attoseconds) / 1e18)
    return options
  }

  private func disconnect() {
    try? connection?.close()
    connection = nil
  }

  // MARK: Failures

  /// Gives a failure its type, and puts a corrupt file aside.
  private func settle(_ error: any Error) -> StorageError {
    let failure = StorageError(error, path: configuration.path)
    guard case .corrupt = failure else { return failure }
    disconnect()
    do {
      let aside = try FileHeader.setAside(configuration.path)
      mayWrite = true
      return .corrupt(configuration.path, keptAside: aside)
    } catch {
      mayWrite = false
      return .failed(
        "\(configuration.path) is corrupt, and cannot be put aside: \(error); move it away")
    }
  }
}
