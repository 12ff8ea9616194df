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

  @Test("the hand of sieve wraps to the old end when all were read")
  func wrap() {
    #expect(victims(of: "sieve", capacity: 3, "abcabcd") == "------a")
    #expect(victims(of: "sieve", capacity: 2, "aabbcc") == "----a-")
  }

  @Test("a loop one larger than the cache leaves lru without a hit")
  func loop() {
    #expect(outcomes(of: "lru", capacity: 3, "abcdabcdabcd") == "mmmmmmmmmmmm")
    #expect(outcomes(of: "random", capacity: 3, "abcdabcdabcd").contains("h"))
  }

  @Test("the smallest capacities", arguments: ["lru", "fifo", "clock", "sieve", "random"])
  func smallest(policy: String) {
    #expect(outcomes(of: policy, capacity: 0, "aab") == "mmm")
    #expect(victims(of: policy, capacity: 0, "aab") == "---")
    #expect(outcomes(of: policy, capacity: 1, "aabba") == "mhmhm")
    #expect(victims(of: policy, capacity: 1, "aabba") == "--a-b")
  }

  @Test("say what they cannot draw")
  func unknown() {
    #expect(outcomes(of: "nru", capacity: 1, "a") == "no policy 'nru'")
  }
}
