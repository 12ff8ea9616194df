/// Bytes of events as compact JSON, as captured from a local-first file manager.
enum ObjectSizes {
  static let envelope = 100
  /// A key in a list of deletions: a UUID in quotes, its type, punctuation.
  static let deletedKey = 60
  static let bulkNotice = 160
  static let infrastructure = 180
}
