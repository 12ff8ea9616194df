import ResultModel
import Text

extension ScenarioContent {
  /// Returns a value in a readable form: with its unit, if its path implies one.
  ///
  /// - Parameters:
  ///   - text: the text in ``ScenarioContent``.
  ///   - path: the path of the value.
  /// - Returns: the text unchanged if it is not a quantity.
  package static func words(for text: String, at path: String) -> String {
    guard let value = Double(text), let dimension = dimension(at: path) else { return text }
    return dimension.writing(of: value)
  }

  private static func dimension(at path: String) -> Dimension? {
    let keys = path.split(separator: ".").map(String.init)
    if keys.first == "cache" {
      let name = keys.dropFirst().joined(separator: ".")
      guard case .quantity(let dimension, _)? = ScenarioField.ofCache(named: name)?.form
      else { return nil }
      return dimension
    }
    if keys.first == "targets", keys.count > 1 {
      let metric = keys[1].prefix { !"[ ".contains($0) }
      return MetricRegistry.named(String(metric))?.unit.dimension
    }
    guard let last = keys.last else { return nil }
    if keys.contains("size") { return last == "exponent" || last == "share" ? nil : .size }
    if keys.contains("mix") || shares.contains(last) { return .share }
    return switch last {
    case "rate": .rate
    case "bandwidth": .bandwidth
    default: nil
    }
  }

  private static let shares: Set = [
    "warm-up", "loss", "reorder", "duplicate", "hold", "chance", "optional", "share", "revisit",
    "near-views", "refused",
  ]
}
