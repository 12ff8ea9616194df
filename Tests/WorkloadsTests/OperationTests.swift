import CacheModel
import Testing

@testable import Workloads

/// The changes by each operation of the shipped model of files, from the states before and after it.
@Suite("Operations")
struct OperationTests {
  struct Change: Hashable, CustomStringConvertible {
    var type: String
    /// The fields whose values differ; `nil`: created or deleted.
    var fields: Set<String>?
    var isDeleted = false

    static func fields(of type: String, _ names: String...) -> Change {
      Change(type: type, fields: Set(names))
    }

    var description: String { "\(type) \(fields?.sorted() ?? [isDeleted ? "deleted" : "created"])" }
  }

  /// How often a writer that does one thing alone makes each kind of change.
  private static func changes(_ operation: String) throws -> [Change: Int] {
    let scenario = try SmallLibrary.scenario(
      """
      duration: 10 min
      writers: [{rate: 1/s, mix: {\(operation): 100 %}}]
      users: [{mix: {album: 50 %, tag: 50 %}, \(SmallLibrary.activities)}]
      """, files: 3_000, tree: "{depth: 2, fan-out: 12}")
    let workload = Workload.generate(scenario, seed: 3)
    let catalog = workload.catalog
    func values(_ state: UInt32, _ type: EntityType) -> [[UInt64]] {
      type.fields.map { field in
        let word = catalog.word(field.slot, of: state)
        guard case .many = field.content else { return [word] }
        return catalog.labels[LabelRange(word: word).indices].map { UInt64($0) }
      }
    }
    var current = [UInt32?](repeating: nil, count: catalog.objects.count)
    for state in 0..<UInt32(catalog.initialCount) {
      current[Int(catalog.revisions[Int(state)].object)] = state
    }
    var counts: [Change: Int] = [:]
    for item in workload.mutations.flatMap({ workload.items[$0.items] }) {
      let object = Int(item.object)
      let type = workload.model.types[Int(catalog.objects[object].type.rawValue) - 1]
      var change = Change(type: type.name)
      if item.revision == MutationItem.deleted {
        change.isDeleted = true
      } else if let before = current[object] {
        let differ = zip(values(before, type), values(item.revision, type)).map { $0 != $1 }
        change.fields = Set(zip(type.fields, differ).filter(\.1).map(\.0.name))
      }
      current[object] = item.revision == MutationItem.deleted ? nil : item.revision
      counts[change, default: 0] += 1
    }
    return counts
  }

  @Test(
    "Each does what its name says, and nothing else",
    arguments: [
      ("create", [Change(type: "file")]), ("create-album", [Change(type: "album")]),
      ("modify", [.fields(of: "file", "modified")]), ("rename", [.fields(of: "file", "name")]),
      ("rename-directory", [.fields(of: "directory", "name")]),
      // Sometimes a file is moved to its own place.
      ("move", [.fields(of: "file", "parent"), .fields(of: "file")]),
      ("delete", [Change(type: "file", isDeleted: true)]),
      (
        "delete-directory",
        [Change(type: "file", isDeleted: true), Change(type: "directory", isDeleted: true)]
      ),
      ("tag", [.fields(of: "file", "tags")]),
      ("add-to-album", [.fields(of: "file", "albums"), .fields(of: "album", "modified")]),
      ("identify", [.fields(of: "file", "identified")]),
      ("thumbnail", [.fields(of: "file", "thumbnails")]),
    ] as [(String, [Change])])
  func operations(name: String, allowed: [Change]) throws {
    let counts = try Self.changes(name)
    for change in counts.keys { #expect(allowed.contains(change), "\(name): \(change)") }
    // The first is the one that names it.
    let first = counts[allowed[0]] ?? 0
    let total = counts.values.reduce(0, +)
    #expect(first * 2 >= total && total > 100, "\(name): \(first) of \(total)")
  }
}
