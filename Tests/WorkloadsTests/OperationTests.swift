import CacheModel
import Testing

@testable import Workloads

/// What each operation of a device changes, by the states before and after it.
@Suite("Operations of devices")
struct OperationTests {
  /// What may differ between two states of one object.
  enum Part: Hashable {
    case name, place, content, labels
  }

  struct Change: Hashable {
    var kind: EntityKind
    /// `nil`: created or deleted.
    var parts: Set<Part>?
    var isDeleted = false
  }

  /// How often a device that does one thing alone makes each kind of change.
  private static func changes(_ operation: String) throws -> [Change: Int] {
    let yaml = """
      name: one
      duration: 10 min
      library: {files: 3_000 files, depth: 2 levels, fan-out: 12 directories, albums: 5 albums, tags: 5 tags}
      devices: [{rate: 1/s, selection: 2 files, mix: {\(operation): 100 %}}]
      sessions: [{mix: {album: 50 %, tag: 50 %}}]
      """
    let scenario = try Scenario.parse(Array(yaml.utf8), file: "one.yaml", vocabulary: .unchecked)
    let workload = Workload.generate(scenario, seed: 3)
    let catalog = workload.catalog
    var current = [UInt32?](repeating: nil, count: catalog.objects.count)
    for index in 0..<catalog.initialCount {
      current[Int(catalog.revisions[index].object)] = UInt32(index)
    }
    var counts: [Change: Int] = [:]
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] {
        let object = Int(item.object)
        let kind = try #require(EntityKind(rawValue: catalog.objects[object].type.rawValue))
        var change = Change(kind: kind)
        if item.revision == MutationItem.deleted {
          change.isDeleted = true
          current[object] = nil
        } else {
          let after = catalog.revisions[Int(item.revision)]
          change.parts = current[object].map { before in
            parts(catalog.revisions[Int(before)], after, in: catalog)
          }
          current[object] = item.revision
        }
        counts[change, default: 0] += 1
      }
    }
    return counts
  }

  private static func parts(
    _ before: Revision, _ after: Revision, in catalog: Catalog
  ) -> Set<Part> {
    var parts: Set<Part> = []
    if before.name != after.name { parts.insert(.name) }
    if before.parent != after.parent { parts.insert(.place) }
    if before.modified != after.modified { parts.insert(.content) }
    if !catalog.labels(of: before).elementsEqual(catalog.labels(of: after)) {
      parts.insert(.labels)
    }
    return parts
  }

  @Test(
    "Each does what it is called, and nothing else",
    arguments: [
      ("create", [Change(kind: .file)]),
      ("modify", [Change(kind: .file, parts: [.content])]),
      (
        "rename",
        [Change(kind: .file, parts: [.name]), Change(kind: .directory, parts: [.name])]
      ),
      // Now and then a file is moved to where it is.
      ("move", [Change(kind: .file, parts: [.place]), Change(kind: .file, parts: [])]),
      ("delete", [Change(kind: .file, isDeleted: true)]),
      (
        "delete-directory",
        [Change(kind: .file, isDeleted: true), Change(kind: .directory, isDeleted: true)]
      ),
      ("tag", [Change(kind: .file, parts: [.labels])]),
      (
        "edit-album",
        [Change(kind: .file, parts: [.labels]), Change(kind: .album, parts: [.content])]
      ),
      ("create-album", [Change(kind: .album)]),
    ] as [(String, [Change])])
  func operations(name: String, allowed: [Change]) throws {
    let counts = try Self.changes(name)
    for change in counts.keys { #expect(allowed.contains(change), "\(name): \(change)") }
    // The first is what it is called after.
    let first = counts[allowed[0]] ?? 0
    let total = counts.values.reduce(0, +)
    #expect(first * 2 >= total && total > 100, "\(name): \(first) of \(total)")
  }
}
