public import CacheModel

extension NormalizedCache {
  /// Who observes which query.
  ///
  /// Each observed query has a number, which the store hands back with a notification: so a commit looks
  /// no key up.
  @usableFromInline struct ObserverTable: Sendable {
    /// The observers of one query, in the order in which they came; none where the number is free.
    @usableFromInline struct List: Sendable {
      @usableFromInline var key: QueryKey
      @usableFromInline var observers: [Entry] = []

      @inlinable init(key: QueryKey) {
        self.key = key
      }
    }

    @usableFromInline struct Entry: Sendable {
      @usableFromInline var identifier: UInt64
      @usableFromInline var callback: Observer
      /// `nil`: it wants to know of commits, and of nothing else.
      @usableFromInline var stream: Stream?

      @inlinable init(identifier: UInt64, callback: @escaping Observer, stream: Stream?) {
        self.identifier = identifier
        self.callback = callback
        self.stream = stream
      }
    }

    /// What a stream is told besides: apart, so that callbacks lie close together.
    @usableFromInline final class Stream: Sendable {
      /// Called when a fetch of the query begins or ends, or a gap does; `nil`: of no interest.
      ///
      /// It must not write.
      @usableFromInline let onProgress: Observer?
      /// Called when no more callbacks will come because the cache is gone.
      @usableFromInline let onEnd: @Sendable () -> Void

      init(onProgress: Observer?, onEnd: @escaping @Sendable () -> Void) {
        self.onProgress = onProgress
        self.onEnd = onEnd
      }
    }

    @usableFromInline var lists: [List] = []
    @usableFromInline var numbers: [QueryKey: Int32] = [:]
    @usableFromInline var free: [Int32] = []

    @inlinable init() {}

    /// How many observers there are.
    var count: Int { lists.reduce(0) { $0 + $1.observers.count } }

    @inlinable func isObserved(_ key: QueryKey) -> Bool { numbers[key] != nil }

    func count(of key: QueryKey) -> Int { self[key].count }

    @inlinable subscript(key: QueryKey) -> [Entry] {
      numbers[key].map { lists[Int($0)].observers } ?? []
    }

    /// Adds an observer.
    ///
    /// - Returns: the number of its query, from its first observer to its last.
    @inlinable mutating func add(_ entry: Entry, of key: QueryKey) -> Int32 {
      let number = numbers[key] ?? makeNumber(for: key)
      lists[Int(number)].observers.append(entry)
      return number
    }

    @inlinable mutating func makeNumber(for key: QueryKey) -> Int32 {
      let number = free.popLast() ?? Int32(lists.count)
      if Int(number) == lists.count {
        lists.append(List(key: key))
      } else {
        lists[Int(number)].key = key
      }
      numbers[key] = number
      return number
    }

    /// - Returns: the observer that had this identifier; `nil`: there is none.
    @inlinable mutating func remove(_ identifier: UInt64, of key: QueryKey) -> Entry? {
      guard let number = numbers[key],
        let index = lists[Int(number)].observers.firstIndex(where: { $0.identifier == identifier })
      else { return nil }
      let entry = lists[Int(number)].observers.remove(at: index)
      if lists[Int(number)].observers.isEmpty {
        lists[Int(number)].observers = []
        numbers[key] = nil
        free.append(number)
      }
      return entry
    }
  }
}
