import Dispatch
import Foundation
import NormalizedCache

/// A storage whose disk stalls before every batch, for as long as it is told.
///
/// The stall blocks a thread, as a disk does; it is one of the storage's own.
final class StallingStorage: CacheStorage {
  private let base: any CacheStorage
  private let stall: Duration
  private let queue = DispatchQueue(label: "tidemark.stalling-storage")

  init(_ base: any CacheStorage, stall: Duration) {
    self.base = base
    self.stall = stall
  }

  func load() async throws(StorageError) -> State { try await base.load() }

  func write(_ batch: Batch) async throws(StorageError) {
    await withCheckedContinuation { continuation in
      queue.async { [stall] in
        Thread.sleep(forTimeInterval: stall / .seconds(1))
        continuation.resume()
      }
    }
    try await base.write(batch)
  }

  func close() async { await base.close() }
}
