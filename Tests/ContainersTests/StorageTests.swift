import CacheTestSupport
import Testing

@testable import Containers

@Suite("Storage")
struct StorageTests {
  private func contents(of list: borrowing SlotList) -> [Slot] {
    var slots: [Slot] = []
    var next = list.oldest
    while let slot = next {
      slots.append(slot)
      next = list.younger(than: slot)
    }
    return slots
  }

  @Test("a list runs from the old end to the young end, after any removals and moves")
  func order() {
    var list = SlotList()
    list.reserve(slots: 5)
    for slot in 0..<5 as Range<Slot> { list.pushYoung(slot) }
    list.remove(0)
    list.remove(2)
    list.remove(4)
    let afterRemoval = contents(of: list)
    #expect(afterRemoval == [1, 3])
    list.moveToYoung(1)
    list.moveToYoung(1)
    list.pushYoung(0)
    let afterMoves = contents(of: list)
    #expect(afterMoves == [3, 1, 0])
    let holdsRemoved = list.contains(2)
    #expect(!holdsRemoved)
    list.checkInvariants()
  }

  /// Values of every layout of an optional: with a tag of its own, in spare bits, in spare values, and
  /// one that is an optional itself.
  @Test("a column lends a value in place, whatever the layout of its optional")
  func valuesInPlace() {
    func check<Value: Equatable>(_ values: [Value]) {
      var column = Column<Value?>(filler: nil)
      column.grow(toAtLeast: 600)
      for (index, value) in values.enumerated() { column[index * 97] = value }
      for index in 0..<column.count {
        let stored = column[index]
        let copied = column.withValue(at: Slot(index)) { $0 }
        #expect(copied == stored)
      }
    }
    check([Int.min, -1, 0, 1, Int.max])
    check(["", "short", String(repeating: "long", count: 9)])
    check([true, false])
    check([nil, 1, nil, 0] as [UInt8?])
    check([[1], [], [2, 3]])
    check([Text(a: "a", b: 1, c: [2]), Text(a: "", b: nil, c: [])])
  }

  private struct Text: Equatable {
    var a: String
    var b: Int?
    var c: [Int]
  }

  @Test("a list keeps its order while it grows")
  func growth() {
    var list = SlotList()
    for slot in 0..<100 as Range<Slot> {
      list.reserve(slots: Int(slot) + 1)
      list.pushYoung(slot)
      list.checkInvariants()
    }
    let all = contents(of: list)
    #expect(all == Array(0..<100))
  }

  @Test("a buffer grows by doubling and fills the new part")
  func buffer() {
    var buffer = Fixed(repeating: 1, count: 3)
    buffer[2] = 7
    buffer.grow(toAtLeast: 4, filling: 9)
    buffer.grow(toAtLeast: 2, filling: 0)
    var contents: [Int] = []
    for index in 0..<buffer.count { contents.append(buffer[index]) }
    #expect(contents == [1, 1, 7, 9, 9, 9])
  }

  @Test(
    "an index that is out of range traps in the builds that the tests run", .startsProcesses)
  func bounds() async {
    await #expect(processExitsWith: .failure) {
      let buffer = Fixed(repeating: 1, count: 3)
      _ = buffer[3]
    }
    await #expect(processExitsWith: .failure) {
      let column = Column(filler: 1)
      _ = column[0]
    }
    #if DEBUG
      await #expect(processExitsWith: .failure) {
        let buffer = Flat(repeating: 1, count: 3)
        _ = buffer[-1]
      }
      await #expect(processExitsWith: .failure) {
        let marks = MarkRanks(capacity: 64)
        _ = marks.count(from: 0)
      }
    #endif
  }

  @Test("a column keeps its values in place while it grows, and releases them at its end")
  func column() {
    final class Counted {}
    weak var held: Counted?
    do {
      var column = Column<Counted?>(filler: nil)
      #expect(column.count == 0)
      column.grow(toAtLeast: 1)
      let object = Counted()
      held = object
      column[0] = object
      // Beyond the room for the names of segments.
      column.grow(toAtLeast: 10_000)
      #expect(column.count >= 10_000)
      let isSame = column[0] === object
      #expect(isSame)
      let isEmpty = column[9_999] == nil
      #expect(isEmpty)
    }
    #expect(held == nil)
  }
}

@Suite("Size classes of the allocator")
struct AllocationSizeTests {
  @Test(
    "follow jemalloc's table",
    arguments: [
      (0, 0), (1, 8), (8, 8), (9, 16), (16, 16), (17, 32), (128, 128), (129, 160), (256, 256),
      (257, 320), (532, 640), (974, 1_024), (1_025, 1_280), (4_096, 4_096), (4_097, 5_120),
      (14_336, 14_336), (14_337, 16_384), (75_776, 81_920), (1 << 20, 1 << 20),
    ])
  func classes(request: Int, size: Int) {
    #expect(AllocationSize.rounded(request) == size)
  }

  @Test("never take less than is asked for, nor a quarter more beyond 128 bytes")
  func bounds() {
    for request in 1...100_000 {
      let size = AllocationSize.rounded(request)
      #expect(size >= request)
      if request > 128 { #expect(size < request + request / 4) }
      #expect(AllocationSize.rounded(size) == size, "a class serves itself")
    }
  }

  @Test("an object has its own header")
  func objects() {
    #expect(AllocationSize.object(holding: 0) == 16)
    #expect(AllocationSize.object(holding: 17) == 48)
  }

  @Test("an array has a header, an empty one no storage")
  func arrays() {
    #expect(AllocationSize.array(capacity: 0, stride: 8) == 0)
    #expect(AllocationSize.array(capacity: 1, stride: 4) == 48)
    #expect(AllocationSize.array(capacity: 945, stride: 1) == 1_024)
  }

  @Test("an array that grows doubles, and takes the rest of the size class")
  func growingArrays() {
    let sizes = [0, 1, 4, 5, 8, 9].map { AllocationSize.array(growingTo: $0, stride: 4) }
    #expect(sizes == [0, 48, 48, 64, 64, 96])
    #expect(AllocationSize.array(growingTo: 8, stride: 56) == 512)
  }

  @Test("a hash table has room for its capacity in three quarters of its buckets")
  func hashTables() {
    #expect(AllocationSize.hashTable(capacity: 0, stride: 8) == 0)
    #expect(AllocationSize.hashTable(capacity: 3, stride: 8) == 112)
    #expect(AllocationSize.hashTable(capacity: 4, stride: 8) == 160)
  }
}

@Suite("Values in place")
struct InPlaceTests {
  private func note(_ text: borrowing InPlace<String>, in seen: inout [String]) {
    seen.append(text.value)
  }

  @Test("The elements of an array, and a variable, are lent as they are")
  func lent() {
    var seen: [String] = []
    let elements = ElementsInPlace(["a", "b"])
    for index in 0..<elements.count { note(elements[index], in: &seen) }
    var variable = "c"
    withValueInPlace(&variable) { note($0, in: &seen) }
    #expect(seen == ["a", "b", "c"])
    #expect(ElementsInPlace([String]()).count == 0)
  }

  @Test("A column lends its value, and exchanges it for another")
  func column() {
    var column = Column<String?>(filler: nil)
    column.grow(toAtLeast: 300)
    column[299] = "a value that is too long to lie in its place"
    var value = "b"
    column.exchangeValue(at: 299, for: &value)
    #expect(value == "a value that is too long to lie in its place")
    var seen: [String] = []
    for slot in [Slot(0), 299] { column.lendValue(at: slot) { note($0, in: &seen) } }
    #expect(seen == ["b"])
  }
}
