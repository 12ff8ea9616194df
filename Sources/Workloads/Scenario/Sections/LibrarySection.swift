/// What exists when the run begins.
package struct LibrarySection: Hashable, Sendable {
  package var files = 20_000
  /// The levels of directories; the depth of a file is uniform over them.
  package var depth = 3
  /// The directories in each directory.
  package var fanOut = 12
  /// The share of images and films among files.
  package var media = 0.3
  package var locations = 1
  package var albums = 40
  /// The mean number of files in an album.
  package var albumSize = 60.0
  package var tags = 30
  /// The mean number of tags on a file.
  package var tagsPerFile = 0.3
  /// What files hold besides what is known of every file; `nil`: nothing.
  package var content: ContentSection?

  package init() {}

  /// A named directory shape: measured figures in `Documentation/Methodology.md`.
  package enum Shape: String, CaseIterable, Sendable {
    case small, medium, large
  }

  mutating func setShape(_ shape: Shape) {
    switch shape {
    case .small: (files, depth, fanOut) = (5_000, 2, 8)
    case .medium: (files, depth, fanOut) = (20_000, 3, 12)
    case .large: (files, depth, fanOut) = (100_000, 4, 12)
    }
  }
}

extension LibrarySection: ScenarioSection {
  static let fields: [Field<LibrarySection>] = [
    Field(
      name: "shape", form: .choice(Shape.allCases.map(\.rawValue)),
      summary: "sets files, depth and fan-out; write it before what differs from it"
    ) {
      let names = Shape.allCases.map(\.rawValue)
      if let name = $2.name($1, what: "shape", among: names), let shape = Shape(rawValue: name) {
        $0.setShape(shape)
      }
    },
    .count("files", of: "files", \.files, 0...1_000_000, "files when the run begins"),
    .count("depth", of: "levels", \.depth, 1...8, "levels of directories"),
    .count("fan-out", of: "directories", \.fanOut, 1...1_000, "directories in each directory"),
    .share("media", \.media, "share of images and films among files"),
    .count("locations", of: "locations", \.locations, 1...1_000, "trees of directories"),
    .count("albums", of: "albums", \.albums, 0...100_000, "albums when the run begins"),
    .mean("album-size", of: "files", \.albumSize, 0...100_000, "mean number of files in an album"),
    .count("tags", of: "tags", \.tags, 0...100_000, "tags"),
    .mean("tags-per-file", of: "tags", \.tagsPerFile, 0...100, "mean number of tags on a file"),
    .section(
      "content", \.content, startingFrom: ContentSection(),
      "what files hold besides what is known of every file"),
  ]

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    var directories = 1.0
    for _ in 0..<depth { directories *= Double(fanOut) }
    if directories > 1e12 {
      reader.report(place, "the tree has room for too many directories", "lower `fan-out`")
    }
  }
}
