import CacheModel
import Testing

@testable import TraceReplay

@Suite("Interning")
struct InterningTests {
  @Test("numbers agree with a dictionary's, for integers and for strings, through growth")
  func againstDictionary() throws {
    var random = RandomSource(seed: 5)
    var keys = KeyInterner(limits: .standard)
    var numbers: [String: UInt32] = [:]
    var expected: [UInt32] = []
    for _ in 0..<20_000 {
      let draw = random.below(6_000)
      // Odd ones are strings; even ones are numerals, among them such as integers spread far apart.
      let key = draw % 2 == 1 ? "k\(draw)" : String(UInt64(draw) << 40)
      let number = numbers[key] ?? UInt32(numbers.count)
      numbers[key] = number
      expected.append(number)
      try keys.append(Array(key.utf8).span)
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
}
