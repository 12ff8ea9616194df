import CacheModel
import FoundationEssentials
import NormalizedCache
import Testing

@testable import RealTime

@Suite("Messages")
struct EventScriptTests {
  @Test("A message decodes to the event that it was made from; files return only after all others")
  func decodes() throws {
    let small = FileLibrary(directories: 3, filesPerDirectory: 5, seed: 1)
    let script = try EventScript(library: small, count: small.fileCount)
    var keys: Set<EntityKey> = []
    for (index, message) in script.messages.enumerated() {
      let envelope = try WireDecoder().envelope(from: message)
      #expect(envelope.place == small.place(sequence: index + 1))
      guard case .changed(let entity) = envelope.event else {
        Issue.record("message \(index) is \(envelope.event)")
        continue
      }
      #expect(FileLibrary.revision(of: entity.version) == index + 1)
      #expect(entity.key.id == UniqueID(entity.payload.id))
      keys.insert(entity.key)
    }
    #expect(keys.count == small.fileCount)
  }
}

@Suite("Stamps")
struct EventStampsTests {
  private func stamps(_ instants: [Int64]) -> EventStamps {
    let instants = instants.map { Instant(nanoseconds: $0) }
    return EventStamps(
      intended: instants[0], received: instants[1], started: instants[2], decoded: instants[3],
      committed: instants[4], notified: instants[5])
  }

  @Test("Every stage is the time between its two stamps")
  func stages() {
    let event = stamps([0, 1, 11, 111, 1_111, 11_111])
    let expected: [LatencyStage: Int64] = [
      .decode: 100,
      .updateToNotify: 11_110, .serviceTime: 11_100, .responseTime: 11_111,
    ]
    for stage in LatencyStage.allCases {
      #expect(event.nanoseconds(of: stage) == expected[stage], "\(stage)")
    }
  }

  @Test("Stamps out of order are noticed, wherever they are", arguments: 0..<5)
  func order(place: Int) {
    var instants: [Int64] = [10, 20, 30, 40, 50, 60]
    #expect(stamps(instants).areMonotone)
    instants.swapAt(place, place + 1)
    #expect(!stamps(instants).areMonotone)
  }
}
