import CacheModel
import NormalizedCache

/// The last invalidation and answer of each query, which determine the validity of a hit.
///
/// Times are numbers of calls; an answer is as old as its fetch.
struct AnswerLedger: Sendable {
  struct Entry: Sendable {
    var invalidated = 0
    /// The latest start of an answered fetch.
    var asked = -1
    var answered: Instant?
  }

  private let queries: [QueryKey]
  /// The entries by the query's index.
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

  /// Subtracts a duration from all instants, for a clock that restarts.
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

/// The entities that the app invalidated without a fetch since: none of them is fresh.
struct EntityLedger: Sendable {
  /// The call of the last invalidation, by entity.
  private var invalidated: [(key: EntityKey, call: Int)] = []
  /// The call of the last invalidation of each library.
  private var libraries: [LibraryID: Int] = [:]

  var listed: [EntityKey] { invalidated.map(\.key) }

  /// Returns the call in which a library was last invalidated; 0: never.
  func lastInvalidation(of library: LibraryID) -> Int { libraries[library] ?? 0 }

  mutating func invalidate(_ keys: [EntityKey], of library: LibraryID, at call: Int) {
    libraries[library] = call
    invalidated.removeAll { keys.contains($0.key) }
    invalidated += keys.map { ($0, call) }
  }

  /// Notes an answer with entities for a fetch that began in a call.
  mutating func answer(_ keys: [EntityKey], asked call: Int) {
    invalidated.removeAll { $0.call < call && keys.contains($0.key) }
  }

  /// Removes entities that the app or the cache has removed.
  mutating func forget(where isForgotten: (EntityKey) -> Bool) {
    invalidated.removeAll { isForgotten($0.key) }
  }
}

/// The last use of each query, by number of calls: a read, or its first or last observer.
struct UseLedger: Sendable {
  private var uses: [(key: QueryKey, call: Int)] = []
  /// The queries that had a result after the last call.
  var cached: [QueryKey] = []
  /// The number of evicted queries so far.
  var evicted = 0

  /// Returns the call of a query's last use; `nil`: not in this process.
  func lastUse(of key: QueryKey) -> Int? { uses.first { $0.key == key }?.call }

  mutating func note(_ key: QueryKey, at call: Int) {
    uses.removeAll { $0.key == key }
    uses.append((key, call))
  }
}

extension FaultRun {
  /// Checks that no evicted query was used more recently than an unobserved one that remains.
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

/// The reported and actual result of each queued change, independent of the store.
///
/// A change is acknowledged when it is stored, or answered by the server. From then on it has one of two
/// results: it is applied once, or its rejection is reported to the user.
struct WriteLedger: Sendable {
  /// The acknowledged changes, in order.
  private(set) var acknowledged: [MutationToken] = []
  private(set) var confirmed: Set<MutationToken> = []
  /// The changes that are reported as rejected, directly or with a dependency.
  private(set) var refused: Set<MutationToken> = []
  /// The changes that the server rejected, and would reject again.
  private(set) var refusedByServer: Set<MutationToken> = []
  /// The changes that the user withdrew: a stored one may be restored and performed.
  private var withdrawn: Set<MutationToken> = []
  /// The number of times each change was applied, by its number, since tokens may differ.
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

  /// Notes the loss of the storage: only answered changes remain acknowledged.
  mutating func loseStorage() { acknowledged = acknowledged.filter { !isOpen($0) } }

  mutating func noteEffect(of token: MutationToken) { effects[token.rawValue.low, default: 0] += 1 }

  func effects(of token: MutationToken) -> Int { effects[token.rawValue.low] ?? 0 }

  /// The acknowledged changes without an answer.
  var open: [MutationToken] { acknowledged.filter { isOpen($0) } }

  private func isOpen(_ token: MutationToken) -> Bool {
    !confirmed.contains(token) && !refused.contains(token) && !withdrawn.contains(token)
  }

  func isWithdrawn(_ token: MutationToken) -> Bool { withdrawn.contains(token) }
}

extension FaultRun {
  /// Checks that acknowledged changes without an answer are in the outbox of the store or the storage.
  mutating func checkKept(in outbox: [MutationToken], _ place: String) {
    for token in writes.open where !outbox.contains(token) {
      diverge(
        .acknowledgedIsKept, about: "mutation \(token.rawValue.low)",
        expected: "in \(place), since it was not answered",
        found: "\(outbox.map(\.rawValue.low))")
    }
  }

  /// Checks in the end that every acknowledged change is applied once, or reported as rejected.
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
