import CacheModel

extension HistoryGenerator {
  /// Draws the state at time zero.
  mutating func makeLibrary() {
    let library = scenario.library
    let expected = library.files + library.files / 2 + library.albums + library.tags + 1_000
    state.reserve(objects: expected, revisions: expected * 2)
    var ids = random.substream("identifiers")
    var names = random.substream("names")
    var shape = random.substream("shape")
    var content = random.substream("content")
    let locations = addNamed(.location, library.locations, &ids, &names)
    let albums = addNamed(.album, library.albums, &ids, &names)
    let tags = addNamed(.tag, library.tags, &ids, &names)

    var tree = DirectoryTree(
      depth: library.depth, fanOut: library.fanOut, locations: locations)
    var homes: [(directory: UInt32, location: UInt32)] = []
    homes.reserveCapacity(library.files)
    for _ in 0..<library.files {
      homes.append(
        tree.place(&shape) { parent, location in
          let directory = state.addObject(.directory, id: ids.uniqueID(), at: 0)
          _ = state.record(
            initial(
              directory, name: self.names.name(&names), parent: parent, location: location,
              age: Self.age(&content), bytes: ObjectSizes.directory(variation: Int(directory))))
          return directory
        })
    }
    let isMedia = homes.map { _ in content.chance(library.media) }
    let labels = drawLabels(isMedia: isMedia, albums: albums, tags: tags)
    for (index, home) in homes.enumerated() {
      let file = state.addObject(.file, id: ids.uniqueID(), at: 0)
      var revision = initial(
        file, name: self.names.name(&names), parent: home.directory, location: home.location,
        age: Self.age(&content),
        bytes: sizeOfFile(
          file, labels: labels[index].count,
          waves: isMedia[index] ? [.identified, .thumbnails] : []))
      revision.isMedia = isMedia[index]
      (revision.labelStart, revision.labelCount) = state.store(labels: labels[index])
      _ = state.record(revision)
    }
    initialCount = state.revisions.count
    ranked = state.files
    var order = random.substream("popularity")
    order.shuffle(&ranked)
  }

  /// The size of a file's state, in bytes: what is known of every file, and its content.
  func sizeOfFile(_ file: UInt32, labels: Int, waves: ObjectSizes.Waves) -> Int32 {
    let known = ObjectSizes.file(variation: Int(file), labels: labels, waves: waves)
    guard let content = scenario.library.content else { return known }
    var random = self.random.substream("content-size", UInt64(file))
    return known + content.draw(&random)
  }

  private mutating func addNamed(
    _ kind: EntityKind, _ count: Int, _ ids: inout RandomSource, _ names: inout RandomSource
  ) -> [UInt32] {
    (0..<count).map { _ in
      let object = state.addObject(kind, id: ids.uniqueID(), at: 0)
      let bytes: Int32 =
        switch kind {
        case .album: ObjectSizes.album(variation: Int(object))
        case .tag: Int32(ObjectSizes.tag)
        default: Int32(ObjectSizes.location)
        }
      _ = state.record(
        initial(
          object, name: self.names.name(&names), parent: LibraryState.none,
          location: LibraryState.none, age: 0, bytes: bytes))
      return object
    }
  }

  /// Draws the labels of each file.
  ///
  /// Tags are geometric in number and Zipf in choice; albums hold media files and are geometric in
  /// size. Neither has a published source.
  private func drawLabels(
    isMedia: [Bool], albums: [UInt32], tags: [UInt32]
  ) -> [[UInt32]] {
    var labels = [[UInt32]](repeating: [], count: isMedia.count)
    var random = self.random.substream("labels")
    if let popularity = Popularity(PopularitySection(), count: tags.count) {
      for file in labels.indices {
        for _ in 0..<random.geometric(mean: scenario.library.tagsPerFile) {
          let tag = tags[popularity.sample(&random)]
          if !labels[file].contains(tag) { labels[file].append(tag) }
        }
      }
    }
    let media = isMedia.indices.filter { isMedia[$0] }
    guard !media.isEmpty else { return labels }
    for album in albums {
      for _ in 0..<random.geometric(mean: scenario.library.albumSize) {
        let file = media[random.below(media.count)]
        if labels[file].last != album { labels[file].append(album) }
      }
    }
    return labels
  }

  private func initial(
    _ object: UInt32, name: UInt64, parent: UInt32, location: UInt32, age: Int64, bytes: Int32
  ) -> Revision {
    Revision(
      object: object,
      version: Version(
        milliseconds: UInt64(LibraryState.calendarOrigin - 10_000 - age), counter: 0, device: 1),
      parent: parent, location: location, name: name, modified: -age, isMedia: false, bytes: bytes,
      labelStart: 0, labelCount: 0)
  }

  /// How old a file is, in milliseconds: 200 days on average, at most five years (an assumption).
  private static func age(_ random: inout RandomSource) -> Int64 {
    1 + Int64(min(random.exponential(mean: 200 * 86_400_000), 5 * 365 * 86_400_000))
  }
}
