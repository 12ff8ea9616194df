import CacheModel
import EvictionPolicies
import Testing

@testable import TraceReplay

@Suite("Interning")
struct InterningTests {
  @Test("numbers agree with a dictionary's, for integers and for strings, through growth")
  func againstDictionary() throws {
    var random = RandomSource(seed: 5)
    var keys = KeyInterner(limits: .standard)
    var batch = RecordBatch()
    var numbers: [String: UInt32] = [:]
    var expected: [UInt32] = []
    for _ in 0..<20_000 {
      let draw = random.below(6_000)
      // Odd ones are strings; even ones are numerals, among them such as integers spread far apart.
      let key = draw % 2 == 1 ? "k\(draw)" : String(UInt64(draw) << 40)
      let number = numbers[key] ?? UInt32(numbers.count)
      numbers[key] = number
      expected.append(number)
      batch.append(Array(key.utf8).span)
      guard batch.count == 500 else { continue }
      try keys.append(batch)
      batch.removeAll()
    }
    #expect(keys.ids == expected)
    #expect(keys.distinct == numbers.count)
  }

  @Test("keys that collide in the hash's first step stay apart")
  func collisions() throws {
    var table = IntegerTable()
    // The fold maps (x << 32 | x) to values whose low half vanishes.
    for index in 0..<3_000 as Range<UInt64> {
      #expect(table.number(of: index << 32 | index, ifNew: UInt32(index)) == UInt32(index))
    }
    for index in 0..<3_000 as Range<UInt64> {
      #expect(table.number(of: index << 32 | index, ifNew: .max - 1) == UInt32(index))
    }
  }

  @Test(
    "small integers, large ones and both keep their numbers through growth",
    arguments: [[6_000], [UInt64.max], [6_000, .max, 40_000]] as [[UInt64]])
  func smallIntegers(limits: [UInt64]) {
    var random = RandomSource(seed: 6)
    var table = IntegerTable()
    var numbers: [UInt64: UInt32] = [:]
    var given: [UInt32] = []
    var expected: [UInt32] = []
    for index in 0..<40_000 {
      // A large key comes again only if it is drawn from few.
      let limit = limits[index % limits.count]
      let draw = random.next()
      let key = limit == .max ? (draw % 6_000) << 45 | 7 : draw % limit
      let fresh = UInt32(numbers.count)
      given.append(table.number(of: key, ifNew: fresh))
      expected.append(numbers[key] ?? fresh)
      numbers[key] = expected[index]
    }
    #expect(given == expected)
    let keys = table.keys(numberedBelow: numbers.count)
    #expect(keys.map { numbers[$0] ?? .max } == keys.indices.map { UInt32($0) })
  }

  @Test("a column begins with the first record that says something in it")
  func lazyColumns() throws {
    var keys = KeyInterner(limits: .standard)
    var batch = RecordBatch()
    func flush() throws {
      try keys.append(batch)
      batch.removeAll()
    }
    batch.append(7)
    batch.append(Array("x".utf8).span)
    try flush()
    #expect(keys.operations.isEmpty && keys.weights.isEmpty && keys.times.isEmpty)
    batch.append(8)
    batch.append(7, TraceRecord(operation: .set, weight: 3, count: 2))
    batch.append(Array("x".utf8).span)
    try flush()
    batch.append(100, TraceRecord(time: 5, count: 3, isRun: true))
    batch.append(101)
    try flush()
    batch.append(9)
    try flush()
    #expect(keys.ids == [0, 1, 2, 0, 0, 1, 3, 4, 5, 4, 6])
    #expect(keys.operations == [.get, .get, .get, .set, .set, .get, .get, .get, .get, .get, .get])
    #expect(keys.weights == [0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0])
    #expect(keys.times == [0, 0, 0, 0, 0, 0, 5, 5, 5, 0, 0])
    #expect(keys.lifetimes.isEmpty)
  }
}
