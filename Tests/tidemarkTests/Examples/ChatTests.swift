import CacheModel
import CacheTestSupport
import Foundation
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("The chat of the tutorial", .startsProcesses)
struct ChatTests {
  private static func code(_ file: String) throws -> [Substring] {
    try SourceFile.top.read("Examples/Chat/\(file)").split(separator: "\n").filter { line in
      let text = line.drop { $0 == " " }
      return !text.isEmpty && !text.hasPrefix("//")
    }
  }

  @Test("An evening in the example shows what it should, and its recording is simulated")
  func evening() async throws {
    try await withTemporaryFolder { folder in
      let chat = try await TidemarkProcess.run(
        TidemarkProcess.executable(named: "Chat"), [folder.path], in: folder)
      #expect(
        chat.output == """
          the shadow would have saved 1200 of 1800 bytes
          rooms
          the first page
          the second page
          hello, unread: 6
          nothing unread
          kitchen
          1 of 9 reads: hit
          1 of 9 reads: partial
          5 of 9 reads: missCold
          1 of 9 reads: missEvicted
          1 of 9 reads: missInvalidated
          from the tunnel
          the same after a restart
          sent
          1 of 1 reads were hits
          recorded, 0 lost

          """)
      #expect(chat.errors == "" && chat.status == 0)
      let article = try SourceFile.top.read(Self.article)
      #expect(article.contains("```\n\(chat.output)```\n"))
      let run = try await TidemarkProcess.run(
        "simulate", "session.1.jsonl", "--policies", "lru", "--format", "csv", in: folder)
      #expect(run.status == 0)
      let rows = TidyRow.all(in: run.output)
      #expect(rows.total("reads", of: "lru") == rows.total("reads", of: "recorded"))
      for (file, reads) in [("session.1.jsonl", 9), ("session.jsonl", 1)] {
        let bytes = try Data(contentsOf: folder.appendingPathComponent(file))
        let (app, simulated) = try Self.outcomes(of: Array(bytes))
        #expect(app == simulated && app.count == reads, "\(file)")
      }
    }
  }

  /// The composition that the chat is built on.
  private static let composition = CachePolicy(
    evictionOrder: "lru", capacity: Capacity(entities: 10_000), retention: .observed,
    freshness: .neverExpires, maximumQueries: 100)

  /// The outcome of each read in the app, and in a simulation of its recording.
  private static func outcomes(of recording: [UInt8]) throws -> (app: [String], simulated: [String])
  {
    let workload = try SessionRecording.read(recording)
    let result = try Simulation(of: workload).run(policy: "app", composition: composition)
    var (app, simulated): ([String], [String]) = ([], [])
    for (action, place) in result.outcomes.places.enumerated() {
      let told = workload.recordedOutcomes[ObservedRead(client: 0, action: action)]
      if told == nil, place == ReadOutcomes.none { continue }
      app.append("\(action) \(told?.rawValue ?? "nothing")")
      let outcome =
        place == ReadOutcomes.none ? "nothing" : Outcome.allCases[Int(place)].metric.name
      // An app does not know whether a served result was fresh.
      simulated.append("\(action) \(outcome.hasPrefix("hit_") ? "hit" : outcome)")
    }
    return (app, simulated)
  }

  @Test("A second evening in the same folder is like the first")
  func again() async throws {
    try await withTemporaryFolder { folder in
      var outputs: [String] = []
      for _ in 0..<2 {
        let chat = try await TidemarkProcess.run(
          TidemarkProcess.executable(named: "Chat"), [folder.path], in: folder)
        #expect(chat.errors == "" && chat.status == 0)
        outputs.append(chat.output)
      }
      #expect(outputs[0].hasSuffix("recorded, 0 lost\n") && outputs[0] == outputs[1])
    }
  }

  private static let article = "Sources/NormalizedCache/NormalizedCache.docc/Tutorial.md"

  @Test("Its article shows each of its files whole, in order, each part under the file's name")
  func isWhole() throws {
    let article = try SourceFile.top.read(Self.article)
    let parts = article.components(separatedBy: "```swift\n")
    var shown: [String: [Substring]] = [:]
    for (before, part) in zip(parts, parts.dropFirst()) {
      let prose = before.components(separatedBy: "```").last ?? ""
      let name = try #require(
        prose.matches(of: #/`(?:Sources/Chat/)?(\w+\.swift)`/#).first?.1, "\(prose) names no file")
      let code = part.components(separatedBy: "```")[0].split(separator: "\n")
      shown[String(name), default: []] += code
    }
    #expect(shown.count == 4)
    for (file, lines) in shown {
      let code = try SourceFile.top.read("Examples/Chat/\(file)").split(separator: "\n")
      #expect(lines == code, "copy \(file) into the article")
    }
  }

  @Test("It has less than 200 lines with its server")
  func lines() throws {
    let lines = try ["Model.swift", "Server.swift", "ChatApp.swift"].flatMap { try Self.code($0) }
    #expect(lines.count > 100 && lines.count < 200, "\(lines.count) lines")
  }

  /// Boilerplate, neither the app's domain nor its use: how values are put into one type and taken out of it, how
  /// keys are made, what numbers things have, what is registered, and what encodes.
  private static let ceremony = [
    "CachedResource {", "static let resourceType", "init?(", "guard case .room(let room) = entity",
    "guard case .message(let message) = entity", "self = room", "self = message", "enum ChatItem",
    "case room(Room)", "case message(Message)", "static let method", "typealias Row",
    "var lists = ListRules", "lists.register", "JSONCodec", "EntityKey(",
  ]

  @Test("At most 25 lines of the app are ceremony")
  func ceremonyLines() throws {
    let lines = try ["Model.swift", "ChatApp.swift"].flatMap { try Self.code($0) }
    let found = lines.filter { line in Self.ceremony.contains { line.contains($0) } }
    #expect(found.count > 10 && found.count <= 25, "\(found.count) lines")
    for sign in Self.ceremony {
      #expect(lines.contains { $0.contains(sign) }, "nothing has \(sign)")
    }
  }
}
