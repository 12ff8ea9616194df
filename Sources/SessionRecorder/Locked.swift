#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A value behind a lock of the system's library.
///
/// Instead of `Synchronization.Mutex`, which ThreadSanitizer does not see on Linux: it would call every
/// access to what that guards a race.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  // The lock is what keeps two accesses apart.
  @exclusivity(unchecked) private var value: Value

  init(_ value: consuming sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
