import CacheModel
import Text

/// What files hold besides what is known of every file: the text of a note, a preview.
///
/// Sizes follow a Pareto distribution between two bounds: most are small, and a few are a thousand times
/// as large. A file keeps its size.
package struct ContentSection: Hashable, Sendable {
  /// Bytes.
  package var least = 1_000
  package var most = 2_000_000
  /// Of the chance to be larger than x, in proportion to x to the power of −exponent; the lower, the
  /// heavier the tail.
  package var exponent = 1.1

  package init() {}

  /// A size, in bytes, by inversion of the distribution function.
  func draw(_ random: inout RandomSource) -> Int32 {
    let (low, high) = (Double(least), Double(most))
    let share = PortableMath.pow(low / high, exponent)
    let size = low * PortableMath.pow(1 - random.unit() * (1 - share), -1 / exponent)
    return Int32(min(max(size, low), high))
  }
}

extension ContentSection: ScenarioSection {
  static let fields: [Field<ContentSection>] = [
    .size("least", \.least, 1...10_000_000, "bytes of the smallest"),
    .size("most", \.most, 1...10_000_000, "bytes of the largest"),
    .real("exponent", .number, \.exponent, 0.01...4, "exponent of the Pareto distribution"),
  ]

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if least >= most {
      reader.report(
        place, "the smallest content is not smaller than the largest",
        "lower `least`, or raise `most`")
    }
  }
}
