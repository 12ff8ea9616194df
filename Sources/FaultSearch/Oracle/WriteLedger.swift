import CacheModel
import NormalizedCache

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
