import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that gives way to the others of its process, for work that takes milliseconds.
///
/// The threads that tasks share are as many as processors. Two batches of a thousand files, decoded
/// there, would keep every reader waiting that long; here they keep no one.
final class BackgroundThread: TaskExecutor {
  /// What the thread holds, so that it does not keep the executor alive.
  private final class Jobs: Sendable {
    let waiting = Mutex<[@Sendable () -> Void]>([])
    let isOver = Atomic(false)
    let signal = DispatchSemaphore(value: 0)
  }

  private let jobs = Jobs()

  init() {
    Thread.detachNewThread { [jobs] in
      Self.lowerPriority()
      while true {
        jobs.signal.wait()
        guard let job = jobs.waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          if jobs.isOver.load(ordering: .acquiring) { return }
          continue
        }
        job()
      }
    }
  }

  deinit {
    jobs.isOver.store(true, ordering: .releasing)
    jobs.signal.signal()
  }

  /// Lets the calling thread wait for the others of its process.
  private static func lowerPriority() {
    #if canImport(Glibc)
      let policy = sched_getscheduler(0)
      guard policy == SCHED_RR || policy == SCHED_FIFO else {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        return
      }
      var parameters = sched_param()
      guard sched_getparam(0, &parameters) == 0 else { return }
      parameters.sched_priority = max(parameters.sched_priority - 1, 1)
      sched_setscheduler(0, policy, &parameters)
    #else
      pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #endif
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.waiting.withLock {
      $0.append { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
    jobs.signal.signal()
  }
}
