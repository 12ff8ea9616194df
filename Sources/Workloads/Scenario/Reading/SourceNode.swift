/// A node of a parsed file, with its place: all that the schema sees of YAML.
struct SourceNode: Sendable {
  var place: SourcePlace?
  var content: Content

  enum Content: Sendable {
    case scalar(String)
    case sequence([SourceNode])
    case mapping([Entry])
  }

  struct Entry: Sendable {
    var key: String
    var keyPlace: SourcePlace?
    var value: SourceNode
  }

  /// What the node is, for an error.
  var kindName: String {
    switch content {
    case .scalar: "a single value"
    case .sequence: "a list"
    case .mapping: "a section"
    }
  }
}
