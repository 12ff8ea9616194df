import CacheModel
import Testing

@Suite("Instant")
struct InstantTests {
  @Test("moves by durations, to the nanosecond")
  func advance() {
    let instant = Instant(nanoseconds: 5)
    #expect(instant.advanced(by: .milliseconds(2)).nanoseconds == 2_000_005)
    #expect(instant.advanced(by: .nanoseconds(-6)).nanoseconds == -1)
    #expect(instant.duration(to: Instant(nanoseconds: 12)) == .nanoseconds(7))
    #expect(Instant.zero < instant && instant < .distantFuture)
  }

  @Test("clamps at the ends of its range")
  func clamp() {
    #expect(Instant.distantFuture.advanced(byNanoseconds: 1) == .distantFuture)
    #expect(Instant(nanoseconds: .min).advanced(byNanoseconds: -1).nanoseconds == .min)
    #expect(Instant.zero.advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(Instant.zero.advanced(by: .seconds(Int64.min)).nanoseconds == .min)
  }

  @Test("a duration between far instants clamps")
  func farApart() {
    let past = Instant(nanoseconds: .min)
    #expect(past.duration(to: .distantFuture) == .nanoseconds(Int64.max))
    #expect(Instant.distantFuture.duration(to: past) == .nanoseconds(Int64.min))
    #expect(Instant.zero.duration(to: Instant(nanoseconds: -3)) == .nanoseconds(-3))
  }

  @Test("whole nanoseconds of a duration are truncated towards zero and clamped")
  func wholeNanoseconds() {
    #expect(Duration.seconds(3).wholeNanoseconds == 3_000_000_000)
    let half = Duration(secondsComponent: 0, attosecondsComponent: 1_500_000_000)
    #expect(half.wholeNanoseconds == 1)
    #expect((Duration.zero - half).wholeNanoseconds == -1)
    #expect(Duration.seconds(9_223_372_036).wholeNanoseconds == 9_223_372_036_000_000_000)
    #expect(Duration.seconds(9_223_372_037).wholeNanoseconds == .max)
    #expect(Duration.seconds(-9_223_372_037).wholeNanoseconds == .min)
  }
}

@Suite("RandomSource")
struct RandomSourceTests {
  @Test("is xoshiro256** seeded through SplitMix64")
  func vectors() {
    // From a transcription of the authors' C code into Python.
    let vectors: [(seed: UInt64, numbers: [UInt64])] = [
      (0, [0x99ec_5f36_cb75_f2b4, 0xbf6e_1f78_4956_452a, 0x1a5f_849d_4933_e6e0]),
      (42, [0x1578_0b2e_0c2e_c716, 0x6104_d986_6d11_3a7e, 0xae17_5332_39e4_99a1]),
      (.max, [0x8f55_20d5_2a7e_ad08, 0xc476_a018_caa1_802d, 0x81de_31c0_d260_469e]),
    ]
    for (seed, numbers) in vectors {
      var random = RandomSource(seed: seed)
      #expect(numbers.indices.map { _ in random.next() } == numbers, "seed \(seed)")
    }
  }

  @Test("a sub-stream depends on seed, label and index, and not on what was drawn")
  func substreams() {
    let source = RandomSource(seed: 7)
    var drawn = source
    for _ in 0..<10 { _ = drawn.next() }
    func first(_ source: RandomSource) -> UInt64 {
      var source = source
      return source.next()
    }
    #expect(first(drawn.substream("link", 3)) == first(source.substream("link", 3)))
    let firsts = [
      source, source.substream("link"), source.substream("link", 1), source.substream("device"),
      source.substream("link").substream("link"), RandomSource(seed: 8).substream("link"),
    ].map(first)
    #expect(Set(firsts).count == firsts.count)
  }

  @Test("neighbouring sub-streams are not correlated")
  func independence() {
    // 64 bits of 1,000 pairs agree half the time: 32,000 ± 126 (one standard deviation).
    var agreeing = 0
    for index in 0..<1_000 as Range<UInt64> {
      var left = RandomSource(seed: 1).substream("session", index)
      var right = RandomSource(seed: 1).substream("session", index + 1)
      agreeing += (~(left.next() ^ right.next())).nonzeroBitCount
    }
    #expect(abs(agreeing - 32_000) < 5 * 126)
  }

  @Test("whole numbers below a bound reach every value about equally often", arguments: [1, 2, 7])
  func below(bound: Int) {
    var random = RandomSource(seed: 3)
    var counts = [Int](repeating: 0, count: bound)
    for _ in 0..<7_000 { counts[random.below(bound)] += 1 }
    for count in counts { #expect(abs(count - 7_000 / bound) < 250) }
  }

  @Test("large bounds are honoured")
  func largeBound() {
    var random = RandomSource(seed: 3)
    let draws = (0..<1_000).map { _ in random.below(.max) }
    #expect(draws.allSatisfy { $0 >= 0 && $0 < .max })
    #expect(draws.contains { $0 > .max / 2 } && draws.contains { $0 < .max / 2 })
  }

  @Test("unit numbers fill 0 ..< 1 evenly")
  func unit() {
    var random = RandomSource(seed: 11)
    let draws = (0..<10_000).map { _ in random.unit() }
    #expect(draws.allSatisfy { (0..<1).contains($0) })
    // Mean 1/2, standard error 0.0029; mean square 1/3, standard error 0.003.
    let mean = draws.reduce(0, +) / 10_000
    let meanSquare = draws.reduce(0) { $0 + $1 * $1 } / 10_000
    #expect(abs(mean - 0.5) < 0.015)
    #expect(abs(meanSquare - 1.0 / 3) < 0.015)
  }

  @Test("a chance draws one number whatever its probability, and never or always at the ends")
  func chance() {
    var random = RandomSource(seed: 5)
    var beside = random
    let outcomes = (0..<100).map { _ in (random.chance(0), random.chance(1)) }
    #expect(outcomes.allSatisfy { !$0.0 && $0.1 })
    for _ in 0..<200 { _ = beside.next() }
    #expect(random.next() == beside.next())
  }

  @Test("exponential draws have their mean and a mean square of twice its square")
  func exponential() {
    var random = RandomSource(seed: 13)
    let draws = (0..<20_000).map { _ in random.exponential(mean: 4) }
    #expect(draws.allSatisfy { $0 >= 0 && $0.isFinite })
    let mean = draws.reduce(0, +) / 20_000
    let meanSquare = draws.reduce(0) { $0 + $1 * $1 } / 20_000
    #expect(abs(mean - 4) < 0.15)
    #expect(abs(meanSquare - 32) < 3.5)
  }
}
