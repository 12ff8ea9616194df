import CacheModel

/// What a client calls its writes, and what it creates by them.
enum WriteNames {
  /// A name of the client's own never is one of the server's, which are drawn from all.
  private static let clients: UInt64 = 0xC11E_0000_0000_0000
  private static let mutations: UInt64 = 0x3174_0000_0000_0000

  static func token(of write: UInt32) -> MutationToken {
    MutationToken(rawValue: UniqueID(high: mutations, low: UInt64(write)))
  }

  /// The write of a token.
  static func write(of token: MutationToken) -> UInt32 {
    UInt32(truncatingIfNeeded: token.rawValue.low)
  }

  /// The write that creates what has a key of a client's own; `nil`: it is one of the server's.
  static func write(ofClientKey key: EntityKey) -> UInt32? {
    key.id.high == clients ? UInt32(truncatingIfNeeded: key.id.low) : nil
  }

  /// The key of what a write creates, until the server has given it one.
  static func clientKey(of write: UInt32, type: ResourceType) -> EntityKey {
    EntityKey(type: type, id: UniqueID(high: clients, low: UInt64(write)))
  }
}
