import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("Reads without a server")
struct OfflineTests {
  private static func tiny() -> (tiny: TinyWorkload, file: UInt32) {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.partitions = [TinyWorkload.instant(15)..<TinyWorkload.instant(30)]
    return (tiny, file)
  }

  @Test("Save nothing, since without a cache they would have fetched nothing")
  func savesNothing() throws {
    var (tiny, file) = Self.tiny()
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.open(object: file), at: 21)
    #expect(try values(of: tiny.workload, composition())[.bytesSaved] == 0)
    // With a server each is an answer of 1,100 bytes that was not fetched.
    tiny.act(.read(query: 0), at: 40)
    tiny.act(.open(object: file), at: 41)
    #expect(try values(of: tiny.workload, composition())[.bytesSaved] == 2_200)
  }

  @Test("An expired entity is served, and said to be expired")
  func expiredEntity() throws {
    var (tiny, file) = Self.tiny()
    tiny.act(.open(object: file), at: 1)
    tiny.act(.open(object: file), at: 5)
    tiny.act(.open(object: file), at: 20)
    let entity = try values(
      of: tiny.workload, composition(timeToLive: .seconds(10)), class: "entity")
    #expect(outcomes(entity) == [.missCold: 1, .hitFresh: 2])
    #expect(entity[.servedExpired] == 1)
  }
}
