#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the system shares its processors between this process and others.
package enum Scheduling {
  /// Why a process is not scheduled in real time.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case notPermitted
    case notAvailable
    case failed(code: Int32)

    package var description: String {
      switch self {
      case .notPermitted:
        "this user may not use real-time scheduling; run as root, or allow it: `ulimit -r 10`, after "
          + "\"rtprio 10\" for the user in /etc/security/limits.conf"
      case .notAvailable: "real-time scheduling is not available on this system; omit it"
      case .failed(let code): "real-time scheduling was refused with error \(code); omit it"
      }
    }
  }

  /// The lowest that precedes every ordinary process, and leaves room below for what may wait.
  private static let realTimePriority: Int32 = 10

  #if canImport(Glibc)
    /// Puts every thread of this process, those to come, and processes that it starts from now on
    /// before all ordinary ones (SCHED_RR).
    package static func beginRealTime() throws(Failure) {
      var parameters = sched_param(sched_priority: realTimePriority)
      for thread in threads where sched_setscheduler(thread, SCHED_RR, &parameters) != 0 {
        // A thread that has just ended needs nothing.
        if errno == ESRCH { continue }
        throw errno == EPERM ? .notPermitted : .failed(code: errno)
      }
    }

    /// The threads that there are.
    private static var threads: [pid_t] {
      guard let folder = opendir("/proc/self/task") else { return [0] }
      defer { closedir(folder) }
      var threads: [pid_t] = []
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let thread = pid_t(name) { threads.append(thread) }
      }
      return threads
    }
  #else
    package static func beginRealTime() throws(Failure) { throw .notAvailable }
  #endif
}
