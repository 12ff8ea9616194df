import Testing

@testable import Containers

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

  @Test("an object has a header of its own")
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

  @Test("an array that grows takes room for twice as many, and what the size class has beyond")
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
