import Foundation
import StreamingRepository

/// Replace or upsert: a collection of 1,000 rows of which the server changes ten and deletes a tenth.
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
