import CacheModel
public import EvictionPolicies

/// Checks that a policy keeps every guarantee of `EvictionPolicy`, by random operations compared with a
/// reference model, in caches of several sizes.
///
/// Takes a fraction of a second. Use it to test your own policy:
///
/// ```swift
/// @Test func conforms() throws {
///   try checkConformance(of: EvictionPolicyDescriptor(Mine.self))
/// }
/// ```
///
/// - Parameters:
///   - descriptor: the policy, described by its type.
///   - capacities: the capacities of the caches in entities; `nil`: the policy gets no limit.
///   - seeds: the seeds of the operations and of the policy.
///   - steps: the number of operations per run.
/// - Throws: the first violated guarantee, with capacity, seed and step. The policy's own invariant checks
///   trap.
public func checkConformance(
  of descriptor: EvictionPolicyDescriptor,
  capacities: [Int?] = [nil, 0, 1, 2, 3, 8, 33], seeds: ClosedRange<UInt64> = 1...12,
  steps: Int = 400
) throws(ConformanceFailure) {
  if let fault = registryFaults(in: [descriptor]).first {
    throw ConformanceFailure(
      policy: descriptor.name, guarantee: .isDescribed, seed: seeds.lowerBound, detail: fault)
  }
  for capacity in capacities {
    for seed in seeds {
      try checkConformance(of: descriptor, capacity: capacity, seed: seed, steps: steps)
    }
  }
}

/// Checks a policy in a cache of one size, with one seed.
///
/// - Parameters:
///   - descriptor: the policy, described by its type.
///   - capacity: the capacity of the model in entities, without retained ones; `nil`: the policy gets no
///     limit.
///   - seed: the seed of the operations and of the policy.
///   - steps: the number of operations.
/// - Throws: the first violated guarantee, with capacity, seed and step. The policy's own invariant checks
///   trap.
public func checkConformance(
  of descriptor: EvictionPolicyDescriptor, capacity: Int?, seed: UInt64, steps: Int = 400
) throws(ConformanceFailure) {
  func answers(batchesHits: Bool) throws(ConformanceFailure) -> [Slot] {
    var drive = OrderDrive(
      of: descriptor, capacity: capacity, seed: seed, batchesHits: batchesHits)
    try drive.run(steps: steps)
    return drive.answers
  }
  func require(
    _ isKept: Bool, _ guarantee: ConformanceFailure.Guarantee, _ detail: String
  ) throws(ConformanceFailure) {
    guard !isKept else { return }
    throw ConformanceFailure(
      policy: descriptor.name, guarantee: guarantee, capacity: capacity, seed: seed,
      detail: detail)
  }

  let first = try answers(batchesHits: true)
  try require(
    try answers(batchesHits: true) == first, .sameSeedSameVictims, "two equal drives parted")
  try require(
    try answers(batchesHits: false) == first, .batchesAreHitsInTurn,
    "a drive with single hits parted from one with batches")

  guard let capacity else { return }
  let source = RandomSource(seed: seed)
  let trace = ZipfTrace(requests: steps, keys: 3 * capacity + 5, seed: seed)
  // First with a cache in which a victim that is not resident is an error: the compiled loop would trap.
  var plain = PlainCache(of: descriptor, capacity: capacity, random: source.substream("policy"))
  try plain.run(trace.ids.map { UInt64($0) })
  let compiled = descriptor.replayUnitSize(
    trace.ids.span, trace.distinct, capacity, source.substream("policy"))
  try require(
    plain.counts == compiled, .loopsAgree, "\(compiled) in the loop, \(plain.counts) outside")
}

/// Returns the faults of the registry's lines; empty if there are none.
package func registryFaults(in descriptors: [EvictionPolicyDescriptor]) -> [String] {
  var faults: [String] = []
  var names: Set<String> = []
  for descriptor in descriptors {
    let name = descriptor.name
    if !names.insert(name).inserted { faults.append("\(name): registered twice") }
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isFlat = parts.allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy {
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }
    if !isFlat { faults.append("'\(name)': a name is lower-case words joined by hyphens") }
    let summary = descriptor.summary
    let isSentence =
      summary.first?.isUppercase == true && summary.hasSuffix(".")
      && !summary.dropLast().contains(". ") && !summary.contains("\n")
    if !isSentence { faults.append("\(name): the summary is not one sentence: '\(summary)'") }
    if descriptor.source.isEmpty { faults.append("\(name): no source") }
  }
  return faults
}

/// A violated guarantee of `EvictionPolicy`, and how to reproduce it.
public struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
  /// A guarantee of a policy; the raw value describes it.
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
  /// The capacity of the cache in entities; `nil`: the policy gets no limit.
  public var capacity: Int?
  public var seed: UInt64
  /// The operation at which the violation appeared; `nil` if a whole run is compared.
  public var step: Int?
  /// The observation.
  public var detail: String

  /// One line: policy, place, observation, and guarantee.
  public var description: String {
    let size = capacity.map { "capacity \($0)" } ?? "no capacity"
    let place = step.map { ", step \($0)" } ?? ""
    return "\(policy) (\(size), seed \(seed)\(place)): \(detail); it owes: \(guarantee.rawValue)"
  }
}
