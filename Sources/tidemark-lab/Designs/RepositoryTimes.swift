import Foundation
import GRDB
import StreamingRepository

/// Measures the streaming repository with a real file, and answers in memory and over HTTP.
struct RepositoryTimes {
  let plan: DesignPlan

  func samples(entries: Int) async throws -> [DesignSample] {
    var list = SampleList(design: "repository", entries: entries)
    let folder = try plan.freshFolder("repository")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("items.sqlite").path
    let source = ItemSource(items: Item.all(entries))
    do {
      let repository = try await StreamingRepository.open(path: path, sources: [source])
      try await repository.logIn("ada")
      try await write("write all", source.payload, repository, &list)
      try await write("write the same again", source.payload, repository, &list)
      source.change(every: 100)
      try await write("write 1 % changed", source.payload, repository, &list)
      list.add("disk", bytes: try Disk.usage(of: folder).bytes)

      let order = plan.order(plan.reads, of: entries)
      list.add(
        "read: one row",
        try await Stopwatch.times(plan.reads) { read in
          let id = Item.id(order[read])
          guard
            try await repository.rows(of: Item.self, { $0.filter(Column("id") == id) }).count == 1
          else {
            throw WrongAnswer("repository: row \(id) is lost")
          }
        })
      await repository.stop()
    }
    list.add(
      "start-up: to the first row",
      nanoseconds: try await Stopwatch.time {
        let repository = try await StreamingRepository.open(path: path, sources: [source])
        let id = Item.id(0)
        guard try await repository.rows(of: Item.self, { $0.filter(Column("id") == id) }).count == 1
        else {
          throw WrongAnswer("repository: the first row is lost")
        }
      })
    return list.samples
  }

  private func write(
    _ measure: String, _ payload: Int, _ repository: StreamingRepository, _ list: inout SampleList
  ) async throws {
    let before = Disk.bytesWritten
    list.add(
      measure, nanoseconds: try await Stopwatch.time { try await repository.refresh(Item.self) })
    list.add("\(measure): bytes written per byte", writtenSince: before, payload: payload)
  }
}

/// A row of an app for short links.
struct Item: Codable, RepositoryRow {
  var id: String
  var title: String
  var target: String
  var clicks: Int

  static func defineColumns(in table: TableDefinition) {
    table.column("title", .text).notNull()
    table.column("target", .text).notNull()
    table.column("clicks", .integer).notNull()
  }

  static func id(_ index: Int) -> String { "link-\(index)" }

  static func all(_ count: Int) -> [Item] {
    (0..<count).map {
      Item(
        id: id($0), title: "The title of the link numbered \($0)",
        target: "https://example.com/a/path/of/some/length/\($0)?source=app", clicks: $0)
    }
  }
}
