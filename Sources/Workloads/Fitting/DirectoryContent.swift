import CacheModel

/// The tree of directories as it was when a recording began, and who came since.
struct DirectoryContent {
  /// By object: the directory that first held it; `Revision.noObject` at the root.
  private(set) var parent: [UInt32]
  /// By object: how many files it held at the beginning, and how many directories.
  private(set) var files: [Int]
  private(set) var directories: [Int]
  /// By object: when it came; `nil` where it was there at the beginning.
  private(set) var birth: [Instant?]
  /// How many files there were in directories at the beginning.
  private(set) var filesInAll = 0

  init(_ workload: Workload) {
    let catalog = workload.catalog
    let count = catalog.objects.count
    parent = [UInt32](repeating: Revision.noObject, count: count)
    files = [Int](repeating: 0, count: count)
    directories = files
    birth = [Instant?](repeating: nil, count: count)
    var exists = [Bool](repeating: false, count: count)
    for revision in catalog.revisions.prefix(catalog.initialCount) {
      let object = Int(revision.object)
      exists[object] = true
      parent[object] = revision.parent
      guard revision.parent != Revision.noObject else { continue }
      switch catalog.objects[object].type {
      case EntityKind.file.resourceType:
        files[Int(revision.parent)] += 1
        filesInAll += 1
      case EntityKind.directory.resourceType: directories[Int(revision.parent)] += 1
      default: break
      }
    }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] where !exists[Int(item.object)] {
        exists[Int(item.object)] = true
        birth[Int(item.object)] = mutation.at
        if item.revision != MutationItem.deleted {
          parent[Int(item.object)] = catalog.revisions[Int(item.revision)].parent
        }
      }
    }
  }
}
