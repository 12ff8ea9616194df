import CacheModel
import Testing

@Suite("Version")
struct VersionTests {
  @Test("milliseconds decide, then the counter, then the device")
  func order() {
    let ascending = [
      Version.none,
      Version(milliseconds: 1, counter: 0, device: 9),
      Version(milliseconds: 1, counter: 1, device: 0),
      Version(milliseconds: 1, counter: 1, device: 1),
      Version(milliseconds: 1, counter: .max, device: 0),
      Version(milliseconds: 2, counter: 0, device: 0),
    ]
    for (left, first) in ascending.enumerated() {
      for (right, second) in ascending.enumerated() {
        #expect((first < second) == (left < right))
        #expect((first == second) == (left == right))
      }
    }
  }

  @Test("milliseconds and counter share a word and are read back")
  func packing() {
    let version = Version(milliseconds: 1_700_000_000_000, counter: 77, device: 3)
    #expect(version.milliseconds == 1_700_000_000_000)
    #expect(version.clock & 0xFFFF == 77)
    #expect(version == Version(clock: version.clock, device: 3))
  }
}
