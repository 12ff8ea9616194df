import CacheModel

/// What each commit of a library of files was, told from the states before and after it.
struct OperationHistory {
  /// In order.
  private(set) var operations: [Operation] = []

  struct Operation {
    var at: Instant
    var device: UInt32
    var kind: Kind
    /// The first object that it concerns: what it was begun on.
    var object: UInt32
    var items: Int
    /// Whether the object was a file that existed at the beginning.
    var isOfInitialFile: Bool
    /// Whether it lay in a directory that some user had viewed; `nil` of what is new.
    var isOfViewed: Bool?
    /// The share of all files that lay in such directories then.
    var viewedShare: Double
    /// Whether it lay in one of the directories that were viewed last, and what share of files did.
    var isOfLatest = false
    var latestShare = 0.0
  }

  /// The first nine in the order of ``OperationMix/shares``.
  enum Kind: Int {
    case create, modify, rename, move, delete, deleteDirectory, tag, editAlbum, createAlbum
    /// Files that were found, and what became known of them later, by their size alone.
    case found, described
    /// Without items.
    case progress
  }

  /// How many kinds a user's operation may be of.
  static let kindsOfUsers = 9
  /// So many views are the latest.
  static let latestViews = 16

  init(_ workload: Workload) {
    let catalog = workload.catalog
    var current = [UInt32?](repeating: nil, count: catalog.objects.count)
    var isInitial = [Bool](repeating: false, count: catalog.objects.count)
    for index in 0..<catalog.initialCount {
      current[Int(catalog.revisions[index].object)] = UInt32(index)
      isInitial[Int(catalog.revisions[index].object)] = true
    }
    var viewed = [Bool](repeating: false, count: catalog.objects.count)
    let views = workload.clients.flatMap(\.actions).sorted { $0.at < $1.at }
    let content = DirectoryContent(workload)
    let files = Double(max(1, content.filesInAll))
    var viewedFiles = 0
    var latest: [UInt32] = []
    var next = 0
    for mutation in workload.mutations {
      while next < views.count, views[next].at < mutation.at {
        if case .observe(let query) = views[next].kind,
          let directory = workload.queries[Int(query)].directory
        {
          if !viewed[Int(directory)] {
            viewed[Int(directory)] = true
            viewedFiles += content.files[Int(directory)]
          }
          latest.append(directory)
          if latest.count > Self.latestViews { latest.removeFirst() }
        }
        next += 1
      }
      let items = workload.items[mutation.items]
      if let first = items.first {
        let object = Int(first.object)
        let before = current[object].map { catalog.revisions[Int($0)] }
        let after =
          first.revision == MutationItem.deleted ? nil : catalog.revisions[Int(first.revision)]
        let isFile = catalog.objects[object].type == EntityKind.file.resourceType
        var operation = Operation(
          at: mutation.at, device: mutation.device,
          kind: Self.kind(
            of: mutation, from: before, to: after, type: catalog.objects[object].type, catalog),
          object: first.object, items: items.count,
          isOfInitialFile: isFile && isInitial[object],
          isOfViewed: before.map {
            viewed[object] || $0.parent != Revision.noObject && viewed[Int($0.parent)]
          }, viewedShare: Double(viewedFiles) / files)
        operation.isOfLatest = before.map { latest.contains($0.parent) } ?? false
        operation.latestShare =
          latest.indices.reduce(0.0) {
            latest[..<$1].contains(latest[$1]) ? $0 : $0 + Double(content.files[Int(latest[$1])])
          } / files
        operations.append(operation)
      } else {
        operations.append(
          Operation(
            at: mutation.at, device: mutation.device, kind: .progress, object: Revision.noObject,
            items: 0, isOfInitialFile: false, isOfViewed: nil, viewedShare: 0))
      }
      for item in items {
        current[Int(item.object)] = item.revision == MutationItem.deleted ? nil : item.revision
      }
    }
  }

  private static func kind(
    of mutation: Mutation, from before: Revision?, to after: Revision?, type: ResourceType,
    _ catalog: Catalog
  ) -> Kind {
    guard let after else {
      return type == EntityKind.directory.resourceType ? .deleteDirectory : .delete
    }
    guard let before else {
      if type == EntityKind.album.resourceType { return .createAlbum }
      return type == EntityKind.file.resourceType && mutation.items.count == 1 ? .create : .found
    }
    if before.parent != after.parent { return .move }
    if before.name != after.name { return .rename }
    let old = catalog.labels(of: before)
    let new = catalog.labels(of: after)
    if !old.elementsEqual(new) {
      let changed = new.first { !old.contains($0) } ?? old.first { !new.contains($0) }
      let isAlbum = changed.map {
        catalog.objects[Int($0)].type == EntityKind.album.resourceType
      }
      return isAlbum == true ? .editAlbum : .tag
    }
    if before.modified == after.modified, before.bytes != after.bytes { return .described }
    return .modify
  }
}
