package import ResultModel

/// Numbers for people: rounded, with a unit that suits their size.
///
/// Programs never parse them; `MachineNumber` writes for programs.
package enum HumanNumber {
  /// Returns the value in its unit; an en dash without a value.
  package static func text(_ value: MetricValue?, unit: MetricUnit) -> String {
    guard let value else { return "–" }
    switch unit {
    case .count: return count(value.asDouble)
    case .ratio: return percent(value.asDouble)
    case .factor: return fixed(value.asDouble, decimals: 2) + " ×"
    case .bytes: return bytes(value.asDouble)
    case .bytesPerEntity: return count(value.asDouble) + " B"
    case .nanoseconds: return duration(nanoseconds: value.asDouble)
    case .perSecond:
      return scaled(value.asDouble, base: 1_000, units: [" /s", " k/s", " M/s", " G/s"])
    }
  }

  /// Returns a share in percent, as in 94.2 %.
  package static func percent(_ share: Double) -> String {
    fixed(share * 100, decimals: 1) + " %"
  }

  /// Returns a share with known bounds only, as in 57.1–60.2 %.
  package static func range(_ low: Double, _ high: Double) -> String {
    let (first, last) = (percent(low), percent(high))
    return first == last ? first : "\(points(low))–\(last)"
  }

  /// Returns a difference of two shares in percentage points, as in 3.1.
  package static func points(_ difference: Double) -> String {
    fixed(difference * 100, decimals: 1)
  }

  /// Returns a mean and the half-width of its interval, in one unit: 80.7 ± 0.4 %.
  package static func interval(_ mean: Double, _ halfWidth: Double, unit: MetricUnit) -> String {
    switch unit {
    case .ratio:
      return "\(fixed(mean * 100, decimals: 1)) ± \(fixed(halfWidth * 100, decimals: 1)) %"
    default:
      return
        "\(text(.real(mean), unit: unit)) ± \(text(.real(halfWidth), unit: unit))"
    }
  }

  /// Returns a size, as in 12.3 MB; a megabyte is a million bytes.
  package static func bytes(_ value: Double) -> String {
    scaled(value, base: 1_000, units: [" B", " kB", " MB", " GB", " TB"])
  }

  /// Returns a time in a suitable unit: 850 ns, 1.2 µs, 16.7 ms, 300.0 s.
  package static func duration(nanoseconds: Double) -> String {
    scaled(nanoseconds, base: 1_000, units: [" ns", " µs", " ms", " s"])
  }

  /// Returns a number, as in 1,234,567, with one decimal if it is not whole.
  package static func count(_ value: Double) -> String {
    fixed(value, decimals: value.rounded() == value ? 0 : 1)
  }

  /// Returns the value rounded to this many decimals, half away from zero, with thousands separators.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite else { return "–" }
    let power = [1.0, 10, 100, 1_000][min(max(decimals, 0), 3)]
    let scaledValue = (value.magnitude * power).rounded()
    // Beyond 2⁵³ there are no decimals left to show.
    guard scaledValue < 9e15 else { return value.description }
    let whole = UInt64(scaledValue)
    let unit = UInt64(power)
    let sign = value < 0 && whole > 0 ? "-" : ""
    let head = sign + grouped(whole / unit)
    guard unit > 1 else { return head }
    let tail = String(whole % unit)
    return head + "." + String(repeating: "0", count: decimals - tail.count) + tail
  }

  private static func grouped(_ value: UInt64) -> String {
    let digits = String(value)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  private static func scaled(_ value: Double, base: Double, units: [String]) -> String {
    var value = value
    var index = 0
    // Half a unit early, so that 999.96 kB is 1.0 MB rather than 1,000.0 kB.
    while value.magnitude >= base - 0.05, index + 1 < units.count {
      value /= base
      index += 1
    }
    let isWhole = index == 0 && value.rounded() == value
    return fixed(value, decimals: isWhole ? 0 : 1) + units[index]
  }
}
