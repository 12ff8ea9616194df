import CacheModel
import FoundationEssentials
import NormalizedCache
import Testing

@testable import RealTime

@Suite("Messages")
struct EventScriptTests {
  let library = FileLibrary(directories: 20, filesPerDirectory: 100, seed: 1)

  @Test("A message decodes to the event that it was made from", arguments: EventClass.allCases)
  func decodes(eventClass: EventClass) throws {
    let script = try EventScript(library: library, eventClass: eventClass, count: 3)
    for (index, message) in script.messages.enumerated() {
      let envelope = try WireDecoder().envelope(from: message)
      #expect(envelope.place == library.place(sequence: index + 1))
      let entities = entities(of: envelope.event)
      #expect(entities.count == eventClass.entities)
      #expect(entities.allSatisfy { FileLibrary.revision(of: $0.version) == index + 1 })
      #expect(entities.allSatisfy { $0.key.id == UniqueID($0.payload.id) })
      let directories = Set(entities.map { UniqueID($0.payload.directoryID) })
      #expect(directories.count == script.directories(ofEvent: index).count)
    }
  }

  @Test("Single events return to a file only after all others")
  func coverage() throws {
    let small = FileLibrary(directories: 3, filesPerDirectory: 5, seed: 1)
    let script = try EventScript(library: small, eventClass: .single, count: small.fileCount)
    let keys = try script.messages.map { message in
      entities(of: try WireDecoder().envelope(from: message).event).map(\.key)
    }
    #expect(Set(keys).count == small.fileCount)
  }

  private func entities(of event: CacheEvent<FilePayload>) -> [VersionedEntity<FilePayload>] {
    switch event {
    case .changed(let entity): [entity]
    case .batchChanged(let entities), .partlyDecoded(let entities, _): entities
    case .deleted, .bulkNotice, .infrastructure: []
    }
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
      .decode: 100, .apply: 1_000, .notify: 10_000,
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
