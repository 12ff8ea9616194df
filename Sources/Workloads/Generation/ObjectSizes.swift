/// Sizes of objects and events as compact JSON, in bytes, as captured from a local-first file
/// manager (file 942-951, location 978, tag 495, EXIF 516, sidecar 233, album 113-200, envelope 100).
enum ObjectSizes {
  static let envelope = 100
  static let location = 978
  static let tag = 495
  /// A key in a list of deletions: a UUID in quotes, its type, punctuation.
  static let deletedKey = 60
  static let bulkNotice = 160
  static let infrastructure = 180
  /// An identifier in quotes with its comma: relations are held as identifiers.
  static let label = 39

  static func file(variation: Int, labels: Int, waves: Waves) -> Int32 {
    var bytes = 942 + variation % 10 + labels * label
    if waves.contains(.identified) { bytes += 516 }
    if waves.contains(.thumbnails) { bytes += 3 * 233 }
    return Int32(clamping: bytes)
  }

  static func directory(variation: Int) -> Int32 { Int32(942 + variation % 10) }

  static func album(variation: Int) -> Int32 { Int32(113 + variation % 88) }

  /// What is known of a media file: its EXIF data, its three thumbnails.
  struct Waves: OptionSet, Hashable {
    let rawValue: UInt8
    static let identified = Waves(rawValue: 1)
    static let thumbnails = Waves(rawValue: 2)
  }
}
