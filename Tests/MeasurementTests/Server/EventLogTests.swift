import FoundationEssentials
import Testing

@testable import Measurement

@Suite("The log of a server")
struct EventLogTests {
  private static let library = FileLibrary(directories: 1, filesPerDirectory: 1, seed: 1)

  static func event(_ sequence: UInt64) -> WireMessage {
    WireMessage(
      id: library.fileIDs[0], timestamp: Date(timeIntervalSince1970: 0),
      libraryID: library.libraryUUID, epoch: 1, sequence: sequence, kind: .resourceChanged,
      resources: [.init(library.entity(file: 0, revision: Int(sequence)))])
  }

  private func log(events: Int, bytes: Int, count: Int) -> EventLog {
    var log = EventLog(maximumEvents: events, maximumBytes: bytes)
    for sequence in 0..<count { log.append(Self.event(UInt64(sequence + 1)), bytes: 10) }
    return log
  }

  @Test("It holds the newest events, of a bounded number and weight")
  func bounds() {
    #expect(log(events: 5, bytes: 1_000, count: 12).reachesBackTo == 7)
    #expect(log(events: 100, bytes: 45, count: 12).reachesBackTo == 8)
    let heavy = log(events: 100, bytes: 5, count: 12)
    #expect(heavy.count == 1 && heavy.bytes == 10)
    #expect(log(events: 5, bytes: 1_000, count: 0).reachesBackTo == 0)
  }

  @Test("A page begins after the asked place, fits, and holds at least one event")
  func pages() {
    let log = log(events: 5, bytes: 1_000, count: 12)
    func page(_ after: UInt64, _ bytes: Int) -> [UInt64]? {
      log.page(after: after, maximumBytes: bytes)?.map(\.sequence)
    }
    #expect(page(7, 1_000) == [8, 9, 10, 11, 12])
    #expect(page(9, 25) == [10, 11])
    #expect(page(9, 1) == [10])
    #expect(page(12, 100) == [])
    #expect(page(6, 100) == nil)
    #expect(page(13, 100) == nil)
  }

  @Test(
    "Page after page gives every event once, whatever the sizes", arguments: [1, 10, 35, 1_000])
  func paging(bytes: Int) throws {
    let log = log(events: 50, bytes: 400, count: 77)
    var seen: [UInt64] = []
    var after = log.reachesBackTo
    while after < log.last {
      let page = try #require(log.page(after: after, maximumBytes: bytes))
      seen += page.map(\.sequence)
      after = try #require(page.last).sequence
    }
    #expect(seen == Array((log.reachesBackTo + 1)...77))
  }
}
