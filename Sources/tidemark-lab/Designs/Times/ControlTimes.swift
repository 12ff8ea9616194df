import Foundation
import GRDB
import Synchronization

/// What the machine can do without any cache: the same bytes from a dictionary, a file and SQLite.
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

  /// The same answer from the server without any cache.
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
