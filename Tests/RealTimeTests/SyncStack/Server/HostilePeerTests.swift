import CacheModel
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RealTime

@Suite("Hostile peers of a server", .timeLimit(.minutes(30)))
struct HostilePeerTests {
  /// A server with tight limits, and a subscriber without mistakes.
  private struct Scene {
    let library = FileLibrary(directories: 2, filesPerDirectory: 50, seed: 1)
    let service: SyncService
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let good: SyncConnection
    let notes: Notes

    static func with(_ body: (Scene) async throws -> Void) async throws {
      let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("tidemark-h\(UUID().uuidString.prefix(8))").path
      var limits = WireLimits()
      limits.lineBytes = 200_000
      let notes = Notes()
      let service = try await SyncService.start(
        at: .unix(path: path),
        server: SyncServer(library: FileLibrary(directories: 2, filesPerDirectory: 50, seed: 1)),
        limits: limits
      ) { notes.add($0) }
      var patient = WireLimits()
      patient.silenceSeconds = 3_600
      let scene = Scene(
        service: service,
        good: try await SyncConnection.open(
          to: service.endpoint, on: MultiThreadedEventLoopGroup.singleton.next(),
          limits: patient), notes: notes)
      do {
        // A subscriber receives events after the welcome, and none before it.
        try scene.good.send(.hello(.init(version: 1, role: .subscriber, name: "good")))
        #expect(try await scene.good.lines(until: "welcome") == ["welcome"])
        try await body(scene)
      } catch {
        await service.stop()
        throw error
      }
      // Whatever another peer did: it still gets answers.
      try scene.good.send(.query(.init(id: 7, directory: scene.library.directoryIDs[0])))
      #expect(try await scene.good.lines(until: "rows").last == "rows")
      await scene.good.close()
      await service.stop()
      #expect(!FileManager.default.fileExists(atPath: path))
      try await scene.group.shutdownGracefully()
    }

    /// Another connection, which is not trusted.
    func intruder() async throws -> SyncConnection {
      var limits = WireLimits()
      limits.lineBytes = 64 << 20
      // Only subscribers receive heartbeats.
      limits.silenceSeconds = 3_600
      return try await SyncConnection.open(
        to: service.endpoint, on: group.next(), limits: limits)
    }
  }

  private final class Notes: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test(
    "An invalid message ends its own connection, with a reason",
    arguments: [
      ("{\"kind\":\"gossip\"}\n", "gossip"), ("garbage\n", "not a message"),
      ("\n", "not a message"),
      ("{\"kind\":\"bye\"}\n", "before the hello"),
      ("{\"kind\":\"hello\",\"version\":2,\"role\":\"device\",\"name\":\"x\"}\n", "version 2"),
      ("{\"kind\":\"hello\",\"version\":1,\"role\":\"king\",\"name\":\"x\"}\n", "role"),
      ("[[[[", "not a message"),
      ("\u{0}\u{1}\u{ff}\n", "not a message"),
    ])
  func malformed(text: String, reason: String) async throws {
    try await Scene.with { scene in
      let intruder = try await scene.intruder()
      // Deep enough to end a careless parser.
      intruder.sendRaw(text == "[[[[" ? String(repeating: "[", count: 150_000) + "\n" : text)
      let failure = try await intruder.failure()
      #expect(failure?.contains(reason) == true, "\(failure ?? "")")
      #expect(scene.notes.all.count == 1)
    }
  }

  @Test("A line of a hundred megabytes is cut off early, and little of it is held")
  func endlessLine() async throws {
    try await Scene.with { scene in
      let intruder = try await scene.intruder()
      let chunk = String(repeating: "x", count: 1 << 20)
      for _ in 0..<100 { intruder.sendRaw(chunk) }
      // Answered, or cut off while it was still sending.
      if let failure = try? await intruder.failure() {
        #expect(failure.contains("longer than 200000 bytes"))
      }
      #expect(scene.notes.all.first?.contains("longer than 200000 bytes") == true)
    }
  }
}

extension SyncConnection {
  fileprivate func sendRaw(_ text: String) {
    write(ByteBuffer(string: text))
  }

  /// The names of the messages up to one of that name.
  fileprivate func lines(until name: String) async throws -> [String] {
    var names: [String] = []
    for try await line in inbox {
      names.append(try SyncDecoder().message(from: line.bytes).name)
      if names.last == name { break }
    }
    return names
  }

  /// Why the server ended the connection.
  fileprivate func failure() async throws -> String? {
    for try await line in inbox {
      if case .failure(let failure) = try SyncDecoder().message(from: line.bytes) {
        return failure.reason
      }
    }
    return nil
  }
}
