import CacheFiles
import CacheModel

/// What is to be done with the files besides writing values, and when.
struct Maintenance: Sendable {
  enum Chore: Sendable {
    case open
    case list
    case delete([StoredFile])
    case deleteAll

    var isList: Bool { if case .list = self { true } else { false } }
    var isDeleteAll: Bool { if case .deleteAll = self { true } else { false } }
  }

  /// In order, before any value is written.
  var waiting: [Chore] = []
  private(set) var current: Chore?
  /// Writes since the last clean-up.
  var writes = 0
  /// When the files were last cleaned up, by the clock at hand.
  private var cleanedUp: Instant?
  /// When a full disk was last tried.
  private var tried: Instant?
  /// Whether the app's developer knows that the disk was full.
  private(set) var saidFull = false
  /// The bytes of all files, as they were listed and written since.
  var bytes = 0

  var isIdle: Bool { waiting.isEmpty && current == nil }

  var isDeletingAll: Bool { current?.isDeleteAll == true || waiting.contains { $0.isDeleteAll } }

  mutating func begin() -> Chore? {
    guard current == nil, !waiting.isEmpty else { return nil }
    current = waiting.removeFirst()
    return current
  }

  mutating func end() -> Chore? {
    defer { current = nil }
    return current
  }

  mutating func scheduleList() {
    writes = 0
    if !waiting.contains(where: \.isList) { waiting.append(.list) }
  }

  /// Whether a clean-up is due, by the count of writes or by time.
  mutating func isDue(_ options: TwoTierOptions, at now: Instant) -> Bool {
    if let limit = options.cleanUpWrites, writes >= limit { return true }
    guard let interval = options.cleanUpInterval else { return false }
    guard let last = cleanedUp else {
      // The one at the start.
      cleanedUp = now
      return false
    }
    guard now < last || last.duration(to: now) >= interval else { return false }
    cleanedUp = now
    return true
  }

  /// Whether it is time to try a full disk again; if so, it counts as tried.
  mutating func triesFullDisk(_ options: TwoTierOptions, at now: Instant) -> Bool {
    if let tried, now >= tried, tried.duration(to: now) < options.diskRetryInterval { return false }
    tried = now
    return true
  }

  /// A disk has turned out to be full.
  mutating func foundFull(at now: Instant) {
    tried = now
    saidFull = true
  }
}
