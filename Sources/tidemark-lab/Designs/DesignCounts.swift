import Foundation
import Reporting
import ResponseCache
import StreamingRepository
import Synchronization
import TwoTierCache

/// Questions with counts as answers: the same on every machine, since nothing is timed.
enum DesignCounts {
  static func sections(in plan: DesignPlan) async throws -> [CountSection] {
    [
      try await LayoutCounts(plan: plan).section(),
      try await SweepCounts(plan: plan).section(),
      try await TagCounts(plan: plan).section(),
      try await CollectionCounts(plan: plan).section(),
      try await AgeCounts(plan: plan).section(),
    ]
  }
}

/// A question and its table.
struct CountSection {
  let title: String
  let table: TextTable

  init(_ title: String, columns: [String], rows: [[String]]) {
    self.title = title
    var table = TextTable(
      columns: columns.enumerated().map { .init($1, $0 == 0 ? .left : .right) })
    for row in rows { table.append(row) }
    self.table = table
  }
}

/// Compares limits by count and by age for the clean-up, and several ages: 1,000 reads of 60 images that are
/// replaced every five minutes.
struct AgeCounts {
  let plan: DesignPlan
  private let replaced = 300

  private struct Setting {
    var age: Int
    var writes: Int?
    var interval: Int?
  }

  func section() async throws -> CountSection {
    let settings = [
      Setting(age: 300, writes: 100), Setting(age: 300, interval: 600),
      Setting(age: 900, writes: 100), Setting(age: 3_600, writes: 100),
      Setting(age: 3_600, interval: 600), Setting(age: 14_400, writes: 100),
    ]
    var rows: [[String]] = []
    for setting in settings { rows.append(try await row(setting)) }
    return CountSection(
      "The clean-up and the age of files",
      columns: [
        "age, clean-up", "hits", "of these replaced since", "fetched", "clean-ups",
        "files past their age, at most",
      ], rows: rows)
  }

  private func row(_ setting: Setting) async throws -> [String] {
    var options = TwoTierOptions()
    options.age = .seconds(setting.age)
    options.cleanUpWrites = setting.writes
    options.cleanUpInterval = setting.interval.map { .seconds($0) }
    options.memoryLimit = .entries(10)
    let clock = SteadyClock()
    let cache = try TwoTierCache<Int, Data>(
      identifier: "age", folder: try plan.freshFolder("age"), options: options,
      timeOfDay: { clock.date })
    await cache.flush()
    let atStart = await cache.statistics.cleanUps
    var (hits, stale, fetched, most) = (0, 0, 0, 0)
    for read in ReadingDay(count: 1_000, entries: 60, seconds: 86).reads {
      clock.set(read.second)
      let scan = read.second / replaced
      if let value = await cache.value(for: read.entry) {
        hits += 1
        if value != Data("\(scan)".utf8) { stale += 1 }
      } else {
        fetched += 1
        await cache.set(Data("\(scan)".utf8), for: read.entry)
      }
      await cache.flush()
      most = max(most, try agedFiles(of: cache, at: clock.date, past: setting.age))
    }
    let cleanUps = await cache.statistics.cleanUps - atStart
    return [
      "\(setting.age / 60) min, "
        + (setting.interval.map { "each \($0 / 60) min" } ?? "each 100 writes"),
      "\(hits)", "\(stale)", "\(fetched)", "\(cleanUps)", "\(most)",
    ]
  }

  /// Returns the files that are no longer served but still take space.
  private func agedFiles(
    of cache: TwoTierCache<Int, Data>, at now: Date, past age: Int
  ) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: cache.folder.path).count { name in
      let path = cache.folder.appendingPathComponent(name).path
      let written = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
      return (written as? Date).map { now.timeIntervalSince($0) > Double(age) } ?? false
    }
  }
}

/// Compares replacement and upsert: a collection of 1,000 rows of which the server changes ten and deletes a
/// tenth.
struct CollectionCounts {
  let plan: DesignPlan

  func section() async throws -> CountSection {
    var rows: [[String]] = []
    for mode in RepositoryOptions.WriteMode.allCases {
      for rewrites in [false, true] { rows.append(try await row(mode, rewrites)) }
    }
    return CountSection(
      "Replace or upsert",
      columns: [
        "write", "updated", "deleted", "unchanged", "of these written", "shown",
        "shown, not at the server",
      ], rows: rows)
  }

  private func row(_ mode: RepositoryOptions.WriteMode, _ rewrites: Bool) async throws -> [String] {
    let folder = try plan.freshFolder("collection")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var options = RepositoryOptions()
    options.triggers = []
    options.writeMode = mode
    options.rewritesUnchangedRows = rewrites
    let source = ItemSource(items: Item.all(1_000))
    let repository = try await StreamingRepository.open(
      path: folder.appendingPathComponent("items.sqlite").path, sources: [source],
      options: options)
    try await repository.logIn("ada")
    try await repository.refresh(Item.self)
    source.remove(every: 10)
    source.change(every: 90)
    try await repository.refresh(Item.self)
    let counts = await repository.statistics.rows
    let shown = try await repository.rows(of: Item.self).count
    let atServer = try await source.fetchAll(for: "ada").count
    await repository.stop()
    return [
      mode.rawValue + (rewrites ? ", rewriting" : ""), "\(counts.updated)", "\(counts.deleted)",
      "\(counts.unchanged)", "\(counts.rewritten)", "\(shown)", "\(shown - atServer)",
    ]
  }
}

/// A server in memory: answers with a cacheable body, or with 304 to a client that has it, and counts.
final class CountingTransport: HTTPTransport {
  private let counts = Mutex((bodies: 0, unchanged: 0))
  private let bodyBytes: Int

  init(bodyBytes: Int) { self.bodyBytes = bodyBytes }

  /// The numbers of answers with and without a body so far.
  var answers: (bodies: Int, unchanged: Int) { counts.withLock { $0 } }

  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    let path = call.url.path
    let fields = [
      HTTPField("Cache-Control", "max-age=297"), HTTPField("ETag", "\"\(path)\""),
      HTTPField("Content-Type", "application/json"),
    ]
    if call.fields.contains(where: { $0.name.lowercased() == "if-none-match" }) {
      counts.withLock { $0.unchanged += 1 }
      return HTTPAnswer(status: 304, fields: fields, body: Data())
    }
    counts.withLock { $0.bodies += 1 }
    let start = Data("\"\(path) ".utf8)
    let body =
      start + Data(repeating: UInt8(ascii: "."), count: max(0, bodyBytes - start.count - 1))
    return HTTPAnswer(status: 200, fields: fields, body: body + Data("\"".utf8))
  }
}
