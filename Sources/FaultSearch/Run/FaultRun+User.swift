import CacheModel
import NormalizedCache

/// What the user does, and the time that passes.
extension FaultRun {
  mutating func performAsUser(_ step: Step) -> Bool {
    switch step {
    case .read(let key):
      read(key)
    case .readEntity(let number):
      let key = EntityKey.note(number)
      let library = NoteWorld.library(of: key)
      let read = store.readEntity(key, library: library, at: now)
      digest.add(UInt64(read.outcome.rawValue))
      digest.add(read.entity?.version.clock ?? 0)
      didCall()
      if read.outcome == .coalesced {
        checkJoined(
          read.fetch, since: entities.lastInvalidation(of: library), about: Oracle.name(key))
      }
    case .observe(let key):
      observe(key)
    case .leave(let key):
      guard let index = observers.firstIndex(where: { $0.key == key }) else { return false }
      uses.note(key, at: calls)
      observers[index].count -= 1
      if observers[index].count == 0 { observers.remove(at: index) }
      store.removeObserver(of: key, at: now)
      didCall()
    case .tag(let key):
      if !tagged.contains(key) { tagged.append(key) }
      store.tag(key, true, at: now)
      didCall()
    case .untag(let key):
      // What is stored as tagged may come back with the next process.
      if !hasStorage { tagged.removeAll { $0 == key } }
      store.tag(key, false, at: now)
      didCall()
    case .invalidate(let key):
      answers.invalidate(at: calls) { $0 == key }
      store.invalidate(key, at: now)
      didCall()
    case .invalidateTag(let tag):
      answers.invalidate(at: calls) { [rules = world.rules] in rules.query($0, matches: tag) }
      noteInvalidated(tag)
      store.invalidate(tag, at: now)
      didCall()
    case .clear(let library):
      clear(library)
    case .release(let percent):
      release(percent)
    case .wait(let milliseconds):
      noteUnstored()
      now = now.advanced(by: .milliseconds(milliseconds))
      store.advance(to: now)
      didCall()
      checkStoredInTime()
    default:
      return false
    }
    return true
  }

  private mutating func read(_ key: QueryKey) {
    uses.note(key, at: calls)
    let read = store.read(key, at: now)
    digest.add(UInt64(read.outcome.rawValue))
    didCall()
    if read.outcome == .hit { checkHit(key, isExpired: read.isExpired) }
    if read.outcome == .coalesced {
      checkJoined(read.fetch, since: answers.entry(key).invalidated, about: Oracle.name(key))
    }
  }

  private mutating func observe(_ key: QueryKey) {
    uses.note(key, at: calls)
    store.addObserver(of: key, at: now)
    if let index = observers.firstIndex(where: { $0.key == key }) {
      observers[index].count += 1
    } else {
      let rows = store.rows(of: key)
      observers.append(ObservedQuery(key: key, shown: rows, rows: rows))
    }
    didCall()
    read(key)
  }
}
