import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// Which knob matters, a line for each, the one that matters most first.
struct KnobImportance {
  var lines: [String] = []
  /// The knobs that cannot be told from nothing.
  var idle: [String] = []

  /// From a screening.
  init(_ effects: [MorrisScreening.Effect], knobs: [String], of figure: Figure) {
    let ranked = effects.sorted { ($0.magnitude?.mean ?? 0) > ($1.magnitude?.mean ?? 0) }
    for effect in ranked {
      let name = knobs[effect.knob]
      guard let magnitude = effect.magnitude else {
        lines.append("\(name): one trajectory only, so how much it matters is not known")
        continue
      }
      let low = max(0, magnitude.low)
      if low <= 0 { idle.append(name) }
      let size =
        low <= 0
        ? "≈ 0 (0 … \(Self.amount(magnitude.high, figure)))"
        : "\(Self.amount(magnitude.mean, figure)) "
          + "(\(Self.amount(low, figure)) … \(Self.amount(magnitude.high, figure)))"
      let shape =
        effect.deviation > magnitude.mean
        ? "; it depends on the others, or bends" : effect.mean < 0 ? "; down as it goes up" : ""
      lines.append("\(name): half of its range moves \(figure.name) by \(size)\(shape)")
    }
  }

  /// From shares of variance; `nil`: the figure never changed.
  init(_ shares: [VarianceShares.Shares]?, knobs: [String], of figure: Figure) {
    guard let shares else {
      lines = ["\(figure.name) is the same whatever is turned"]
      return
    }
    for share in shares.sorted(by: { $0.inAll.value > $1.inAll.value }) {
      let name = knobs[share.knob]
      if share.inAll.isNothing { idle.append(name) }
      lines.append(
        "\(name): explains \(Self.text(share.alone)) of the variance of \(figure.name) alone, "
          + "\(Self.text(share.inAll)) with the others")
    }
  }

  static func text(_ share: VarianceShares.Share) -> String {
    let interval = "(\(number(share.low)) … \(number(share.high)))"
    return (share.isNothing ? "≈ 0" : number(share.value)) + " " + interval
  }

  private static func number(_ value: Double) -> String {
    let text = HumanNumber.fixed(value, decimals: 2)
    return text.hasPrefix("-") ? "−" + text.dropFirst() : text
  }

  private static func amount(_ value: Double, _ figure: Figure) -> String {
    figure.unit == .ratio
      ? "\(HumanNumber.points(value)) points" : HumanNumber.text(.real(value), unit: figure.unit)
  }
}
