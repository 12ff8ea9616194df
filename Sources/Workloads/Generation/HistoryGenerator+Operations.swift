import CacheModel

extension HistoryGenerator {
  /// The largest subtree that one operation deletes; a larger one is left alone, and a file goes
  /// instead.
  static let maximumDeletedSubtree = 500
  /// The most labels on one file.
  static let maximumLabels = 64

  /// One operation of a user, drawn from the mix of its device; nothing if the library has no object
  /// for it.
  mutating func performUserOperation(_ operation: TimedOperation) {
    // The device's stream is taken out and put back, so that it alone advances.
    let index = Int(operation.device)
    var random = devices[index].random
    defer { devices[index].random = random }
    switch random.choice(of: devices[index].section.mix.shares) {
    case 0: create(operation, &random)
    case 1: modify(operation, &random)
    case 2: rename(operation, &random)
    case 3: move(operation, &random)
    case 4: deleteFile(operation, &random)
    case 5: deleteDirectory(operation, &random)
    case 6: tag(operation, &random)
    case 7: editAlbum(operation, &random)
    default: createAlbum(operation, &random)
    }
  }

  private mutating func create(_ operation: TimedOperation, _ random: inout RandomSource) {
    guard let home = knownHome(at: random.unit()) else { return }
    let first = items.count
    let file = state.addObject(.file, id: random.uniqueID(), at: operation.at)
    let isMedia = random.chance(scenario.library.media)
    var revision = fresh(
      file, home,
      bytes: sizeOfFile(
        file, labels: 0, waves: isMedia ? [.identified, .thumbnails] : []),
      operation, &random)
    revision.isMedia = isMedia
    let bytes = put(revision)
    commitItems(from: first, bytes: bytes, operation)
    let index = Int(operation.device)
    devices[index].own.append(file)
    if devices[index].own.count > 20 { devices[index].own.removeFirst() }
  }

  private mutating func modify(_ operation: TimedOperation, _ random: inout RandomSource) {
    guard let file = pickFile(operation, &random) else { return }
    let first = items.count
    var revision = successor(of: file, operation)
    revision.modified = operation.at / 1_000_000
    let bytes = put(revision)
    commitItems(from: first, bytes: bytes, operation)
  }

  private mutating func rename(_ operation: TimedOperation, _ random: inout RandomSource) {
    // One rename in ten is of a directory (an assumption).
    let isDirectory = random.chance(0.1)
    guard let file = pickFile(operation, &random) else { return }
    let parent = state.state(of: file).parent
    let first = items.count
    var revision = successor(
      of: isDirectory && parent != LibraryState.none ? parent : file, operation)
    revision.name = names.name(&random)
    let bytes = put(revision)
    commitItems(from: first, bytes: bytes, operation)
  }

  private mutating func move(_ operation: TimedOperation, _ random: inout RandomSource) {
    let target = random.unit()
    guard let file = pickFile(operation, &random), let home = knownHome(at: target) else { return }
    let first = items.count
    var bytes = 0
    for file in selection(from: file, operation, &random) {
      var revision = successor(of: file, operation)
      revision.parent = home.directory
      revision.location = home.location
      bytes += put(revision)
    }
    commitItems(from: first, bytes: bytes, operation)
  }

  private mutating func deleteFile(_ operation: TimedOperation, _ random: inout RandomSource) {
    if let file = pickFile(operation, &random) { delete(file, operation) }
  }

  private mutating func deleteDirectory(_ operation: TimedOperation, _ random: inout RandomSource) {
    guard let file = pickFile(operation, &random) else { return }
    let parent = state.state(of: file).parent
    let isSmall =
      parent != LibraryState.none
      && state.subtree(of: parent, limit: Self.maximumDeletedSubtree).count
        <= Self.maximumDeletedSubtree
    delete(isSmall ? parent : file, operation)
  }

  private mutating func delete(_ object: UInt32, _ operation: TimedOperation) {
    let first = items.count
    var newest = Version.none
    for gone in state.subtree(of: object, limit: .max) {
      newest = max(newest, state.state(of: gone).version)
    }
    let removed = state.remove(object, at: operation.at)
    items += removed.map { MutationItem(object: $0, revision: MutationItem.deleted) }
    commit(
      .deleted, from: first, ObjectSizes.envelope + removed.count * ObjectSizes.deletedKey,
      operation,
      version: tick(operation.device, at: operation.at, after: newest))
  }

  private mutating func tag(_ operation: TimedOperation, _ random: inout RandomSource) {
    guard let popularity = devices[Int(operation.device)].tags else { return }
    let tag = state.tags[popularity.sample(&random)]
    guard let file = pickFile(operation, &random) else { return }
    let first = items.count
    var bytes = 0
    for file in selection(from: file, operation, &random) {
      bytes += put(toggling(tag, on: file, operation))
    }
    commitItems(from: first, bytes: bytes, operation)
  }

  private mutating func editAlbum(_ operation: TimedOperation, _ random: inout RandomSource) {
    guard let popularity = devices[Int(operation.device)].albums else { return }
    let album = state.albums[popularity.sample(&random)]
    guard let file = pickFile(operation, &random) else { return }
    let first = items.count
    var bytes = 0
    for file in selection(from: file, operation, &random) {
      bytes += put(toggling(album, on: file, operation))
    }
    var revision = successor(of: album, operation)
    revision.modified = operation.at / 1_000_000
    bytes += put(revision)
    commitItems(from: first, bytes: bytes, operation)
  }

  private mutating func createAlbum(_ operation: TimedOperation, _ random: inout RandomSource) {
    let first = items.count
    let album = state.addObject(.album, id: random.uniqueID(), at: operation.at)
    let bytes = put(
      fresh(
        album, (LibraryState.none, LibraryState.none),
        bytes: ObjectSizes.album(variation: Int(album)), operation, &random))
    commitItems(from: first, bytes: bytes, operation)
  }

  /// The file with a label added, or removed if it has it.
  private mutating func toggling(
    _ label: UInt32, on file: UInt32, _ operation: TimedOperation
  ) -> Revision {
    var revision = successor(of: file, operation)
    let before = Int(revision.labelCount)
    var labels = Array(state.labels(of: revision))
    if let index = labels.firstIndex(of: label) {
      labels.remove(at: index)
    } else if labels.count < Self.maximumLabels {
      labels.append(label)
    }
    // A full list stays as it is, and keeps its place in the catalog.
    if labels.count != before {
      (revision.labelStart, revision.labelCount) = state.store(labels: labels)
      revision.bytes += Int32((labels.count - before) * ObjectSizes.label)
    }
    return revision
  }

  /// So often is a file drawn that is not in view, before any will do.
  private static let attempts = 16

  /// A live file; where the device has an interest, with that probability one in a directory that
  /// sessions have viewed, else one that lies in none.
  private mutating func pickFile(
    _ operation: TimedOperation, _ random: inout RandomSource
  ) -> UInt32? {
    guard let interest = devices[Int(operation.device)].section.interest, views != nil else {
      return pickAnyFile(operation, &random)
    }
    views?.advance(to: operation.at)
    if random.chance(interest) {
      for _ in 0..<Self.attempts {
        let point = random.unit()
        guard let directory = views?.directory(at: random.unit()) else { break }
        if let file = state.file(in: directory, at: point) { return file }
      }
    }
    var file: UInt32?
    for _ in 0..<Self.attempts {
      file = pickAnyFile(operation, &random)
      guard let file, views?.contains(state.state(of: file).parent) == true else { break }
    }
    return file
  }

  /// One in five of those that the device made lately, else by popularity.
  private func pickAnyFile(
    _ operation: TimedOperation, _ random: inout RandomSource
  ) -> UInt32? {
    let device = devices[Int(operation.device)]
    let isOwn = random.chance(0.2)
    let point = random.unit()
    if isOwn, !device.own.isEmpty {
      let file = device.own[Int(point * Double(device.own.count))]
      if state.isAlive(file) { return file }
    }
    guard let popularity = device.files else { return nil }
    let rank = popularity.sample(&random)
    // A file that is gone leaves its popularity to the next one in line.
    for step in 0..<min(ranked.count, 1_000) {
      let file = ranked[(rank + step) % ranked.count]
      if state.isAlive(file) { return file }
    }
    return nil
  }

  /// The files that an operation concerns: the given one and its neighbours in the directory.
  private func selection(
    from file: UInt32, _ operation: TimedOperation, _ random: inout RandomSource
  ) -> [UInt32] {
    let mean = devices[Int(operation.device)].section.selection
    let wanted = random.geometric(mean: mean, minimum: 1)
    var selected = [file]
    var next = state.nextSibling[Int(file)]
    while next != LibraryState.none, selected.count < wanted {
      if state.kinds[Int(next)] == .file { selected.append(next) }
      next = state.nextSibling[Int(next)]
    }
    return selected
  }
}
