import CacheModel

/// What a store knows of an entry.
struct StoredEntry<Key: ResponseKey, Body: Sendable>: Sendable {
  /// A body on its way to its file.
  struct Pending: Sendable {
    var version: BodyVersion
    var body: Body
    /// The change that brought it: once that is written, the start can tell the new body from the old.
    var change: UInt64
  }

  var key: Key
  var tags: [TextKey] = []
  var lastRead: Instant
  /// What its file holds.
  var onDisk: BodyVersion?
  /// What it may hold instead: the process ended while a body of the same size was replaced.
  var alternatives: [BodyVersion] = []
  var pending: Pending?
  /// Another for each time that its key was stored again.
  let origin: UInt64
  /// Another for each body that it has had.
  var number: UInt64
  /// The change that brought it; 0: it was there at the start.
  var created: UInt64 = 0
  /// The last change of anything.
  var change: UInt64 = 0
  /// The last change of the tags, or of the file's body.
  var promised: UInt64 = 0

  /// The body that is served.
  var current: BodyVersion? { pending?.version ?? onDisk }

  /// All that its file may hold now.
  var fileVersions: [BodyVersion] { (onDisk.map { [$0] } ?? []) + alternatives }

  /// All that it may hold before long.
  var versions: [BodyVersion] { fileVersions + (pending.map { [$0.version] } ?? []) }

  init(key: Key, lastRead: Instant, number: UInt64) {
    self.key = key
    self.lastRead = lastRead
    origin = number
    self.number = number
  }

  /// Has the server asked before any of its bodies is used again.
  mutating func forbidUse() {
    onDisk?.permission = .afterAsking
    pending?.version.permission = .afterAsking
    for index in alternatives.indices { alternatives[index].permission = .afterAsking }
  }

  /// - Returns: whether it had not been there.
  mutating func add(_ tag: TextKey) -> Bool {
    let place = tags.firstIndex { $0 >= tag } ?? tags.endIndex
    guard place == tags.endIndex || tags[place] != tag else { return false }
    tags.insert(tag, at: place)
    return true
  }

  /// - Returns: whether it had been there.
  mutating func remove(_ tag: TextKey) -> Bool {
    guard let place = tags.firstIndex(of: tag) else { return false }
    tags.remove(at: place)
    return true
  }
}

/// The file of a body.
struct BodyFile<Key: ResponseKey>: Hashable, Sendable {
  var key: Key
  var kind: ResponseKind
}

/// A queue in which each thing waits once, and from which it may be taken.
struct UniqueQueue<Element: Hashable & Sendable>: Sendable {
  private var queue: [Element] = []
  private var head = 0
  private var waiting: Set<Element> = []

  var count: Int { waiting.count }

  mutating func append(_ element: Element) {
    if waiting.insert(element).inserted { queue.append(element) }
  }

  mutating func remove(_ element: Element) { waiting.remove(element) }

  mutating func removeAll() { self = UniqueQueue() }

  /// The first; it stays.
  mutating func first() -> Element? {
    while head < queue.count, !waiting.contains(queue[head]) { head += 1 }
    guard head < queue.count else {
      removeAll()
      return nil
    }
    if head > 1_024 {
      queue.removeFirst(head)
      head = 0
    }
    return queue[head]
  }

  mutating func popFirst() -> Element? {
    guard let element = first() else { return nil }
    head += 1
    waiting.remove(element)
    return element
  }
}
