import CacheModel
import Foundation
import GRDB
import Processes
import RealTime
import ResponseCache
import Synchronization

/// The extent of a measurement, and its folder.
struct DesignPlan: Sendable {
  var entries = [200, 2_000]
  /// The number of timed reads of each tier without the server.
  var reads = 5_000
  /// The number of timed reads that wait for the server.
  var requests = 1_000
  var bodyBytes = 20_000
  var latency = Duration.milliseconds(5)
  var folder: URL

  /// Returns the body of an entry, which is unique.
  func body(_ index: Int) -> Data {
    var random = RandomSource(seed: UInt64(index))
    var body = Data(capacity: bodyBytes + 8)
    while body.count < bodyBytes {
      withUnsafeBytes(of: random.next().littleEndian) { body.append(contentsOf: $0) }
    }
    return body.prefix(bodyBytes)
  }

  /// Returns the entries to read, in an order that read-ahead cannot predict.
  func order(_ count: Int, of entries: Int) -> [Int] {
    var random = RandomSource(seed: 1)
    return (0..<count).map { _ in random.below(entries) }
  }

  /// Returns the URL of an entry, for a server that does not exist.
  static func url(_ index: Int) throws -> URL { try url("http://bench.invalid", "/\(index)") }

  static func url(_ server: String, _ path: String) throws -> URL {
    guard let url = URL(string: server + path) else {
      throw CocoaError(.fileReadInvalidFileName)
    }
    return url
  }

  /// Returns the URL of a new folder, which does not exist yet.
  func freshFolder(_ name: String) throws -> URL {
    let url = folder.appendingPathComponent(name)
    if FileManager.default.fileExists(atPath: url.path) {
      try FileManager.default.removeItem(at: url)
    }
    return url
  }
}

/// A read returned a wrong value, so that its time is invalid.
struct WrongAnswer: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// Runs every design at every size, and with one server, alternating with the controls.
struct DesignTimes {
  let plan: DesignPlan

  /// A part of the measurement: each call performs it once.
  private struct Part: Subject {
    let measure: () async throws -> [DesignSample]

    func perform(_ count: Int) async throws -> [DesignSample] { try await measure() }
  }

  /// - Parameters:
  ///   - rounds: the number of measurements of each part.
  ///   - progress: called with the number of each round at its start, from 1.
  /// - Returns: the samples by round, in a fixed order of parts.
  /// - Throws: ``WrongAnswer``, or a design's error.
  func samples(
    rounds: Int, progress: (Int) -> Void = { _ in }
  ) async throws -> [DesignSample] {
    let server = try await DesignServer(latency: plan.latency)
    var parts = parts(server)
    let taken: [[[DesignSample]]]
    do {
      taken = try await Driver().inTurns(
        Turns(rounds: rounds), block: 1, &parts, beginning: { progress($0 + 1) })
    } catch {
      try? await server.close()
      throw error
    }
    try await server.close()
    return (0..<rounds).flatMap { round in
      taken.flatMap { samples in
        samples[round].map { sample in
          var sample = sample
          sample.round = round + 1
          return sample
        }
      }
    }
  }

  private func parts(_ server: DesignServer) -> [any Subject<[DesignSample]>] {
    let (control, twoTier) = (ControlTimes(plan: plan), TwoTierTimes(plan: plan))
    let response = ResponseOptions.MetadataLayout.allCases.map {
      ResponseTimes(plan: plan, layout: $0)
    }
    var parts: [Part] = []
    for entries in plan.entries {
      parts.append(Part { try await control.samples(entries: entries) })
      parts.append(Part { try await twoTier.samples(entries: entries) })
      parts += response.map { times in Part { try await times.samples(entries: entries) } }
      parts.append(Part { try await RepositoryTimes(plan: plan).samples(entries: entries) })
    }
    return parts + [
      Part { try await twoTier.formSamples() },
      Part { try await control.samples(of: server) },
      Part { try await twoTier.samples(of: server) },
      Part { try await ResponseTimes(plan: plan, layout: .manifest).samples(of: server) },
    ]
  }
}

/// The machine's speed without any cache: the same bytes from a dictionary, a file and SQLite.
struct ControlTimes {
  let plan: DesignPlan

  func samples(entries: Int) async throws -> [DesignSample] {
    var list = SampleList(design: "control", entries: entries)
    let order = plan.order(plan.reads, of: entries)
    let folder = try plan.freshFolder("control")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

    let dictionary = Mutex<[Int: Data]>([:])
    for index in 0..<min(entries, 20) { dictionary.withLock { $0[index] = plan.body(index) } }
    list.add(
      "read: dictionary under a lock",
      try await Stopwatch.times(plan.reads) { read in
        guard dictionary.withLock({ $0[order[read] % 20 % entries] }) != nil else {
          throw WrongAnswer("control: the dictionary lacks a body")
        }
      })

    let files = (0..<entries).map { folder.appendingPathComponent("\($0).body") }
    for (index, file) in files.enumerated() { try plan.body(index).write(to: file) }
    list.add(
      "read: plain file",
      try await Stopwatch.times(plan.reads) { read in
        guard try Data(contentsOf: files[order[read]]).count == plan.bodyBytes else {
          throw WrongAnswer("control: a file is not as it was written")
        }
      })

    let database = try DatabaseQueue(path: folder.appendingPathComponent("control.sqlite").path)
    try await database.write { [plan] database in
      try database.execute(sql: "CREATE TABLE body (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
      for index in 0..<entries {
        try database.execute(
          sql: "INSERT INTO body VALUES (?, ?)", arguments: [index, plan.body(index)])
      }
    }
    list.add(
      "read: plain SQLite",
      try await Stopwatch.times(plan.reads) { [plan] read in
        let id = order[read]
        let count = try await database.read {
          try Data.fetchOne($0, sql: "SELECT bytes FROM body WHERE id = ?", arguments: [id])?.count
        }
        guard count == plan.bodyBytes else { throw WrongAnswer("control: a row is lost") }
      })
    return list.samples
  }

  /// Measures the same answer from the server without any cache.
  func samples(of server: DesignServer) async throws -> [DesignSample] {
    var list = SampleList(design: "control", entries: nil)
    server.serve(plan.body(0), at: "/control")
    list.add(
      "read: server without a cache",
      try await Stopwatch.times(plan.requests) { _ in
        guard try await server.body(at: "/control").count == plan.bodyBytes else {
          throw WrongAnswer("control: the server's answer is cut")
        }
      })
    return list.samples
  }
}
