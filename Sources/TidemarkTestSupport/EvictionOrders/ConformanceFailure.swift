/// A guarantee of `EvictionPolicy` that an order broke, and how to see it again.
package struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
  package enum Guarantee: String, Hashable, Sendable {
    case victimIsInTheOrder = "nextVictim names a slot that is in the order"
    case victimUnlessEmpty = "nextVictim is nil only when the order is empty"
    case nothingFromEmpty = "nextVictim is nil when the order is empty"
    case sameSeedSameVictims = "the same source of random numbers gives the same victims"
    case batchesAreHitsInTurn = "a batch of hits is its hits, one after the other"
    case loopsAgree = "the compiled replay loop and the dynamic door count the same"
  }

  package var policy: String
  package var guarantee: Guarantee
  package var capacity: Int?
  package var seed: UInt64
  /// The operation of the random drive at which it showed; `nil` where a whole run is compared.
  package var step: Int?
  package var detail: String

  package var description: String {
    let size = capacity.map { "capacity \($0)" } ?? "no capacity"
    let place = step.map { ", step \($0)" } ?? ""
    return "\(policy) (\(size), seed \(seed)\(place)): \(detail); it owes: \(guarantee.rawValue)"
  }
}
