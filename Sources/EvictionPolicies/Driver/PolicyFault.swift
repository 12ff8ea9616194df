public import Containers

/// How an eviction policy did not keep to the guarantees of ``EvictionPolicy``.
public struct PolicyFault: Error, Hashable, Sendable {
  /// The policy's name.
  public var policy: String
  public var kind: Kind

  public enum Kind: Hashable, Sendable {
    /// The victim left the order because something held it back, and was not released since.
    case retainedVictim(Slot)
    /// The victim left the order by a removal.
    case removedVictim(Slot)
    /// The victim was never in the order.
    case unknownVictim(Slot)
    /// There was no victim, though the order had so many.
    case noVictim(of: Int)
  }

  public init(policy: String, kind: Kind) {
    self.policy = policy
    self.kind = kind
  }
}

extension PolicyFault: CustomStringConvertible {
  /// One sentence: what it did, and what to do about it.
  public var description: String { "eviction policy \"\(policy)\": \(cause); \(remedy)" }

  private var cause: String {
    switch kind {
    case .retainedVictim(let slot):
      "nextVictim() named slot \(slot), which didRetain took out of the order and didRelease has not put back"
    case .removedVictim(let slot):
      "nextVictim() named slot \(slot), which didRemove took out of the order"
    case .unknownVictim(let slot):
      "nextVictim() named slot \(slot), which was never in the order"
    case .noVictim(let count):
      "nextVictim() returned nil, though \(count == 1 ? "1 entity" : "\(count) entities") may be evicted"
    }
  }

  private var remedy: String {
    switch kind {
    case .retainedVictim:
      "forget the slot in didRetain, or leave that method to its default, which calls didRemove"
    case .removedVictim: "forget the slot in didRemove, whatever the cause"
    case .unknownVictim: "name only slots that didInsert or didRelease brought"
    case .noVictim:
      "keep every slot that didInsert or didRelease brings until didRetain or didRemove takes it"
    }
  }
}
