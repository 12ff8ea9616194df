import CacheModel
import NormalizedCache
import SimulatedStorage

/// What outlives the client's process, and what the oracle knows of it.
struct Disk: Sendable {
  /// What the client held at one instant, and which answers it had been given by then.
  struct Moment: Sendable {
    var image = StoredImage()
    var answers: AnswerLedger
  }

  /// When the client writes; `nil`: it stores nothing, and a new process begins with nothing.
  let settings: WriteBehind?
  var storage = MemoryStorage<Note, NoteMutation>()
  /// The wall clock when the client's own shows zero.
  var epoch = Instant(nanoseconds: 1_000_000_000_000)
  /// Whether the store asked for its changes to be taken.
  var isFlushAsked = false
  /// What is on its way.
  var taken: Moment?
  var stored: Moment
  /// What is stored where nothing is.
  private let blank: Moment
  /// Whether the last batch was refused.
  var hasFailed = false
  /// When something was first seen to have changed that no batch has.
  var changedAt: Instant?

  /// - Parameters:
  ///   - settings: when the client writes.
  ///   - answers: a ledger without any answer.
  init(_ settings: WriteBehind?, _ answers: AnswerLedger) {
    self.settings = settings
    blank = Moment(answers: answers)
    stored = blank
  }

  var isWriting: Bool { storage.batch != nil }

  /// The storage has what the client held when the batch was taken.
  mutating func noteWritten() {
    if let taken { stored = taken }
    taken = nil
    hasFailed = false
  }

  /// Nothing of the batch was written; a storage that turned out corrupt has lost the rest too.
  mutating func noteRefused(_ fault: StorageFault) {
    taken = nil
    hasFailed = true
    guard fault == .corrupt else { return }
    storage = MemoryStorage()
    stored = blank
  }

  /// The process has ended; the next one's clock shows zero after a pause.
  mutating func noteRelaunch(at end: Instant, after pause: Duration) {
    let passed = end.advanced(by: pause)
    epoch = epoch.advanced(byNanoseconds: passed.nanoseconds)
    stored.answers.rebase(by: Instant.zero.duration(to: passed))
    taken = nil
    isFlushAsked = false
    hasFailed = false
    changedAt = nil
  }
}
