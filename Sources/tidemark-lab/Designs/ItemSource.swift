import StreamingRepository
import Synchronization

/// A server's collection in memory, which changes when it is told to.
final class ItemSource: RepositorySource {
  private let items: Mutex<[Item]>

  init(items: [Item]) { self.items = Mutex(items) }

  /// The bytes of all rows' texts and numbers.
  var payload: Int {
    items.withLock { items in
      items.reduce(0) {
        $0 + $1.id.utf8.count + $1.title.utf8.count + $1.target.utf8.count
          + MemoryLayout<Int64>.size
      }
    }
  }

  /// Changes each row whose place is a multiple of `step`.
  func change(every step: Int) {
    items.withLock { items in
      for index in stride(from: 0, to: items.count, by: step) { items[index].clicks += 1 }
    }
  }

  /// Removes each row whose place is a multiple of `step`.
  func remove(every step: Int) {
    items.withLock { items in
      items = items.enumerated().filter { !$0.offset.isMultiple(of: step) }.map(\.element)
    }
  }

  func fetchAll(for account: String) async throws -> [Item] { items.withLock { $0 } }
}
