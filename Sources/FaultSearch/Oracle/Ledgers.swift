import CacheModel
import NormalizedCache

/// When each query was last invalidated, and last answered: what a hit is judged by.
///
/// Calls of the store are the clock; an answer is as old as the fetch that asked for it.
struct AnswerLedger: Sendable {
  struct Entry: Sendable {
    var invalidated = 0
    /// The latest beginning of a fetch that was answered.
    var asked = -1
    /// When an answer last came.
    var answered: Instant?
  }

  /// Every query that may be asked.
  private let queries: [QueryKey]
  /// By the query's place among them.
  private var entries: [Entry]

  init(_ queries: [QueryKey]) {
    self.queries = queries
    entries = [Entry](repeating: Entry(), count: queries.count)
  }

  func entry(_ key: QueryKey) -> Entry {
    queries.firstIndex(of: key).map { entries[$0] } ?? Entry()
  }

  mutating func invalidate(at call: Int, where matches: (QueryKey) -> Bool) {
    for (index, key) in queries.enumerated() where matches(key) {
      entries[index].invalidated = call
    }
  }

  /// Tells instants by a clock that shows so much less.
  mutating func rebase(by duration: Duration) {
    for index in entries.indices {
      entries[index].answered = entries[index].answered?.advanced(by: .zero - duration)
    }
  }

  mutating func answer(_ key: QueryKey, asked call: Int, at now: Instant) {
    guard let index = queries.firstIndex(of: key) else { return }
    entries[index].asked = max(entries[index].asked, call)
    entries[index].answered = now
  }
}

/// Which entities were invalidated by the app, and not asked for since: none of them is fresh.
struct EntityLedger: Sendable {
  /// The call of the last invalidation, by entity.
  private var invalidated: [(key: EntityKey, call: Int)] = []
  /// The call of the last invalidation of each library.
  private var libraries: [LibraryID: Int] = [:]

  /// The entities in question, in the order in which they were invalidated.
  var listed: [EntityKey] { invalidated.map(\.key) }

  /// The call in which a library was last invalidated; 0: never.
  func lastInvalidation(of library: LibraryID) -> Int { libraries[library] ?? 0 }

  mutating func invalidate(_ keys: [EntityKey], of library: LibraryID, at call: Int) {
    libraries[library] = call
    invalidated.removeAll { keys.contains($0.key) }
    invalidated += keys.map { ($0, call) }
  }

  /// An answer brought entities to a fetch that began in a call.
  mutating func answer(_ keys: [EntityKey], asked call: Int) {
    invalidated.removeAll { $0.call < call && keys.contains($0.key) }
  }

  /// The app knows better, or the cache has forgotten them.
  mutating func forget(where isForgotten: (EntityKey) -> Bool) {
    invalidated.removeAll { isForgotten($0.key) }
  }
}

/// When each query was last used, in calls of the store: read, or observed for the first or last time.
struct UseLedger: Sendable {
  private var uses: [(key: QueryKey, call: Int)] = []
  /// The queries that had a result after the last call.
  var cached: [QueryKey] = []
  /// How many had left by then.
  var evicted = 0

  /// The call of a query's last use; `nil`: not in this process.
  func lastUse(of key: QueryKey) -> Int? { uses.first { $0.key == key }?.call }

  mutating func note(_ key: QueryKey, at call: Int) {
    uses.removeAll { $0.key == key }
    uses.append((key, call))
  }
}

extension FaultRun {
  /// No query left at the maximum that was used later than one which nobody observes, and which stays.
  mutating func checkLeft() {
    guard oracle.dropsLeastUsed else { return }
    let cached = store.queriesWithResult
    let before = uses.cached
    uses.cached = cached
    guard store.statistics.queriesEvicted > uses.evicted else { return }
    uses.evicted = store.statistics.queriesEvicted
    let stayed = cached.filter { key in
      !tagged.contains(key) && !observers.contains { $0.key == key }
    }
    for key in before
    where !cached.contains(key) && store.causeOfDeparture(of: key) == .missEvicted {
      guard let use = uses.lastUse(of: key) else { continue }
      for other in stayed {
        guard let earlier = uses.lastUse(of: other), earlier < use else { continue }
        diverge(
          .leastUsedLeaves, about: Oracle.name(key),
          expected: "\(Oracle.name(other)), last used in call \(earlier), to leave first",
          found: "left, last used in call \(use)")
      }
    }
  }
}

/// What the user was told of each queued change, and what the servers did, kept beside the store.
///
/// A change is acknowledged when it lies on the storage, or when the server's word has come. From then on
/// it ends in one of two ways: it takes effect once, or the user is told that it was refused.
struct WriteLedger: Sendable {
  /// In the order in which they were acknowledged.
  private(set) var acknowledged: [MutationToken] = []
  private(set) var confirmed: Set<MutationToken> = []
  /// Told to be refused, by itself or with what it needs.
  private(set) var refused: Set<MutationToken> = []
  /// Refused by the server, which says the same when it is asked again.
  private(set) var refusedByServer: Set<MutationToken> = []
  /// Taken back by the user: what had been stored may come back and be carried out.
  private var withdrawn: Set<MutationToken> = []
  /// How often each change took effect, by its number, whatever it was called on the way.
  private var effects: [UInt64: Int] = [:]

  mutating func acknowledge(_ tokens: [MutationToken]) {
    for token in tokens where !acknowledged.contains(token) { acknowledged.append(token) }
  }

  mutating func confirm(_ token: MutationToken) {
    acknowledge([token])
    confirmed.insert(token)
  }

  mutating func refuse(_ token: MutationToken, with others: [MutationToken]) {
    refusedByServer.insert(token)
    refused.formUnion(others)
    refused.insert(token)
  }

  mutating func withdraw(_ tokens: [MutationToken]) { withdrawn.formUnion(tokens) }

  /// The storage has lost what it had: only what was answered remains acknowledged.
  mutating func loseStorage() { acknowledged = acknowledged.filter { !isOpen($0) } }

  mutating func noteEffect(of token: MutationToken) { effects[token.rawValue.low, default: 0] += 1 }

  func effects(of token: MutationToken) -> Int { effects[token.rawValue.low] ?? 0 }

  /// Those that are acknowledged, and wait for an answer.
  var open: [MutationToken] { acknowledged.filter { isOpen($0) } }

  private func isOpen(_ token: MutationToken) -> Bool {
    !confirmed.contains(token) && !refused.contains(token) && !withdrawn.contains(token)
  }

  func isWithdrawn(_ token: MutationToken) -> Bool { withdrawn.contains(token) }
}

extension FaultRun {
  /// What is acknowledged and not answered is in the outbox, of the store or on the storage.
  mutating func checkKept(in outbox: [MutationToken], _ place: String) {
    for token in writes.open where !outbox.contains(token) {
      diverge(
        .acknowledgedIsKept, about: "mutation \(token.rawValue.low)",
        expected: "in \(place), since it was not answered",
        found: "\(outbox.map(\.rawValue.low))")
    }
  }

  /// At the end every acknowledged change is in effect once, or was refused, and told so.
  mutating func checkWrites() {
    for token in writes.acknowledged where !writes.isWithdrawn(token) {
      let effects = writes.effects(of: token)
      let isRefused = writes.refused.contains(token)
      if effects != (isRefused ? 0 : 1), effects < 2 {
        diverge(
          .acknowledgedIsKept, about: "mutation \(token.rawValue.low)",
          expected: isRefused ? "no effect, since it was told to be refused" : "in effect",
          found: "\(effects) effects")
      }
    }
  }
}
