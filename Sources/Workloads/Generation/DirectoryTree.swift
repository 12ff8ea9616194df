import CacheModel

/// A tree of directories that grows as files are placed in it.
///
/// The depth of a file is uniform over the levels, and on each level it goes to one of `fanOut`
/// directories, so few files stand alone in deep directories and many together in shallow ones.
struct DirectoryTree {
  let depth: Int
  let fanOut: Int
  /// The location of a directory on the first level, and of all below it.
  let locations: [UInt32]
  /// Directories by their place in the full tree; absent until a file needs them.
  private var directories: [Int: UInt32] = [:]

  init(depth: Int, fanOut: Int, locations: [UInt32]) {
    self.depth = depth
    self.fanOut = fanOut
    self.locations = locations
  }

  /// Draws the directory of a file, and makes what is missing on the way to it.
  ///
  /// - Parameters:
  ///   - random: Draws the way.
  ///   - make: Makes a directory in a parent (`none` on the first level) and a location.
  /// - Returns: The directory and its location.
  mutating func place(
    _ random: inout RandomSource, make: (_ parent: UInt32, _ location: UInt32) -> UInt32
  ) -> (directory: UInt32, location: UInt32) {
    let levels = 1 + random.below(depth)
    var address = 0
    var parent = Revision.noObject
    var location = Revision.noObject
    for level in 0..<levels {
      let branch = random.below(fanOut)
      // The children of address a are a · fanOut + 1 ... a · fanOut + fanOut, as in a heap.
      address = address * fanOut + 1 + branch
      if level == 0, !locations.isEmpty { location = locations[branch % locations.count] }
      if let known = directories[address] {
        parent = known
      } else {
        let made = make(parent, location)
        directories[address] = made
        parent = made
      }
    }
    return (parent, location)
  }
}
