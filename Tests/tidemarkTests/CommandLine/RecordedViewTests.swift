import CacheModel
import RecordingCodec
import Testing
import Workloads

@testable import tidemark

@Suite("Recordings as if views lasted otherwise")
struct RecordedViewTests {
  /// Two queries, the first shown twice, and an end of the process at 50 s.
  private static func recording() throws -> Workload {
    let text = #"""
      {"format":"tidemark-session","version":3,"truth":"observed","name":"a","duration":100000000000,"warmUp":3000000000,"library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","network":{"minimumRoundTrip":10000000,"meanExtra":0},"retention":{"events":100,"age":9000000000},"model":{"types":[{"name":"room"}],"queries":[{"name":"rooms","lists":["room"]},{"name":"own","lists":["room"]}]}}
      {"line":"object","type":"room","id":"a"}
      {"line":"state","object":0,"clock":1,"device":1,"bytes":9}
      {"line":"query","name":"rooms","limit":9}
      {"line":"query","name":"own","limit":9}
      {"line":"client","name":"phone","appRestarts":[50000000000]}
      {"line":"action","client":0,"at":1000000000,"do":"observe","query":0,"outcome":"miss","result":[0]}
      {"line":"action","client":0,"at":5000000000,"do":"observe","query":1,"outcome":"hit"}
      {"line":"action","client":0,"at":9000000000,"do":"unobserve","query":0}
      {"line":"action","client":0,"at":20000000000,"do":"observe","query":0,"outcome":"miss","result":[]}
      {"line":"action","client":0,"at":30000000000,"do":"read","query":1,"forced":true,"outcome":"miss","result":[0]}
      {"line":"action","client":0,"at":60000000000,"do":"unobserve","query":0}

      """#
    return try SessionRecording.read(Array(text.utf8))
  }

  private func words(_ workload: Workload) -> [String] {
    workload.clients[0].actions.enumerated().compactMap { place, action in
      let name = ObservedRead(client: 0, action: place)
      let outcome = workload.recordedOutcomes[name].map { " \($0.rawValue)" } ?? ""
      let at = (action.at.nanoseconds + 999_999_999) / 1_000_000_000
      return switch action.kind {
      case .observe(let query): "\(at) observe \(query)\(outcome)"
      case .unobserve(let query): "\(at) unobserve \(query)"
      case .read(let query): "\(at) read \(query)\(outcome)"
      default: nil
      }
    }
  }

  @Test("Views without duration are left immediately, and outcomes stay with their reads")
  func none() throws {
    #expect(
      words(try Self.recording().withViews(lasting: .zero)) == [
        "1 observe 0 miss", "1 unobserve 0", "5 observe 1 hit", "5 unobserve 1",
        "20 observe 0 miss", "20 unobserve 0", "30 read 1 miss",
      ])
  }

  @Test("Long views end ahead of the next of their query, and with the process")
  func long() throws {
    let longer = try Self.recording().withViews(lasting: .seconds(300))
    #expect(
      words(longer) == [
        "1 observe 0 miss", "5 observe 1 hit", "20 unobserve 0", "20 observe 0 miss",
        "30 read 1 miss", "50 unobserve 1", "50 unobserve 0",
      ])
    let read = try #require(
      longer.clients[0].actions.firstIndex { $0.kind == .read(query: 1) })
    #expect(longer.observedResults[ObservedRead(client: 0, action: read)] == [0])
  }

  @Test("Reads of several sessions are added up, forced ones too, but not the warm-up's")
  func reads() throws {
    let workload = try Self.recording()
    let reads = RecordedReads(of: [workload, workload])
    #expect(reads.reads == 6 && reads.repeats == 2 && reads.cached == 2)
  }
}
