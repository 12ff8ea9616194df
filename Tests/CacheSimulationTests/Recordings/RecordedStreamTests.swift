import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Conclusions from a numbered stream of events")
struct RecordedStreamTests {
  /// A list of `a` is read at 1, 4 and 7 s; two events come, and at 6 s an answer gives the stream's position.
  private static func recording(second: Int = 3, of object: Int = 1) throws -> Workload {
    let text = """
      {"format":"tidemark-session","version":3,"truth":"observed","name":"a","duration":10000000000,\
      "library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","policy":"app",\
      "network":{"minimumRoundTrip":100000000,"meanExtra":0},"retention":{"events":100,"age":9000000000},\
      "model":{"types":[{"name":"a"},{"name":"b"}],\
      "queries":[{"name":"as","lists":["a"]},{"name":"bs","lists":["b"]}]}}
      {"line":"object","type":"a","id":"1"}
      {"line":"object","type":"b","id":"2"}
      {"line":"state","object":0,"clock":1,"device":1,"bytes":9}
      {"line":"state","object":1,"clock":1,"device":1,"bytes":9}
      {"line":"query","name":"as","limit":9}
      {"line":"query","name":"bs","limit":9}
      {"line":"mutation","at":3000000000,"epoch":1,"sequence":2,"kind":"changed","bytes":9,\
      "items":[{"object":1,"clock":2,"device":1,"bytes":9}]}
      {"line":"mutation","at":5000000000,"epoch":1,"sequence":\(second),"kind":"changed","bytes":9,\
      "items":[{"object":\(object),"clock":3,"device":1,"bytes":9}]}
      {"line":"client","name":"phone"}
      {"line":"delivery","client":0,"at":3000000000,"mutation":0}
      {"line":"delivery","client":0,"at":5000000000,"mutation":1}
      {"line":"action","client":0,"at":1000000000,"do":"read","query":0}
      {"line":"action","client":0,"at":4000000000,"do":"read","query":0}
      {"line":"action","client":0,"at":6000000000,"do":"read","query":1}
      {"line":"action","client":0,"at":7000000000,"do":"read","query":0}
      {"line":"answer","client":0,"asked":1000000000,"at":1100000000,"query":0,"bytes":9,"result":[0],\
      "epoch":1,"sequence":1}
      {"line":"answer","client":0,"asked":6000000000,"at":6100000000,"query":1,"bytes":9,\
      "result":[\(object == 1 ? 3 : 2)],"epoch":1,"sequence":\(second)}

      """
    return try SessionRecording.read(Array(text.utf8))
  }

  private func hits(_ workload: Workload) throws -> [Double?] {
    let all = try values(of: workload, composition())
    return [.hitFresh, .hitStale, .hitUnknown].map { all[$0] }
  }

  @Test("An entity that no event names is unchanged until the last answer with a position")
  func unnamed() throws {
    #expect(try hits(Self.recording()) == [1, 0, 1])
  }

  @Test("Beyond a missing event nothing is proved, not even for an entity that an event names")
  func unproved() throws {
    #expect(try hits(Self.recording(second: 4)) == [0, 0, 2])
    #expect(try hits(Self.recording(of: 0))[0] == 0)
  }

  @Test("An entity is unchanged until the last answer before the event that names it")
  func ownEvent() throws {
    let first = StreamPosition(epoch: 1, sequence: 1)
    let named = RecordedStream(of: try Self.recording(of: 0))
    #expect(named.unchanged(object: 0, since: first) == 1_000_000_000)
    let unnamed = RecordedStream(of: try Self.recording())
    #expect(unnamed.unchanged(object: 0, since: first) == 6_000_000_000)
    #expect(unnamed.unchanged(object: 1, since: first) == 1_000_000_000)
  }
}
