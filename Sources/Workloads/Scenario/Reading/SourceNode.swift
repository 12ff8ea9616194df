/// A node of a parsed file, with its place: all that the schema sees of YAML.
package struct SourceNode: Sendable {
  package var place: SourcePlace?
  package var content: Content

  package enum Content: Sendable {
    case scalar(String)
    case sequence([SourceNode])
    case mapping([Entry])
  }

  package struct Entry: Sendable {
    package var key: String
    package var keyPlace: SourcePlace?
    package var value: SourceNode
  }

  /// What the node is, for an error.
  package var kindName: String {
    switch content {
    case .scalar: "a single value"
    case .sequence: "a list"
    case .mapping: "a section"
    }
  }
}
