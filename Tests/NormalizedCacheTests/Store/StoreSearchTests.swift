import CacheModel
import FaultSearch
import NormalizedCache
import Testing
import TidemarkTestSupport

/// Random programs over the whole surface of the store, against servers that are the truth.
@Suite("A random search over the store")
struct StoreSearchTests {
  /// Every retention, membership and gap response with several eviction orders, in turn, so that each
  /// order meets each of them and each admission; and the extremes.
  static let compositions: [PolicyComposition] = {
    var all: [PolicyComposition] = []
    // Few expire: what has expired when a program ends is not called fresh, and shows no fault.
    let expiring = Freshness(
      timeToLive: .seconds(20), perMethod: [NoteQuery.folderMethod: .seconds(40)],
      dropsExpired: true)
    let windowed = Freshness(
      timeToLive: .seconds(20), perMethod: [NoteQuery.folderMethod: .seconds(40)],
      staleWhileRevalidate: .seconds(15), staleIfError: .seconds(30))
    let freshnesses = [expiring, .neverExpires, windowed, .neverExpires, .neverExpires]
    let orders = PolicyComposition.evictionOrders
    let admissions = PolicyComposition.admissions
    for round in 0..<6 {
      for retention in Retention.allCases {
        for membership in Membership.allCases {
          for gapResponse in GapResponse.allCases {
            let isByBytes = all.count.isMultiple(of: 2)
            let capacity =
              isByBytes
              ? Capacity(entities: nil, bytes: 30)
              : Capacity(entities: 12, lowWatermark: 0.75)
            all.append(
              .test(
                evictionOrder: orders[all.count % orders.count],
                admission: round < 2 ? "always" : admissions[(all.count / 2 + round) % 3],
                capacity: capacity, retention: retention,
                releaseBuffer: all.count.isMultiple(of: 4)
                  ? ReleaseBuffer(queries: 2, age: .seconds(15)) : nil,
                freshness: freshnesses[all.count % 5],
                eventAdmission: EventAdmission.allCases[all.count / 2 % 3],
                membership: membership, gapResponse: gapResponse,
                coalescingWindow: all.count.isMultiple(of: 7) ? .seconds(1) : .zero,
                maximumQueries: all.count.isMultiple(of: 5) ? nil : 4))
          }
        }
      }
    }
    for (capacity, queries) in [(0, 0), (1, 1), (0, nil), (nil, 0)] as [(Int?, Int?)] {
      all.append(.test(capacity: Capacity(entities: capacity), maximumQueries: queries))
    }
    all.append(.test())
    return all
  }()

  /// Each seed takes its share of the compositions; together they take each several times.
  static let shares = 8

  @Test("B57 What the store calls fresh equals the servers, after any program", arguments: 0..<16)
  func convergence(seed: Int) throws {
    for (index, composition) in Self.compositions.enumerated()
    where (index + seed).isMultiple(of: Self.shares) {
      var program = StoreProgram(seed: UInt64(seed * 1_000 + index))
      try program.run(composition, steps: 120)
    }
  }

  @Test("The same program gives the same statistics")
  func determinism() throws {
    let composition = Self.compositions[5]
    var first = StoreProgram(seed: 7)
    var second = StoreProgram(seed: 7)
    let one = try first.run(composition, steps: 300)
    let other = try second.run(composition, steps: 300)
    #expect(one == other)
    #expect(one.eventsApplied > 0)
  }
}
