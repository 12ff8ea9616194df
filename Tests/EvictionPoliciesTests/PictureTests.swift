import Testing
import TidemarkTestSupport

@Suite("In pictures")
struct PictureTests {
  @Test("a hit saves an entity under lru, not under fifo")
  func recency() {
    #expect(outcomes(of: "lru", capacity: 3, "abcadb") == "mmmhmm")
    #expect(victims(of: "lru", capacity: 3, "abcadb") == "----bc")
    #expect(outcomes(of: "fifo", capacity: 3, "abcadb") == "mmmhmh")
    #expect(victims(of: "fifo", capacity: 3, "abcadb") == "----a-")
  }

  @Test("a survivor moves under clock and stays under sieve")
  func survivors() {
    // a is read before each arrival. Under clock it re-enters behind d, so b and c go first; under
    // sieve the hand has passed it, and d, the youngest, is met before it again.
    #expect(victims(of: "clock", capacity: 3, "abcadefg") == "----bcad")
    #expect(victims(of: "sieve", capacity: 3, "abcadefg") == "----bcde")
  }

  @Test("a scan passes through the probation of slru and leaves entities read twice")
  func scan() {
    #expect(outcomes(of: "slru", capacity: 5, "abababwxyzab") == "mmhhhhmmmmhh")
    #expect(victims(of: "slru", capacity: 5, "abababwxyzab") == "---------w--")
    #expect(outcomes(of: "lru", capacity: 5, "abababvwxyzab") == "mmhhhhmmmmmmm")
    #expect(outcomes(of: "w-tinylfu", capacity: 5, "abababvwxyzab") == "mmhhhhmmmmmhh")
  }

  @Test("w-tinylfu remembers the departed, and lets nothing less popular in")
  func popularity() {
    // One place is the window. Its candidate is rejected until b has been requested more often than a.
    #expect(victims(of: "w-tinylfu", capacity: 2, "aabxbxbx") == "---bxbxa")
  }

  @Test("counts fade under lfu-aging")
  func fading() {
    // a was read 18 times long ago, b 15 times since.
    let requests = String(repeating: "a", count: 18) + String(repeating: "b", count: 15) + "c"
    #expect(victims(of: "lfu", capacity: 2, requests).last == "b")
    #expect(victims(of: "lfu-aging", capacity: 2, requests).last == "a")
  }

  @Test("a ghost that returns is held dearer")
  func ghosts() {
    // a leaves, returns from among the ghosts, and outlives the arrivals after it.
    #expect(victims(of: "two-queue", capacity: 4, "abcdeafghi") == "----abcdef")
    #expect(outcomes(of: "two-queue", capacity: 4, "abcdeafghia") == "mmmmmmmmmmh")
    #expect(outcomes(of: "s3-fifo", capacity: 4, "abcdeafghia") == "mmmmmmmmmmm")
    #expect(outcomes(of: "lru", capacity: 4, "abcdeafghia") == "mmmmmmmmmmm")
  }

  @Test(
    "the smallest capacities",
    arguments: [
      "lru", "fifo", "clock", "sieve", "random", "mru", "slru", "w-tinylfu", "gdsf", "size",
      "hyperbolic", "expiring-first", "lfu", "lfu-aging", "s3-fifo", "two-queue", "arc", "car",
      "lirs", "clairvoyant",
    ])
  func smallest(policy: String) {
    #expect(outcomes(of: policy, capacity: 0, "aab") == "mmm")
    #expect(victims(of: policy, capacity: 0, "aab") == "---")
    #expect(outcomes(of: policy, capacity: 1, "aabba") == "mhmhm")
    #expect(victims(of: policy, capacity: 1, "aabba") == "--a-b")
  }

  @Test("report impossible requests")
  func unknown() {
    #expect(outcomes(of: "nru", capacity: 1, "a") == "no policy 'nru'")
  }
}
