import Foundation
import Testing

@testable import Measurement

@Suite("The journal of a server")
struct JournalTests {
  private func withFile(_ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-journal-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  private func replayed(_ path: String) throws -> [UInt64] {
    var sequences: [UInt64] = []
    try Journal(path: path).replay { event, bytes in
      #expect(bytes > 100)
      sequences.append(event.sequence)
    }
    return sequences
  }

  private func lines(_ count: UInt64) throws -> [Data] {
    try (1...count).map { try SyncEncoder().line(of: .event(EventLogTests.event($0))) }
  }

  @Test("What was written is there again, and goes on from there")
  func goesOn() throws {
    try withFile { path in
      #expect(try replayed(path) == [])
      let lines = try lines(3)
      let journal = try Journal(path: path)
      try journal.replay { _, _ in }
      for line in lines.prefix(2) { try journal.append(line) }
      let heir = try Journal(path: path)
      try heir.replay { _, _ in }
      try heir.append(lines[2])
      #expect(try replayed(path) == [1, 2, 3])
    }
  }

  @Test(
    "What a dying process left of a line is cut off, wherever it died", arguments: [1, 40, 500])
  func torn(bytes: Int) throws {
    try withFile { path in
      let lines = try lines(3)
      try (lines[0] + lines[1] + lines[2].prefix(bytes)).write(to: URL(fileURLWithPath: path))
      let journal = try Journal(path: path)
      var last: UInt64 = 0
      try journal.replay { event, _ in last = event.sequence }
      #expect(last == 2)
      try journal.append(lines[2])
      #expect(try replayed(path) == [1, 2, 3])
    }
  }

  @Test("What is no journal is refused, with its place")
  func strange() throws {
    try withFile { path in
      try Data("{\"kind\":\"bye\"}\n".utf8).write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: JournalError.self) { try replayed(path) }
      #expect(error?.description.contains(path) == true)
    }
    #expect(throws: JournalError.self) { try Journal(path: "/nowhere/at/all") }
  }
}
