import CacheModel
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RealTime

@Suite("Hostile peers of a server", .timeLimit(.minutes(30)))
struct HostilePeerTests {
  /// A server with tight limits, and a subscriber who does nothing wrong.
  private struct Scene {
    let library = FileLibrary(directories: 2, filesPerDirectory: 50, seed: 1)
    let service: SyncService
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let good: SyncConnection
    let notes: Notes

    // The good one is only asked where the limits leave it its time on any machine.
    static func with(
      _ change: (inout WireLimits) -> Void = { _ in }, isGoodSafe: Bool = true,
      _ body: (Scene) async throws -> Void
    ) async throws {
      let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("tidemark-h\(UUID().uuidString.prefix(8))").path
      var limits = WireLimits()
      limits.lineBytes = 200_000
      // Long, where it is not what a test is about.
      limits.lineSeconds = 3_600
      limits.helloSeconds = 3_600
      change(&limits)
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
        if isGoodSafe {
          // Whoever subscribes is told of what comes after the welcome, and of nothing before it.
          try scene.good.send(.hello(.init(version: 1, role: .subscriber, name: "good")))
          #expect(try await scene.good.lines(until: "welcome") == ["welcome"])
        }
        try await body(scene)
      } catch {
        await service.stop()
        throw error
      }
      // Whatever somebody else did: it is still answered.
      if isGoodSafe {
        try scene.good.send(.query(.init(id: 7, directory: scene.library.directoryIDs[0])))
        #expect(try await scene.good.lines(until: "rows").last == "rows")
      }
      await scene.good.close()
      await service.stop()
      #expect(!FileManager.default.fileExists(atPath: path))
      try await scene.group.shutdownGracefully()
    }

    /// Another connection, of whom nothing good is known.
    func intruder() async throws -> SyncConnection {
      var limits = WireLimits()
      limits.lineBytes = 64 << 20
      // Only subscribers hear heartbeats.
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
    "What is no message ends its own connection, with a reason",
    arguments: [
      ("{\"kind\":\"gossip\"}\n", "gossip"), ("garbage\n", "no message"), ("\n", "no message"),
      ("{\"kind\":\"bye\"}\n", "before the hello"),
      ("{\"kind\":\"hello\",\"version\":2,\"role\":\"device\",\"name\":\"x\"}\n", "version 2"),
      ("{\"kind\":\"hello\",\"version\":1,\"role\":\"king\",\"name\":\"x\"}\n", "role"),
      ("[[[[", "no message"),
      ("\u{0}\u{1}\u{ff}\n", "no message"),
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
      // Told, or cut off while it still talked.
      if let failure = try? await intruder.failure() {
        #expect(failure.contains("longer than 200000 bytes"))
      }
      #expect(scene.notes.all.first?.contains("longer than 200000 bytes") == true)
    }
  }

  @Test("Half a message and silence is not waited for, nor is a byte now and then")
  func slow() async throws {
    try await Scene.with({ $0.lineSeconds = 0.2 }) { scene in
      let half = try await scene.intruder()
      half.sendRaw("{\"kind\":")
      #expect(try await half.failure()?.contains("did not end within 0.2 s") == true)
      let trickle = try await scene.intruder()
      let dripping = Task {
        while !Task.isCancelled {
          trickle.sendRaw("x")
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      #expect(try await trickle.failure()?.contains("did not end within 0.2 s") == true)
      dripping.cancel()
    }
  }

  @Test("Who connects and says nothing is let go")
  func noHello() async throws {
    try await Scene.with({ $0.helloSeconds = 5 }, isGoodSafe: false) { scene in
      let silent = try await scene.intruder()
      #expect(try await silent.failure()?.contains("no hello came within 5.0 s") == true)
    }
  }

  @Test("A subscriber that never reads is let go, and costs a bounded memory")
  func neverReads() async throws {
    try await Scene.with({ $0.outboundBytes = 300_000 }) { scene in
      // A plain socket, since a channel reads.
      let deaf = try await scene.intruder()
      try deaf.send(.hello(.init(version: 1, role: .subscriber, name: "deaf")))
      #expect(try await deaf.lines(until: "welcome") == ["welcome"])
      try await deaf.channel.setOption(.autoRead, value: false).get()
      let device = try await scene.intruder()
      try device.send(.hello(.init(version: 1, role: .device, name: "device")))
      // In rounds, so that whoever reads is never far behind, however slow the machine.
      for round in 0..<20 {
        for serial in round * 100..<round * 100 + 100 {
          let file = scene.library.payload(ofFile: serial % 100, revision: serial + 1)
          try device.send(
            .mutation(.init(token: UUID(), intended: 0, sent: 0, device: 1, files: [file])))
        }
        #expect(try await device.lines(count: "accepted", 100) == 100)
        #expect(try await scene.good.lines(count: "resource_changed", 100) == 100)
      }
      #expect(scene.notes.all.map { $0.contains("bytes wait to be read") } == [true])
    }
  }

  @Test("Beyond the limit of connections, the new one is refused")
  func tooMany() async throws {
    try await Scene.with({ $0.connections = 2 }) { scene in
      let second = try await scene.intruder()
      try second.send(.hello(.init(version: 1, role: .device, name: "second")))
      #expect(try await second.lines(until: "welcome").count == 1)
      let third = try await scene.intruder()
      #expect(try await third.failure()?.contains("holds 2 connections") == true)
      await second.close()
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
    while names.last != name, let line = try await inbox.next() {
      names.append(try SyncDecoder().message(from: line.bytes).name)
    }
    return names
  }

  /// Reads until so many messages of a name have come.
  fileprivate func lines(count name: String, _ wanted: Int) async throws -> Int {
    var count = 0
    while count < wanted, let line = try await inbox.next() {
      if try SyncDecoder().message(from: line.bytes).name == name { count += 1 }
    }
    return count
  }

  /// Why the server ended the connection.
  fileprivate func failure() async throws -> String? {
    while let line = try await inbox.next() {
      if case .failure(let failure) = try SyncDecoder().message(from: line.bytes) {
        return failure.reason
      }
    }
    return nil
  }
}
