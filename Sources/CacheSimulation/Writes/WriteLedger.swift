import CacheModel
import Workloads

/// The notices to one client's user about each write, kept outside of the cache.
struct WriteLedger: Sendable {
  /// The client's first write among the workload's; its writes are consecutive.
  let first: UInt32
  private(set) var records: [Record?]

  /// A write that was made; times are in nanoseconds.
  struct Record: Sendable {
    let madeAt: Int64
    let isQueued: Bool
    var shownAt: Int64?
    /// When it was stored, or confirmed.
    var acknowledgedAt: Int64?
    var sentAt: Int64?
    /// When an event confirmed it.
    var heardAt: Int64?
    var confirmedAt: Int64?
    var refusedAt: Int64?
    /// When the user was notified of an unknown result, or a rejection.
    var failedAt: Int64?
    /// Whether the process ended before the write was acknowledged or answered.
    var isUnacknowledged = false

    /// Whether the user has been notified of the result.
    var isOver: Bool {
      confirmedAt != nil || refusedAt != nil || failedAt != nil || isUnacknowledged
    }
  }

  init(_ workload: Workload, client: Int) {
    let own = workload.writes.indices.filter { workload.writes[$0].client == UInt32(client) }
    first = UInt32(own.first ?? 0)
    records = [Record?](repeating: nil, count: own.count)
  }

  var isEmpty: Bool { records.isEmpty }

  subscript(write: UInt32) -> Record? { records[Int(write - first)] }

  /// Returns whether a write is this client's.
  func has(_ write: UInt32) -> Bool { write >= first && Int(write - first) < records.count }

  mutating func begin(_ write: UInt32, isQueued: Bool, at now: Instant) {
    records[Int(write - first)] = Record(madeAt: now.nanoseconds, isQueued: isQueued)
  }

  /// Records when something happened first.
  mutating func note(
    _ path: WritableKeyPath<Record, Int64?>, of write: UInt32, at now: Instant
  ) {
    let index = Int(write - first)
    guard records[index] != nil, records[index]?[keyPath: path] == nil else { return }
    records[index]?[keyPath: path] = now.nanoseconds
  }

  /// Ends the process: writes that were neither acknowledged nor answered are unknown to the next.
  mutating func endProcess() {
    for index in records.indices {
      guard let record = records[index], !record.isOver, record.acknowledgedAt == nil else {
        continue
      }
      records[index]?.isUnacknowledged = true
    }
  }

  /// Returns the results of all writes, compared with the server's.
  ///
  /// - Parameters:
  ///   - effects: how often each of the workload's writes took effect.
  ///   - warmUp: earlier writes are not counted, unless they were lost or took effect twice.
  /// - Returns: the figures of the writes that were made.
  func tally(effects: [Int], from warmUp: Int64) -> WriteTally {
    var tally = WriteTally()
    for (index, record) in records.enumerated() {
      let effects = effects[Int(first) + index]
      if effects > 1 { tally.twice += 1 }
      guard let record else { continue }
      if record.acknowledgedAt != nil, effects == (record.refusedAt == nil ? 0 : 1) {
        tally.lost += 1
      }
      guard record.madeAt >= warmUp else { continue }
      tally.made += 1
      if record.refusedAt != nil { tally.refused += 1 }
      if record.failedAt != nil { tally.failed += 1 }
      if record.isUnacknowledged { tally.unacknowledged += 1 }
      if let shown = record.shownAt { tally.timesToShown.append(shown - record.madeAt) }
      if let confirmed = record.confirmedAt {
        tally.timesToConfirmed.append(confirmed - record.madeAt)
      }
      if record.isQueued, let sent = record.sentAt {
        tally.waits.append(sent - record.madeAt)
      }
    }
    return tally
  }
}

struct WriteTally: Sendable {
  var made = 0
  var refused = 0
  var failed = 0
  var lost = 0
  var twice = 0
  var unacknowledged = 0
  /// In nanoseconds.
  var timesToShown: [Int64] = []
  var timesToConfirmed: [Int64] = []
  var waits: [Int64] = []

  mutating func add(_ other: WriteTally) {
    made += other.made
    refused += other.refused
    failed += other.failed
    lost += other.lost
    twice += other.twice
    unacknowledged += other.unacknowledged
    timesToShown += other.timesToShown
    timesToConfirmed += other.timesToConfirmed
    waits += other.waits
  }
}

/// A client's names of its writes, and of the objects that they create.
enum WriteNames {
  /// A prefix of client names that the server's, which are random, do not have.
  private static let clients: UInt64 = 0xC11E_0000_0000_0000
  private static let mutations: UInt64 = 0x3174_0000_0000_0000

  static func token(of write: UInt32) -> MutationToken {
    MutationToken(rawValue: UniqueID(high: mutations, low: UInt64(write)))
  }

  static func write(of token: MutationToken) -> UInt32 {
    UInt32(truncatingIfNeeded: token.rawValue.low)
  }

  /// Returns the write that creates the object with a client's key; `nil`: the key is the server's.
  static func write(ofClientKey key: EntityKey) -> UInt32? {
    key.id.high == clients ? UInt32(truncatingIfNeeded: key.id.low) : nil
  }

  /// Returns the key of an object that a write creates, until the server has assigned one.
  static func clientKey(of write: UInt32, type: ResourceType) -> EntityKey {
    EntityKey(type: type, id: UniqueID(high: clients, low: UInt64(write)))
  }
}
