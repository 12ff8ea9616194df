/// What an ``EventCacheUpdater`` has counted since it was made.
public struct EventTally: Hashable, Sendable {
  /// Events applied, heartbeats not among them.
  public private(set) var events = 0
  public private(set) var heartbeats = 0
  /// Items that could not be decoded.
  public private(set) var undecodableItems = 0
  /// Items and keys whose resource type is not registered.
  public private(set) var unknownItems = 0
  /// The same by the server's name of the type, for the first ``maximumNames`` names that came.
  ///
  /// Names come from the wire, so their number and length are bounded; what is beyond counts in
  /// ``unknownItems`` alone.
  public private(set) var unknownTypes: [String: Int] = [:]

  public static let maximumNames = 64
  /// The longest name that is kept, in bytes of UTF-8.
  public static let maximumNameLength = 256

  @usableFromInline init() {}

  @usableFromInline mutating func countEvent() { events += 1 }

  @usableFromInline mutating func countHeartbeat() { heartbeats += 1 }

  /// - Parameters:
  ///   - undecodable: how many items could not be decoded.
  ///   - unknown: the names of the types that are not registered, one for each item.
  @usableFromInline mutating func countItems(undecodable: Int, unknown: [String]) {
    undecodableItems += undecodable
    for name in unknown { countUnknown(name) }
  }

  private mutating func countUnknown(_ name: String) {
    unknownItems += 1
    if let count = unknownTypes[name] {
      unknownTypes[name] = count + 1
    } else if unknownTypes.count < Self.maximumNames, name.utf8.count <= Self.maximumNameLength {
      unknownTypes[name] = 1
    }
  }
}
