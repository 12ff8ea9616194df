#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time that the processor has spent on the calling thread.
///
/// For work that waits for nothing: what else runs on the machine takes no part in it, save by what
/// it does to the caches. Two instants compare only on one thread.
package enum ProcessorTime {
  /// Nanoseconds since the thread began.
  package static func now() -> Int64 {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
