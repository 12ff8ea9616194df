/// A guarantee of `EvictionPolicy` that an order broke, and how to see it again.
public struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
  /// What a policy owes; the raw value says it.
  public enum Guarantee: String, Hashable, Sendable {
    case victimIsInTheOrder = "nextVictim names a slot that is in the order"
    case victimUnlessEmpty = "nextVictim is nil only when the order is empty"
    case nothingFromEmpty = "nextVictim is nil when the order is empty"
    case sameSeedSameVictims = "the same source of random numbers gives the same victims"
    case batchesAreHitsInTurn = "a batch of hits is its hits, one after the other"
    case loopsAgree = "the compiled replay loop and the dynamic door count the same"
    case isDescribed = "its name, summary and source are as EvictionPolicy says"
  }

  public var policy: String
  public var guarantee: Guarantee
  /// How many entities the cache was to hold; `nil`: no limit was told.
  public var capacity: Int?
  public var seed: UInt64
  /// The operation of the random drive at which it showed; `nil` where a whole run is compared.
  public var step: Int?
  /// What was seen.
  public var detail: String

  /// One line: policy, place, what was seen, and what it owes.
  public var description: String {
    let size = capacity.map { "capacity \($0)" } ?? "no capacity"
    let place = step.map { ", step \($0)" } ?? ""
    return "\(policy) (\(size), seed \(seed)\(place)): \(detail); it owes: \(guarantee.rawValue)"
  }
}
