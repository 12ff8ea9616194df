import Dispatch
import Foundation
import Synchronization

/// A thread that gives way to the others of its process, for work that takes milliseconds.
///
/// The threads that tasks share are as many as processors. Two batches of a thousand files, decoded
/// there, would keep every reader waiting that long; here they keep nobody.
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
      Scheduling.lowerThread()
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

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.waiting.withLock {
      $0.append { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
    jobs.signal.signal()
  }
}
