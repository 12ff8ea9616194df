import Testing

@testable import EvictionPolicies

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

  @Test("a list runs from the old end to the young end, whatever was removed or moved")
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

  @Test("a buffer grows by doubling and fills what is new")
  func buffer() {
    var buffer = Fixed(repeating: 1, count: 3)
    buffer[2] = 7
    buffer.grow(toAtLeast: 4, filling: 9)
    buffer.grow(toAtLeast: 2, filling: 0)
    var contents: [Int] = []
    for index in 0..<buffer.count { contents.append(buffer[index]) }
    #expect(contents == [1, 1, 7, 9, 9, 9])
  }

  @Test("an index that is out of range traps in the builds that the tests run")
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

  @Test("a column keeps what it holds where it is while it grows, and lets go of it at its end")
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
