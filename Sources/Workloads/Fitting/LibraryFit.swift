import CacheModel

/// What there was when a recording began: how many files, in which directories, how large.
struct LibraryFit {
  private(set) var files = 0
  private(set) var depth = LibrarySection().depth
  private(set) var fanOut = LibrarySection().fanOut
  private(set) var directories = 0
  private(set) var media = Estimate(
    nil, from: 0, "files", needed: 20, default: LibrarySection().media)
  private(set) var locations = 1
  private(set) var albums = 0
  private(set) var albumSize = 0.0
  private(set) var tags = 0
  private(set) var tagsPerFile = 0.0
  /// Bytes of all entities, and of files alone, on average.
  private(set) var meanBytes: Double?
  private(set) var meanFileBytes: Double?
  /// Content besides what a file of the library always holds; `nil`: none.
  private(set) var content: ContentSection?
  /// Whether entities are smaller than the library's can be.
  private(set) var isSmallerThanLibrary = false

  init(_ workload: Workload) {
    let catalog = workload.catalog
    let initial = catalog.revisions.prefix(catalog.initialCount)
    var counts = [Int](repeating: 0, count: EntityKind.allCases.count + 1)
    func kind(_ object: UInt32) -> EntityKind? {
      EntityKind(rawValue: catalog.objects[Int(object)].type.rawValue)
    }
    var parent = [UInt32](repeating: Revision.noObject, count: catalog.objects.count)
    for revision in initial {
      counts[Int(kind(revision.object)?.rawValue ?? 0)] += 1
      parent[Int(revision.object)] = revision.parent
    }
    func count(_ kind: EntityKind) -> Int { counts[Int(kind.rawValue)] }
    (files, directories) = (count(.file), count(.directory))
    (albums, tags, locations) = (count(.album), count(.tag), max(1, count(.location)))
    var images = 0
    var (inAlbums, tagged) = (0, 0)
    var levels = 0
    var contents: [Int] = []
    for revision in initial where kind(revision.object) == .file {
      if revision.isMedia { images += 1 }
      for label in catalog.labels(of: revision) {
        switch kind(label) {
        case .album: inAlbums += 1
        case .tag: tagged += 1
        default: break
        }
      }
      var above = revision.parent
      var level = 0
      // What leads back to itself in a log ends somewhere.
      while above != Revision.noObject, level < 64 {
        level += 1
        above = parent[Int(above)]
      }
      levels += level
      let known = ObjectSizes.file(
        variation: Int(revision.object), labels: Int(revision.labelCount),
        waves: revision.isMedia ? [.identified, .thumbnails] : [])
      contents.append(Int(revision.bytes) - Int(known))
    }
    let bytes = initial.reduce(0.0) { $0 + Double($1.bytes) }
    if !initial.isEmpty { meanBytes = bytes / Double(initial.count) }
    guard files > 0 else { return }
    meanFileBytes =
      initial.reduce(0.0) { $0 + (kind($1.object) == .file ? Double($1.bytes) : 0) }
      / Double(files)
    media = Estimate(
      Double(images) / Double(files), from: files, "files", needed: 20,
      default: LibrarySection().media)
    albumSize = Double(inAlbums) / Double(max(1, albums))
    tagsPerFile = Double(tagged) / Double(files)
    // A file's depth is uniform over the levels.
    depth = min(8, max(1, Int((2 * Double(levels) / Double(files) - 1).rounded())))
    fanOut = Self.fanOut(directories: directories, files: files, depth: depth)
    measure(contents)
  }

  /// The number of directories in each that makes so many in all.
  private static func fanOut(directories: Int, files: Int, depth: Int) -> Int {
    func expected(_ fanOut: Int) -> Double {
      var sum = 0.0
      var places = 1.0
      for level in 1...depth {
        places *= Double(fanOut)
        let below = Double(files) * Double(depth - level + 1) / Double(depth)
        // The chance that no file lies in a directory or below it.
        sum += places * (1 - PortableMath.exp(-below / places))
      }
      return sum
    }
    var best = 1
    for fanOut in 1...1_000 {
      if abs(expected(fanOut) - Double(directories)) < abs(expected(best) - Double(directories)) {
        best = fanOut
      }
    }
    return best
  }

  private mutating func measure(_ contents: [Int]) {
    let mean = contents.reduce(0.0) { $0 + Double($1) } / Double(contents.count)
    // What a file of the library holds varies by a few bytes itself.
    guard abs(mean) > 0.05 * (meanFileBytes ?? 0) else { return }
    guard mean > 0 else {
      isSmallerThanLibrary = true
      return
    }
    let sorted = contents.sorted()
    let least = max(1, sorted[0])
    var section = ContentSection()
    section.least = min(least, 9_999_999)
    section.most = min(10_000_000, max(section.least + 1, sorted[sorted.count - 1]))
    section.exponent = Self.exponent(section, mean: mean)
    content = section
  }

  /// The exponent of the Pareto distribution between two bounds that has a mean.
  private static func exponent(_ section: ContentSection, mean: Double) -> Double {
    var (low, high) = (0.01, 4.0)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if Self.mean(of: section, exponent: middle) > mean { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// The mean of a Pareto distribution between two bounds.
  private static func mean(of section: ContentSection, exponent: Double) -> Double {
    let (low, high) = (Double(section.least), Double(section.most))
    // At exponent 1 the quotient has no value, and its neighbours have the same.
    let power = abs(exponent - 1) < 1e-6 ? 1 + 1e-6 : exponent
    let scale = PortableMath.pow(low, power) / (1 - PortableMath.pow(low / high, power))
    let rest = PortableMath.pow(low, 1 - power) - PortableMath.pow(high, 1 - power)
    return scale * power / (power - 1) * rest
  }
}
