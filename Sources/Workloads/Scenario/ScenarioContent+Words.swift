import ResultModel
import Text

extension ScenarioContent {
  /// A value as a person reads it: with its unit, if its path implies one.
  ///
  /// - Parameters:
  ///   - text: as ``ScenarioContent`` has it.
  ///   - path: of the value.
  /// - Returns: the text as it is where it is no quantity.
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
